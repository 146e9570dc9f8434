/* samples_template.h - includes the file EACH_SAMPLE once for each type of samples, SAMPLE, which that file undefines.
 */
#define SAMPLE u8
#include EACH_SAMPLE
#define SAMPLE u16
#include EACH_SAMPLE
#define SAMPLE u32
#include EACH_SAMPLE
#define SAMPLE i8
#include EACH_SAMPLE
#define SAMPLE i16
#include EACH_SAMPLE
#define SAMPLE i32
#include EACH_SAMPLE
#define SAMPLE f32
#include EACH_SAMPLE
#define SAMPLE f64
#include EACH_SAMPLE
#undef EACH_SAMPLE

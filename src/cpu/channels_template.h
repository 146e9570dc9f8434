/* channels_template.h - includes the file EACH_CHANNELS once for each number of channels, C, which that file undefines.
 */
#define C 1
#include EACH_CHANNELS
#define C 2
#include EACH_CHANNELS
#define C 3
#include EACH_CHANNELS
#define C 4
#include EACH_CHANNELS
#undef EACH_CHANNELS

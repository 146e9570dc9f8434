/* isa_portable.c - plain C, for every machine. */
#include "isa.h"

#define ISA portable
#define SET SAT_SET_PORTABLE
#define TARGET
#define VECTOR_BYTES 0

static void fence(void) {}

#include "isa_template.h"

/* isa_portable.c - plain C, for every machine. */
#include "isa.h"

#define ISA portable
#define TARGET
#define VECTOR_BYTES 0

static bool supported(void)
{
    return true;
}
static void fence(void) {}

#include "isa_template.h"

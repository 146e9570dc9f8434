/* fiber.h - stacks and the switch between them: one fiber for each thread of a kernel. */
#ifndef SIMT_FIBER_H
#define SIMT_FIBER_H

#include <stddef.h>

namespace simt
{

/* Leaves the running fiber, whose state goes to *from, and goes on where `to` left off. */
struct fiber {
    void *state = nullptr;
};
void fiber_switch(fiber *from, fiber *to);

/* A fiber that begins with run(), which must never return, when it is first switched to. */
void fiber_start(fiber *f, void *stack, void (*run)());
void fiber_end(fiber *f); /* of one that has been started and will never be switched to again */

/* Stacks with an unmapped page below, so that an overflow is a fault and not a surprise; reused, newest first. */
constexpr size_t STACK_BYTES = 64 << 10;
void *stack_get();
void stack_put(void *stack);
bool in_stack_guard(const void *address);

} // namespace simt
#endif

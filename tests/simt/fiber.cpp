/* fiber.cpp - see fiber.h. */
#include "fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <vector>

namespace simt
{

#if defined(__x86_64__)

/* The System V ABI lets a callee clobber all but these six registers and the stack pointer, so a switch between two
 * calls of this function is a switch between two stacks.  ucontext would save the signal mask too: a system call each
 * time. */
extern "C" void simt_swap_stacks(void **from, void *to);
asm(".text\n"
    ".type simt_swap_stacks, @function\n"
    "simt_swap_stacks:\n"
    "    pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
    "    ret\n"
    ".size simt_swap_stacks, . - simt_swap_stacks\n");

void fiber_switch(fiber *from, fiber *to)
{
    simt_swap_stacks(&from->state, to->state);
}

void fiber_start(fiber *f, void *stack, void (*run)())
{
    /* As if run() had been called: the return address lies 8 below a multiple of 16. */
    uintptr_t *top = (uintptr_t *)((char *)stack + STACK_BYTES);
    *--top = 0;
    *--top = (uintptr_t)run;
    for (int saved = 0; saved < 6; saved++) *--top = 0;
    f->state = top;
}

void fiber_end(fiber *f)
{
    f->state = nullptr;
}

#else
#include <ucontext.h>

void fiber_switch(fiber *from, fiber *to)
{
    if (!from->state) from->state = new ucontext_t;
    swapcontext((ucontext_t *)from->state, (ucontext_t *)to->state);
}

void fiber_start(fiber *f, void *stack, void (*run)())
{
    ucontext_t *c = new ucontext_t;
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = STACK_BYTES;
    c->uc_link = nullptr;
    makecontext(c, run, 0);
    f->state = c;
}

void fiber_end(fiber *f)
{
    delete (ucontext_t *)f->state;
    f->state = nullptr;
}
#endif

namespace
{
constexpr size_t GUARD = 4096, SLOT = GUARD + STACK_BYTES, CHUNK = 64; /* stacks mapped together */
std::vector<void *> unused;
std::vector<char *> chunks;
} // namespace

void *stack_get()
{
    if (unused.empty()) {
        char *m = (char *)mmap(nullptr, CHUNK * SLOT, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (m == MAP_FAILED) {
            perror("simt: stacks");
            abort();
        }
        chunks.push_back(m);
        for (size_t i = 0; i < CHUNK; i++) {
            mprotect(m + i * SLOT, GUARD, PROT_NONE);
            unused.push_back(m + i * SLOT + GUARD);
        }
    }
    void *stack = unused.back();
    unused.pop_back();
    return stack;
}

void stack_put(void *stack)
{
    unused.push_back(stack);
}

bool in_stack_guard(const void *address)
{
    for (char *m : chunks)
        if ((char *)address >= m && (char *)address < m + CHUNK * SLOT) return ((char *)address - m) % SLOT < GUARD;
    return false;
}

} // namespace simt

/* mapped.c - a fixed number of slots, so that a signal handler can search them: it can neither lock nor allocate. */
#include "mapped.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { FREE = 0, TAKEN = 1 }; /* no addresses of pages */

static struct {
    _Atomic uintptr_t begin; /* FREE, TAKEN while the slot is filled, or the mapping's address */
    _Atomic size_t n;
    char name[MAPPED_NAME_BYTES];
} slots[MAPPED_MOST];

void mapped_add(const void *bytes, size_t n, const char *name)
{
    for (int i = 0; i < MAPPED_MOST; i++) {
        uintptr_t was = FREE;
        if (!atomic_compare_exchange_strong(&slots[i].begin, &was, TAKEN)) continue;
        slots[i].n = n;
        snprintf(slots[i].name, sizeof slots[i].name, "%s", name);
        slots[i].begin = (uintptr_t)bytes;
        return;
    }
}

void mapped_remove(const void *bytes)
{
    for (int i = 0; i < MAPPED_MOST; i++)
        if (slots[i].begin == (uintptr_t)bytes) slots[i].begin = FREE;
}

/* The thread that raised the signal has its file mapped: that slot does not change meanwhile. */
const char *mapped_name(const void *address)
{
    for (int i = 0; i < MAPPED_MOST; i++) {
        const uintptr_t begin = slots[i].begin;
        if (begin > TAKEN && (uintptr_t)address >= begin && (uintptr_t)address - begin < slots[i].n)
            return slots[i].name;
    }
    return NULL;
}

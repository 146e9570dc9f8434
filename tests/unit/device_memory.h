/* device_memory.h - arrays copied to a device and back. */
#ifndef TEST_DEVICE_MEMORY_H
#define TEST_DEVICE_MEMORY_H

#include "arrays.h"

static inline bool have_device(void)
{
    sat_device_info info;
    return sat_device_current(&info) == SAT_OK;
}

static inline sat_view bytes_at(void *data, size_t bytes, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)bytes,
                      .width = (int64_t)bytes,
                      .height = 1,
                      .channels = 1,
                      .type = SAT_U8,
                      .memory = memory};
}

/* A host array's copy in device memory; NULL data: memory for as many bytes. */
static inline void *device_copy(const void *data, size_t bytes)
{
    void *there;
    assert_ok(sat_device_alloc(&there, bytes));
    const sat_view from = bytes_at((void *)(uintptr_t)data, bytes, SAT_HOST), to = bytes_at(there, bytes, SAT_DEVICE);
    if (data) assert_ok(sat_device_copy(&from, &to, NULL));
    return there;
}

static inline void host_copy(void *data, void *there, size_t bytes)
{
    const sat_view from = bytes_at(there, bytes, SAT_DEVICE), to = bytes_at(data, bytes, SAT_HOST);
    assert_ok(sat_device_copy(&from, &to, NULL));
}

#endif

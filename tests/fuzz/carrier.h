/* carrier.h - images written to memory, for targets that read back what was written. */
#ifndef FUZZ_CARRIER_H
#define FUZZ_CARRIER_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format.h"
#include "fuzz.h"

/* What standard output receives: the sink "-" writes there. */
static inline bool carrier_encode(const image_format *format, const image *img, const encode_options *opt,
                                  uint8_t **bytes, size_t *n, error *err)
{
    static int file = -1;
    if (file < 0) file = memfd_create("encoded", MFD_CLOEXEC);
    int saved = dup(STDOUT_FILENO);
    if (file < 0 || saved < 0 || ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0 ||
        dup2(file, STDOUT_FILENO) < 0)
        abort();
    sink *out = NULL;
    bool ok = sink_open(&out, "-", NULL, err) && format->encode(img, opt, out, err) && sink_commit(&out, err);
    sink_abort(&out);
    off_t size = lseek(file, 0, SEEK_END);
    *n = size > 0 ? (size_t)size : 0;
    *bytes = malloc(*n ? *n : 1);
    if (dup2(saved, STDOUT_FILENO) < 0 || !*bytes || pread(file, *bytes, *n, 0) != (ssize_t)*n) abort();
    close(saved);
    return ok;
}

#endif

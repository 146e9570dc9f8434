#include "arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 }; /* bytes, on x86-64 and on Arm with 4 KiB pages */

/* Sets row_bytes; false if the bytes of all rows of all images are more than can be. */
static bool size_rows(sat_view *view, size_t *bytes)
{
    view->row_bytes = (ptrdiff_t)sat_row_bytes(view->width, view->channels, view->type);
    return view->row_bytes > 0 && !__builtin_mul_overflow(view->row_bytes, (size_t)view->height, bytes) &&
           !__builtin_mul_overflow(*bytes, (size_t)(view->count ? view->count : 1), bytes) && *bytes <= SIZE_MAX / 2;
}

bool view_alloc(sat_view *view, const char *what, error *err)
{
    char text[32];
    size_t bytes;
    if (!size_rows(view, &bytes)) return fail(err, "%s would not fit any memory", what);
    size_t step = bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : 64;
    size_t rounded = (bytes + step - 1) / step * step;
    view->data = aligned_alloc(step, rounded);
    if (!view->data)
        return fail(err, "%s needs %s, which could not be allocated", what, size_text(text, (double)bytes));
    if (step == HUGE_PAGE) (void)madvise(view->data, rounded, MADV_HUGEPAGE);
    return true;
}

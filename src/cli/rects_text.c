/* rects_text.c - rectangles of text: the window on a stream, its lines, and what form they have. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rects_parts.h"

enum { OTHERS_BYTES = 8 << 20 }; /* of the other columns, beyond which a chunk ends */

/* ---- lines ----------------------------------------------------------------------------------------- */

/* Reads on into the window, behind what is still unparsed.  False on an error. */
static bool refill(rects *r, error *err)
{
    if (r->begin > 0) memmove(r->window, r->window + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (r->end == RECTS_STREAM_BYTES)
        return fail(err, "line %lld: longer than %d bytes", (long long)r->line + 1, RECTS_STREAM_BYTES);
    ssize_t got;
    do got = read(r->fd, r->window + r->end, RECTS_STREAM_BYTES - r->end);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail_errno(err, "cannot be read");
    r->end += (size_t)got;
    r->at_end = got == 0;
    return true;
}

/* The next line without its end; *text = NULL after the last. */
static bool next_line(rects *r, const char **text, size_t *n, error *err)
{
    for (;;) {
        const char *from = r->text + r->begin;
        const char *stop = r->begin < r->end ? memchr(from, '\n', r->end - r->begin) : NULL;
        if (!stop && !r->at_end) {
            if (!refill(r, err)) return false;
            continue;
        }
        if (!stop && r->begin == r->end) {
            *text = NULL;
            return true;
        }
        *n = stop ? (size_t)(stop - from) : r->end - r->begin;
        r->begin += *n + (stop ? 1 : 0);
        r->line++;
        *text = from;
        return true;
    }
}

/* ---- a chunk --------------------------------------------------------------------------------------- */

/* The first line that is neither blank nor a comment, from the first character that is no blank, or from its start. */
static bool begin(rects *r, const char *first, const char *text, const char *end, bool *is_header, error *err)
{
    if (!r->known) r->json = *first == '{' || *first == '[';
    return r->json || rects_begin_csv(r, text, end, is_header, err);
}

/* The columns are as before: a line is wrong again when all is handed out again. */
static bool forget(rects *r)
{
    r->others = 0;
    r->names.used = 0;
    return false;
}

bool rects_next_text(rects *r, error *err)
{
    r->rest.used = 0;
    while (r->chunk_n < RECTS_CHUNK && r->rest.used < OTHERS_BYTES) {
        const char *text, *first;
        size_t n;
        bool is_header = false;
        if (!next_line(r, &text, &n, err)) return false;
        if (!text) return true;
        const char *start = text, *end = text + n;
        if (r->line == 1 && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* byte order mark */
        while (end > text && (end[-1] == ' ' || end[-1] == '\r')) end--;
        for (first = text; first < end && rects_is_blank(*first);) first++;
        if (first == end || *first == '#') continue;
        rects_one rect;
        r->rest_at[r->chunk_n] = r->rest.used;
        bool ok = r->begun || begin(r, first, text, end, &is_header, err);
        if (ok && !is_header)
            ok = r->json ? rects_read_json(r, first, end, &rect, err) : rects_read_csv(r, text, end, &rect, err);
        if (!ok) return r->known ? false : forget(r);
        r->begun = r->known = true;
        if (is_header) continue;
        if (r->chunk_n > 0 && rect.is_real != r->real) { /* the next chunk begins with this line */
            r->begin = (size_t)(start - r->text);
            r->line--;
            return true;
        }
        r->real = rect.is_real;
        if (r->real)
            r->chunk.real[r->chunk_n] = rect.real;
        else
            r->chunk.whole[r->chunk_n] = rect.whole;
        r->lines[r->chunk_n++] = r->line;
    }
    return true;
}

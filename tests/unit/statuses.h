/* statuses.h - which statuses calls return, and which their headers name.
 *
 * A row is one call with one thing that is wrong, and the status that is promised for that: told() compares.  At the
 * end, headers_and_calls_agree() reads the headers.  A status that a call returned stands in the comment of that call;
 * SAT_ERR_ARGUMENT need not.  And each status that stands there was returned for some row, but for those of a device
 * and others that no row can bring about. */
#ifndef TEST_STATUSES_H
#define TEST_STATUSES_H

#include <ctype.h>
#include <glob.h>

#include "arrays.h"
#include "sat_file.h"

#define OK          SAT_OK
#define ARGUMENT    SAT_ERR_ARGUMENT
#define SHAPE       SAT_ERR_SHAPE
#define TYPE        SAT_ERR_TYPE
#define RANGE       SAT_ERR_RANGE
#define RECT        SAT_ERR_RECT
#define MEMORY      SAT_ERR_MEMORY
#define UNAVAILABLE SAT_ERR_UNAVAILABLE
#define BROKEN      SAT_ERR_FILE
#define CANCELLED   SAT_ERR_CANCELLED

enum {
    ON_DEVICE = 1 << SAT_ERR_DEVICE,
    NO_MEMORY = 1 << SAT_ERR_MEMORY,
    NO_DEVICE = 1 << SAT_ERR_UNAVAILABLE,
    OF_RECTS = 1 << SAT_ERR_RECT | 1 << SAT_ERR_RANGE,
    OF_VIEWS = 1 << SAT_ERR_SHAPE | 1 << SAT_ERR_TYPE
};

typedef struct call {
    const char *name, *like; /* like: the call to whose comment this one's refers, or NULL */
    unsigned unseen;         /* bits of statuses: named, and not to be had here */
    unsigned seen;
} call;
static call *calls; /* of the program; a NULL name behind the last */

static inline call *call_of(const char *name)
{
    for (call *c = calls; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    fail_msg("no call is named %s", name);
    abort();
}

/* A call was made with that fault. */
static inline void told(const char *name, const char *fault, sat_status want, sat_status have)
{
    const char *detail = sat_detail();
    call_of(name)->seen |= 1U << have;
    if (have != want)
        fail_msg("%s: %s: status %d ('%s') where %d is promised", name, fault, (int)have, detail, (int)want);
    if (have != OK && (!*detail || strchr(detail, '\n'))) fail_msg("%s: %s: no line of detail", name, fault);
}

/* An allocator without memory, one that is not whole, and an executor that is not. */
static inline void *no_memory(void *context, size_t bytes, sat_memory_kind kind)
{
    (void)context, (void)bytes, (void)kind;
    return NULL;
}
static inline void no_release(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    (void)context, (void)data, (void)bytes, (void)kind;
}
static const sat_allocator nothing = {.allocate = no_memory, .release = no_release}, halved = {.allocate = no_memory};
static const sat_executor idle = {.run = NULL};

/* The options of a run that its caller ends at once. */
static inline bool no_more(void *context)
{
    (void)context;
    return false;
}
static const sat_run_options ended = {.proceed = no_more};

static inline bool has_device(void)
{
    sat_device_info info;
    return sat_device_current(&info) == OK;
}

/* ---- one row of a spec ------------------------------------------------------------------------------------ */

/* Defines NAME_made(fault, want, spec), which creates and destroys, and begins the good spec NAME_good. */
#define CREATES(id)                                                                                                    \
    static void id##_made(const char *fault, sat_status want, const sat_##id##_spec *s)                                \
    {                                                                                                                  \
        sat_##id *made = (sat_##id *)&made;                                                                            \
        const sat_status have = sat_##id##_create(&made, s);                                                           \
        if (have != OK) assert_null(made);                                                                             \
        sat_##id##_destroy(&made);                                                                                     \
        told("sat_" #id "_create", fault, want, have);                                                                 \
    }                                                                                                                  \
    static const sat_##id##_spec id##_good

/* In a copy `s` of the good spec, that is wrong. */
#define ROW(id, want, ...)                                                                                             \
    do {                                                                                                               \
        sat_##id##_spec s = id##_good;                                                                                 \
        __VA_ARGS__;                                                                                                   \
        id##_made(#__VA_ARGS__, want, &s);                                                                             \
    } while (0)

/* ---- the headers ------------------------------------------------------------------------------------------ */

static char header_text[1 << 18];

/* All public headers, one after the other. */
static inline void read_headers(void)
{
    const char *root = getenv("SAT_TEST_ROOT");
    char pattern[4096];
    glob_t found;
    size_t n = 0;
    snprintf(pattern, sizeof pattern, "%s/src/{lib,io,lab/lib}/sat*.h", root ? root : ".");
    if (glob(pattern, GLOB_BRACE, NULL, &found) != 0) fail_msg("no %s; set SAT_TEST_ROOT", pattern);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f = fopen(found.gl_pathv[i], "r");
        if (!f) fail_msg("cannot read %s", found.gl_pathv[i]);
        n += fread(header_text + n, 1, sizeof header_text - 1 - n, f);
        assert_int_equal(fclose(f), 0);
    }
    globfree(&found);
    assert_true(n < sizeof header_text - 1);
    header_text[n] = 0;
}

/* Is the word there, as SAT_ERR_WORD or _WORD? */
static inline bool names_status(const char *from, const char *end, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = from; (at = strstr(at, word)) && at < end; at += n) {
        const bool whole = !isalnum((unsigned char)at[n]) && at[n] != '_';
        const bool full = at - from >= 8 && strncmp(at - 8, "SAT_ERR_", 8) == 0;
        const bool brief = at - from >= 2 && at[-1] == '_' && !isalnum((unsigned char)at[-2]) && at[-2] != '_';
        if (whole && (full || brief)) return true;
    }
    return false;
}

/* The statuses in the last comment before the call's declaration, as bits. */
static inline unsigned promised(const char *name)
{
    static const char *const words[] = {"ARGUMENT", "SHAPE",       "TYPE",   "RANGE", "RECT",
                                        "MEMORY",   "UNAVAILABLE", "DEVICE", "FILE",  "CANCELLED"};
    char line[128];
    snprintf(line, sizeof line, "\nSAT_API sat_status %s_sized(", name);
    const char *at = strstr(header_text, line);
    snprintf(line, sizeof line, "\nSAT_API sat_status %s(", name);
    if (!at) at = strstr(header_text, line);
    if (!at) fail_msg("%s is declared nowhere", name);
    while (strncmp(at, "\n/*", 3) != 0) at--;
    const char *end = strstr(at, "*/");
    unsigned bits = 0;
    for (int i = 0; i < 10; i++) bits |= (unsigned)names_status(at, end, words[i]) << (i + 1);
    for (const call *c = calls; c->name; c++)
        if (strcmp(c->name, name) == 0 && c->like) bits |= promised(c->like);
    return bits;
}

/* The program's last test. */
static void headers_and_calls_agree(void **state)
{
    bool agree = true;
    (void)state;
    read_headers();
    for (const call *c = calls; c->name; c++) {
        const unsigned named = promised(c->name), free = 1U << OK | 1U << ARGUMENT;
        for (int s = 0; s <= SAT_ERR_CANCELLED; s++) {
            const unsigned bit = 1U << s;
            if (c->seen & bit & ~named & ~free)
                print_error("%s returns %d, which its header does not name\n", c->name, s);
            if (named & bit & ~c->seen & ~c->unseen) print_error("no row of %s returns %d\n", c->name, s);
            agree = agree && !(c->seen & bit & ~named & ~free) && !(named & bit & ~c->seen & ~c->unseen);
        }
    }
    assert_true(agree);
}

#endif

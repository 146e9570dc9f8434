#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "memory.h"
#include "messages.h"
#include "nearest.h"
#include "number.h"

enum { THREADS_MAX = 1024 };

/* ---- values ---------------------------------------------------------------------------------------- */

static bool take_int(const char **at, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    if (number_bytes(*at, low < 0 ? NUMBER_SIGN : 0) == 0) return false;
    long long v = strtoll(*at, &end, 10);
    if (errno == ERANGE || v < low || v > high) return false;
    *at = end;
    *value = v;
    return true;
}

bool parse_int(const char *text, int64_t low, int64_t high, int64_t *value)
{
    return take_int(&text, low, high, value) && *text == 0;
}

bool parse_size(const char *text, int64_t low, int64_t high, int64_t *width, int64_t *height)
{
    if (!take_int(&text, low, high, width)) return false;
    *height = *width;
    if (*text == 'x') {
        text++;
        if (!take_int(&text, low, high, height)) return false;
    }
    return *text == 0;
}

bool parse_type(const char *text, const sat_type *among, sat_type *type)
{
    for (; *among; among++)
        if (strcmp(text, sat_type_name(*among)) == 0) {
            *type = *among;
            return true;
        }
    return false;
}

const char *type_names(name_list *names, const sat_type *among)
{
    for (; *among; among++) name_list_add(names, among[1] ? ", " : " or ", "%s", sat_type_name(*among));
    return names->text;
}

/* ---- shared options -------------------------------------------------------------------------------- */

bool options_refuse(options *o, const char *format, ...)
{
    char text[4500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    o->stop = true;
    o->status = usage_error(o->self->name, "%s", text);
    return false;
}

const char *options_near(const char *word, const struct option *longs)
{
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (; longs->name; longs++)
        if (nearer(word, longs->name, &least)) best = longs->name;
    return best;
}

/* "--box, --border or --backend": adds the options that begin so; returns how many. */
static int begin_so(const char *word, const struct option *longs, name_list *names)
{
    size_t length = strlen(word);
    int n = 0, left;
    for (const struct option *at = longs; at->name; at++) n += strncmp(word, at->name, length) == 0;
    left = n;
    for (const struct option *at = longs; at->name; at++)
        if (strncmp(word, at->name, length) == 0) name_list_add(names, --left > 0 ? ", " : " or ", "--%s", at->name);
    return n;
}

/* The option that other tools call so, if the command has it; else NULL. */
static const char *named_elsewhere(const char *word, const struct option *longs)
{
    const char *name = other_name_of(word);
    while (name && longs->name && strcmp(name, longs->name) != 0) longs++;
    return name ? longs->name : NULL;
}

/* Adds the options that may have been meant: the one that other tools call so, the nearest, or those that begin so.
 * Returns the text, or NULL if there are none. */
static const char *meant(const char *argument, const struct option *longs, name_list *names)
{
    char word[NEAREST_WORD];
    const char *best = named_elsewhere(option_word(argument, word), longs);
    if (!best) best = options_near(word, longs);
    if (best)
        name_list_add(names, "", "--%s", best);
    else if (*word)
        begin_so(word, longs, names);
    return *names->text ? names->text : NULL;
}

/* A letter that is no option: getopt stands behind its word if the letter is the last there, else on it. */
static void refuse_letter(options *o, char **argv, const struct option *longs)
{
    const char *word = argv[optind - 1];
    bool is_last = word[0] == '-' && word[1] != '-' && word[strlen(word) - 1] == optopt;
    if (!is_last && argv[optind]) word = argv[optind];
    bool among_others = word[0] == '-' && word[1] != '-' && strlen(word) > 2;
    name_list names = {.used = 0};
    const char *near = among_others ? meant(word, longs, &names) : NULL;
    options_refuse(o, "unknown option -%c%s%s%s%s%s", optopt, among_others ? " in " : "", among_others ? word : "",
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool help_names(const char *help, const char *word, size_t n)
{
    for (const char *at = help; (at = strstr(at, "--")) != NULL; at += 2)
        if (strncmp(at, word, n) == 0 && strchr(" ,\n", at[n])) return true;
    return false;
}

/* A long option that getopt does not take: several begin so, or none.  Another command may have it: the first whose
 * help names it. */
static void refuse_word(options *o, const char *word, const struct option *longs)
{
    name_list several = {.used = 0}, names = {.used = 0};
    char bare[NEAREST_WORD];
    size_t n = strcspn(word, "=");
    const command *c;
    if (*option_word(word, bare) && begin_so(bare, longs, &several) > 1) {
        options_refuse(o, "%.*s could be %s", (int)n, word, several.text);
        return;
    }
    bool elsewhere = named_elsewhere(bare, longs) != NULL;
    for (int i = 0; !elsewhere && n > 2 && (c = command_at(i)); i++)
        if (c != o->self && help_names(c->help, word, n)) {
            options_refuse(o, "unknown option %.*s; `sat%s%s` has it", (int)n, word, *c->name ? " " : "", c->name);
            return;
        }
    const char *near = meant(word, longs, &names);
    options_refuse(o, "unknown option %s%s%s%s", word, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

/* getopt returned ':' (no value) or '?': says which option is meant. */
static void refuse_option(options *o, int c, char **argv, const char *shorts, const struct option *longs)
{
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    bool is_letter = optopt != 0 && optopt <= UCHAR_MAX && (optopt == ':' || !strchr(shorts, optopt));
    if (is_letter)
        refuse_letter(o, argv, longs);
    else if (c == ':' && is_long)
        options_refuse(o, "%s needs a value", word);
    else if (c == ':')
        options_refuse(o, "-%c needs a value", optopt);
    else if (is_long && optopt != 0)
        options_refuse(o, "%.*s takes no value", (int)strcspn(word, "="), word);
    else
        refuse_word(o, word, longs);
}

static void set_threads(options *o, const char *name, const char *text)
{
    int64_t n;
    if (!parse_int(text, 0, THREADS_MAX, &n))
        options_refuse(o, "%s '%s': a number from 1 to %d, or 0 for as many as the work is worth", name, text,
                       THREADS_MAX);
    else
        o->threads = (int)n;
}

/* `-o=x` is `-o x`: getopt takes the sign for a part of the value, as it stands in the same word. */
static void drop_sign(char **argv)
{
    const char *word = argv[optind - 1];
    bool in_word = optarg && word[0] == '-' && word[1] != '-' && strlen(word) > strlen(optarg) &&
                   optarg == word + strlen(word) - strlen(optarg);
    if (in_word && *optarg == '=') optarg++;
}

bool options_amount(options *o, const char *name, const char *text, int64_t *amount)
{
    static const char units[] = "KMGT";
    char *rest;
    errno = 0;
    long long n = strtoll(text, &rest, 10); /* beyond 64 bits: ERANGE, and the bound on that side */
    bool beyond = errno == ERANGE;
    if (*text == '+' || number_bytes(text, NUMBER_SIGN) == 0)
        return options_refuse(o, "%s '%s': does not begin with a whole number", name, text);
    const char *unit = strchr(units, *rest);
    if (*rest && (!unit || rest[1]))
        return options_refuse(o, "%s '%s': '%s' is no unit; K, M, G and T are, each 1024 of the one before", name, text,
                              rest);
    if (n < 1) return options_refuse(o, "%s '%s': must be at least 1", name, text);
    int64_t one = *rest ? INT64_C(1) << 10 * (unit - units + 1) : 1;
    if (beyond || __builtin_mul_overflow(n, one, amount))
        return options_refuse(o, "%s '%s': 2^63 or more, which is too large", name, text);
    return true;
}

static void set_memory(options *o)
{
    int64_t bytes = 0;
    if (options_amount(o, "--max-memory", optarg, &bytes)) memory_set_limit((uint64_t)bytes);
}

/* Refuses a second value where the option takes one.  place: of a long option in its table; below 0 for a letter. */
static void refuse_again(options *o, int c, const struct option *longs, int place)
{
    const struct option *entry = longs;
    char name[NEAREST_WORD];
    while (entry->name && (entry->val & ~OPT_REPEATS) != c) entry++;
    if (!entry->name || entry->has_arg == no_argument || (entry->val & OPT_REPEATS) != 0) return;
    if (o->given[c]) {
        if (place < 0)
            snprintf(name, sizeof name, "-%c", c);
        else
            snprintf(name, sizeof name, "--%s", longs[place].name);
        options_refuse(o, "%s '%s': %s has been given already", name, optarg, name);
    }
    o->given[c] = true;
}

int options_next(options *o, int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    for (;;) {
        if (o->stop) return -1;
        int place = -1, c = getopt_long(argc, argv, shorts, longs, &place);
        if (c != -1 && c != '?' && c != ':') {
            c &= ~OPT_REPEATS;
            drop_sign(argv);
            refuse_again(o, c, longs, place);
            if (o->stop) return -1;
        }
        switch (c) {
        case 'h':
            help_print(o->self);
            o->stop = true;
            o->status = EXIT_FINE;
            break;
        case 'V':
            version_print();
            o->stop = true;
            o->status = EXIT_FINE;
            break;
        case 'q':
        case 'v':
            o->quiet = c == 'q';
            o->verbose = c == 'v';
            break;
        case OPT_BACKEND: o->backend = optarg; break;
        case OPT_THREADS: set_threads(o, "--threads", optarg); break;
        case OPT_MAX_PIXELS: options_amount(o, "--max-pixels", optarg, &o->max_pixels); break;
        case OPT_MAX_MEMORY: set_memory(o); break;
        case ':':
        case '?': refuse_option(o, c, argv, shorts, longs); break;
        default: return c;
        }
    }
}

const char *unknown_backend(const char *name)
{
    sat_plan *plan;
    sat_status status = sat_plan_create(
        &plan, &(sat_plan_spec){.width = 1, .height = 1, .sample = SAT_U8, .backend = name, .threads = 1});
    sat_plan_destroy(&plan);
    return status == SAT_OK ? "" : sat_detail();
}

bool options_end(options *o)
{
    const char *from = "--backend", *env;
    if (o->stop) return false;
    if (!o->backend && (env = getenv("SAT_BACKEND")) && *env) {
        o->backend = env;
        from = "SAT_BACKEND";
    }
    if (o->threads == 0 && (env = getenv("SAT_THREADS")) && *env) set_threads(o, "SAT_THREADS", env);
    if (o->stop) return false;
    if (!o->backend) return true;

    name_list names = {.used = 0};
    sat_backend_info info;
    for (size_t i = 0; sat_backend_entry(i, &info); i++) {
        if (strcmp(info.name, o->backend) == 0) return true;
        name_list_add(&names, ", ", "%s", info.name);
    }
    const char *why = unknown_backend(o->backend);
    if (*why) return options_refuse(o, "%s: %s; there are %s", from, why, names.text);
    return options_refuse(o, "%s '%s': only `sat bench` takes it; there are %s", from, o->backend, names.text);
}

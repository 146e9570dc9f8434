/* options.c - options by their table: what getopt_long() takes, what is refused and in which words, and values. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "memory.h"
#include "messages.h"
#include "names.h"
#include "number.h"

enum { THREADS_MAX = 1024 };

/* ---- values --------------------------------------------------------------------------------------- */

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

bool options_int(options *o, int64_t low, int64_t high, const char *what, int64_t *value)
{
    return parse_int(optarg, low, high, value) || options_wrong(o, "%s", what);
}

bool options_page(options *o, int *page)
{
    enum { MOST = 1 << 24 };
    int64_t n = 0;
    const bool ok = options_int(o, 0, MOST, "a number from 0 on, the first page", &n);
    *page = (int)n + 1;
    return ok;
}

bool options_side(options *o, const char *what, int64_t *width, int64_t *height)
{
    return parse_size(optarg, 1, INT32_MAX, width, height) ||
           options_wrong(o, "%s N, or WxH, in pixels from 1 to %d, in digits", what, INT32_MAX);
}

int options_choice(options *o, const char *what)
{
    name_list names = {.used = 0};
    const char *word = o->line->values;
    for (int i = 0; *word; i++) {
        const size_t n = strcspn(word, " ");
        if (strlen(optarg) == n && strncmp(optarg, word, n) == 0) return i;
        name_list_add(&names, word[n] ? ", " : " or ", "%.*s", (int)n, word);
        word += n + (word[n] == ' ');
    }
    options_wrong(o, "%s%s", what, names.text);
    return -1;
}

/* ---- shared options ------------------------------------------------------------------------------- */

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

bool options_fail(options *o, const char *file, const char *why)
{
    say(file, "%s", why);
    o->stop = true;
    o->status = EXIT_INPUT;
    return false;
}

bool options_wrong(options *o, const char *format, ...)
{
    char text[4000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *typed = dash_bytes(optarg)                            ? "; it begins with a dash that is not '-'"
                        : o->line->sets & REAL && strchr(optarg, ',') ? "; if ',' was to be the decimal point, type '.'"
                                                                      : "";
    return options_refuse(o, "%s '%s': %s%s", o->name, optarg, text, typed);
}

const char *options_near(const options *o, const char *word)
{
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (const struct option *at = o->longs; at->name; at++)
        if (nearer(word, at->name, &least)) best = at->name;
    return best;
}

/* "--box, --border or --backend": adds the options that begin so; returns how many. */
static int begin_so(const options *o, const char *word, name_list *names)
{
    size_t length = strlen(word);
    int n = 0, left;
    for (const struct option *at = o->longs; at->name; at++) n += strncmp(word, at->name, length) == 0;
    left = n;
    for (const struct option *at = o->longs; at->name; at++)
        if (strncmp(word, at->name, length) == 0) name_list_add(names, --left > 0 ? ", " : " or ", "--%s", at->name);
    return n;
}

/* The option that other tools call so, if the command has it; else NULL. */
static const char *named_elsewhere(const options *o, const char *word)
{
    const char *name = other_name_of(word);
    const struct option *at = o->longs;
    while (name && at->name && strcmp(name, at->name) != 0) at++;
    return name ? at->name : NULL;
}

/* Adds the options that may have been meant: the one that other tools call so, the nearest, or all that begin so.
 * Returns the text, or NULL if there are none. */
static const char *meant(const options *o, const char *argument, name_list *names)
{
    char word[NEAREST_WORD];
    const char *best = named_elsewhere(o, option_word(argument, word));
    if (!best) best = options_near(o, word);
    if (best)
        name_list_add(names, "", "--%s", best);
    else if (*word)
        begin_so(o, word, names);
    return *names->text ? names->text : NULL;
}

/* Names a file of that name, and how it is written. */
static bool refuse_file(options *o, const char *word)
{
    if (access(word, F_OK) != 0) return false;
    options_refuse(o, "unknown option %s; the file of that name is ./%s, or stands behind --", word, word);
    return true;
}

/* Refuses a word that begins with the dash of a word processor and is not the name of a file;
 * returns false for others. */
static bool refuse_dash(options *o, const char *word)
{
    const char *bare = word;
    size_t n;
    while ((n = *bare == '-' ? 1 : dash_bytes(bare)) > 0) bare += n;
    if (!dash_bytes(word + strspn(word, "-")) || access(word, F_OK) == 0) return false;
    const bool is_letter = !*bare || !bare[1] || bare[1] == '=';
    options_refuse(o, "%s: begins with a dash that is not '-'; type %s%s", word, is_letter ? "-" : "--", bare);
    return true;
}

/* A letter that is no option: getopt stands behind its word if the letter is the last there, else on it. */
static void refuse_letter(options *o, char **argv)
{
    const char *word = argv[optind - 1];
    bool is_last = word[0] == '-' && word[1] != '-' && word[strlen(word) - 1] == optopt;
    if (!is_last && argv[optind]) word = argv[optind];
    if (refuse_file(o, word) || refuse_dash(o, word)) return;
    bool among_others = word[0] == '-' && word[1] != '-' && strlen(word) > 2;
    name_list names = {.used = 0};
    const char *near = among_others ? meant(o, word, &names) : NULL;
    options_refuse(o, "unknown option -%c%s%s%s%s%s", optopt, among_others ? " in " : "", among_others ? word : "",
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool has(const command *c, const char *word, size_t n)
{
    const option_line *l;
    for (size_t i = 0; (l = option_at(c, i)); i++)
        if (strlen(l->name) == n && strncmp(l->name, word, n) == 0) return true;
    return false;
}

/* A long option that getopt does not take: several begin so, or none.  Another command may have it. */
static void refuse_word(options *o, const char *word)
{
    name_list several = {.used = 0}, names = {.used = 0};
    char bare[NEAREST_WORD];
    size_t n = strcspn(word, "=");
    const command *c;
    if (refuse_file(o, word)) return;
    if (*option_word(word, bare) && begin_so(o, bare, &several) > 1) {
        options_refuse(o, "%.*s could be %s", (int)n, word, several.text);
        return;
    }
    bool elsewhere = named_elsewhere(o, bare) != NULL;
    for (int i = 0; !elsewhere && n > 2 && (c = command_at(i)); i++)
        if (c != o->self && has(c, word, n)) {
            options_refuse(o, "unknown option %.*s; `sat%s%s` has it", (int)n, word, *c->name ? " " : "", c->name);
            return;
        }
    const char *near = meant(o, word, &names);
    options_refuse(o, "unknown option %s%s%s%s", word, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

/* getopt returned ':' (no value) or '?': says which option is meant. */
static void refuse_option(options *o, int c, char **argv)
{
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    bool is_letter = optopt != 0 && optopt <= UCHAR_MAX && (optopt == ':' || !strchr(o->shorts, optopt));
    if (is_letter)
        refuse_letter(o, argv);
    else if (c == ':' && is_long)
        options_refuse(o, "%s needs a value", word);
    else if (c == ':')
        options_refuse(o, "-%c needs a value", optopt);
    else if (is_long && optopt != 0)
        options_refuse(o, "%.*s takes no value", (int)strcspn(word, "="), word);
    else
        refuse_word(o, word);
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

/* Pixels or bytes, from 1 on: 1, 2K, 3M, 4G or 5T, each unit 1024 of the one before. */
static bool take_amount(options *o, int64_t *amount)
{
    static const char units[] = "KMGT";
    char *rest;
    errno = 0;
    long long n = strtoll(optarg, &rest, 10); /* beyond 64 bits: ERANGE, and the bound on that side */
    bool beyond = errno == ERANGE;
    if (*optarg == '+' || number_bytes(optarg, NUMBER_SIGN) == 0)
        return options_wrong(o, "does not begin with a whole number");
    const char *unit = strchr(units, *rest);
    if (*rest && (!unit || rest[1]))
        return options_wrong(o, "'%s' is no unit; K, M, G and T are, each 1024 of the one before", rest);
    if (n < 1) return options_wrong(o, "must be at least 1");
    int64_t one = *rest ? INT64_C(1) << 10 * (unit - units + 1) : 1;
    if (beyond || __builtin_mul_overflow(n, one, amount)) return options_wrong(o, "2^63 or more, which is too large");
    return true;
}

static void begin(options *o)
{
    size_t used = 0;
    const option_line *l;
    o->shorts[used++] = ':';
    for (size_t i = 0; i < OPTIONS_MAX - 1 && (l = option_at(o->self, i)); i++) {
        o->longs[i] = (struct option){l->name + 2, l->argument ? required_argument : no_argument, NULL, l->id};
        if (l->letter) o->shorts[used++] = l->letter;
        if (l->letter && l->argument) o->shorts[used++] = ':';
    }
}

/* getopt returned a letter, or a number and its place in the table: the option is known.  Refuses a second value where
 * it takes one. */
static void know(options *o, int c, int place)
{
    size_t i = 0;
    if (place >= 0) i = (size_t)place;
    while (place < 0 && option_at(o->self, i)->letter != c) i++;
    o->line = option_at(o->self, i);
    snprintf(o->name, sizeof o->name, "%s", place < 0 ? (char[]){'-', (char)c, 0} : o->line->name);
    int *given = &o->given[o->line->id - OPT_FIRST];
    if (*given && o->line->argument && !(o->line->sets & REPEATS))
        options_wrong(o, "%s has been given already", o->name);
    *given = ++o->given_n;
}

int options_next(options *o, int argc, char **argv)
{
    int64_t bytes = 0;
    opterr = 0;
    if (!*o->shorts) begin(o);
    while (!o->stop) {
        int place = -1, c = getopt_long(argc, argv, o->shorts, o->longs, &place);
        if (c == -1) {
            const bool files = strcmp(argv[optind - 1], "--") == 0; /* whatever they begin with */
            for (int i = optind; i < argc && !files && !refuse_dash(o, argv[i]);) i++;
            return -1;
        }
        if (c == '?' || c == ':') {
            refuse_option(o, c, argv);
            return -1;
        }
        drop_sign(argv);
        know(o, c, place);
        if (o->stop) return -1;
        switch (o->line->id) {
        case OPT_HELP:
        case OPT_VERSION:
            if (o->line->id == OPT_HELP)
                help_print(o->self);
            else
                version_print();
            o->stop = true;
            o->status = EXIT_FINE;
            break;
        case OPT_QUIET:
        case OPT_VERBOSE:
            o->quiet = o->line->id == OPT_QUIET;
            o->verbose = !o->quiet;
            break;
        case OPT_BACKEND: o->backend = optarg; break;
        case OPT_THREADS: set_threads(o, o->name, optarg); break;
        case OPT_MAX_PIXELS: take_amount(o, &o->max_pixels); break;
        case OPT_MAX_MEMORY:
            if (take_amount(o, &bytes)) memory_set_limit((uint64_t)bytes);
            break;
        default: return o->line->id;
        }
    }
    return -1;
}

/* ---- rules ---------------------------------------------------------------------------------------- */

/* The option, or the one of a set, that was given last and is not the other one; NULL if none was. */
static const char *given_beside(const options *o, int what, const char *other)
{
    const option_line *l, *last = NULL;
    int turn = 0;
    for (size_t i = 0; (l = option_at(o->self, i)); i++) {
        const int at = o->given[l->id - OPT_FIRST];
        if (at <= turn || !option_is(l, what) || (other && strcmp(l->name, other) == 0)) continue;
        last = l;
        turn = at;
    }
    return last ? last->name : NULL;
}

const char *options_given(const options *o, int what)
{
    return given_beside(o, what, NULL);
}

static bool has_among(const command *self, int what)
{
    const option_line *l;
    for (size_t i = 0; (l = option_at(self, i)); i++)
        if (option_is(l, what)) return true;
    return false;
}

static bool check_rules(options *o)
{
    const option_rule *r;
    for (size_t i = 0; (r = option_rule_at(i)); i++) {
        const char *b = options_given(o, r->b), *a = given_beside(o, r->a, r->needs ? NULL : b);
        if (a && (r->needs ? !b && has_among(o->self, r->b) : b != NULL)) return options_refuse(o, r->text, a, b);
    }
    return true;
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
    if (o->stop || !check_rules(o)) return false;
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

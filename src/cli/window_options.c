#include "window_options.h"

#include <math.h>
#include <string.h>

#include "number.h"

/* Names of statistics; of thresholds alone, if `compare`. */
static const char *statistic_names(name_list *names, bool compare)
{
    sat_statistic_info info;
    *names = (name_list){.used = 0};
    for (size_t i = 0; sat_statistic_at(i, &info); i++)
        if (!compare || info.threshold) name_list_add(names, ", ", "%s", info.name);
    return names->text;
}

static bool named(const char *text, size_t n, sat_statistic_info *info)
{
    for (size_t i = 0; sat_statistic_at(i, info); i++)
        if (strlen(info->name) == n && strncmp(info->name, text, n) == 0) return true;
    return false;
}

/* KEY=VALUE of n characters. */
static bool take_parameter(window_request *r, options *o, const char *option, const char *text, size_t n)
{
    sat_window_output *out = &r->output[r->outputs - 1];
    sat_statistic_info info;
    name_list names = {.used = 0};
    char number[64];
    const size_t key = strcspn(text, "=");
    named(out->statistic, strlen(out->statistic), &info);
    for (unsigned i = 0; i < SAT_PARAMETERS && info.parameter[i].name; i++) {
        const char *name = info.parameter[i].name;
        name_list_add(&names, ", ", "%s", name);
        if (key >= n || strlen(name) != key || strncmp(name, text, key) != 0) continue;
        const size_t digits = n - key - 1;
        if (digits < sizeof number) memcpy(number, text + key + 1, digits), number[digits] = 0;
        const bool positive = info.parameter[i].positive;
        if (digits >= sizeof number ||
            !number_of(number, positive ? NUMBER_REAL : NUMBER_SIGN | NUMBER_REAL, &out->parameter[i]) ||
            (positive && out->parameter[i] == 0))
            return options_refuse(o, "%s: %s=%.*s of %s: a number%s", option, name, (int)digits, text + key + 1,
                                  out->statistic, positive ? " above 0" : "");
        if (out->set >> i & 1) return options_refuse(o, "%s: %s of %s is set twice", option, name, out->statistic);
        out->set |= 1u << i;
        return true;
    }
    if (names.used == 0) return options_refuse(o, "%s: %s has no parameters", option, out->statistic);
    return options_refuse(o, "%s: '%.*s' is no parameter of %s; it has %s", option, (int)n, text, out->statistic,
                          names.text);
}

static bool take_name(window_request *r, options *o, const char *option, bool compare, const char *text, size_t n)
{
    sat_statistic_info info;
    name_list names;
    if (!named(text, n, &info) || (compare && !info.threshold))
        return options_refuse(o, "%s '%.*s': there is no such %s; there are %s", option, (int)n, text,
                              compare ? "threshold" : "statistic", statistic_names(&names, compare));
    if (r->outputs == SAT_OUTPUTS) return options_refuse(o, "%s: at most %d statistics", option, SAT_OUTPUTS);
    for (int i = 0; i < r->outputs; i++)
        if (strcmp(r->output[i].statistic, info.name) == 0)
            return options_refuse(o, "%s: %s is named twice", option, info.name);
    r->output[r->outputs++] = (sat_window_output){.statistic = info.name, .compare = compare};
    return true;
}

/* NAME[:KEY=VALUE...], several with commas between; a comma may stand before a further KEY=VALUE, too. */
static void take_outputs(window_request *r, options *o, const char *option, bool compare, const char *text)
{
    const char *const all = text;
    bool after_colon = false;
    r->given = option;
    for (;;) {
        const size_t n = strcspn(text, ",:");
        const bool parameter = memchr(text, '=', n) != NULL;
        if (parameter && r->outputs == 0) {
            options_refuse(o, "%s '%s': a statistic's name comes first", option, text);
            return;
        }
        if (after_colon && !parameter) {
            options_refuse(o, "%s '%s': a parameter, KEY=VALUE, stands after a colon", option, all);
            return;
        }
        if (!(parameter ? take_parameter(r, o, option, text, n) : take_name(r, o, option, compare, text, n))) return;
        if (text[n] == 0) return;
        after_colon = text[n] == ':';
        text += n + 1;
    }
}

void window_stats(window_request *r, options *o, const char *text)
{
    if (r->outputs > 0)
        options_refuse(o, "--stat and --threshold: one or the other");
    else
        take_outputs(r, o, "--stat", false, text);
}

static void take_min_valid(window_request *r, options *o)
{
    r->given = "--min-valid";
    const size_t n = strlen(optarg);
    char number[64];
    bool ok = n > 0 && n < sizeof number;
    if (ok && optarg[n - 1] == '%') {
        memcpy(number, optarg, n);
        number[n - 1] = 0;
        ok = number_of(number, NUMBER_REAL, &r->min_valid) && r->min_valid > 0 && r->min_valid <= 100;
        r->min_valid = fmin(r->min_valid / 100, nextafter(1, 0)); /* 1 stands for one pixel */
    } else if (ok) {
        int64_t whole;
        ok = parse_int(optarg, 1, INT32_MAX, &whole);
        if (ok) r->min_valid = (double)whole;
        if (!ok) ok = number_of(optarg, NUMBER_REAL, &r->min_valid) && r->min_valid > 0 && r->min_valid < 1;
    }
    if (!ok)
        options_refuse(o, "--min-valid '%s': a number of pixels, a share below 1, or per cent up to 100%%", optarg);
}

bool window_option(window_request *r, options *o, int c)
{
    switch (c) {
    case OPT_THRESHOLD:
        if (r->outputs > 0)
            options_refuse(o, "--stat and --threshold: one or the other");
        else
            take_outputs(r, o, "--threshold", true, optarg);
        return true;
    case OPT_MASK:
        r->given = "--mask";
        r->mask = optarg;
        return true;
    case OPT_NODATA:
        r->given = "--nodata";
        r->nodata_given = true;
        r->skip_nan = strcmp(optarg, "nan") == 0 || strcmp(optarg, "NaN") == 0;
        r->has_nodata = !r->skip_nan && strcmp(optarg, "none") != 0;
        if (r->has_nodata && !number_of(optarg, NUMBER_SIGN | NUMBER_REAL, &r->nodata))
            options_refuse(o, "--nodata '%s': the value of pixels that do not count, nan, or none", optarg);
        return true;
    case OPT_MIN_VALID: take_min_valid(r, o); return true;
    default: return false;
    }
}

/* filter_options.c - the options of statistics of windows. */
#include "filter_options.h"

#include <stdio.h>
#include <string.h>

#include "names.h"
#include "number.h"
#include "text_out.h"

/* Names of statistics; of thresholds alone, if `compare`. */
static const char *statistic_names(name_list *names, bool compare)
{
    sat_statistic_info info;
    *names = (name_list){.used = 0};
    for (size_t i = 0; sat_statistic_at(i, &info); i++)
        if (!compare || info.threshold) name_list_add(names, ", ", "%s", info.name);
    return names->text;
}

/* Adds the name to the list.  Is it the key, of n characters? */
static bool is_key(name_list *names, const char *name, const char *key, size_t n)
{
    name_list_add(names, ", ", "%s", name);
    return strlen(name) == n && strncmp(name, key, n) == 0;
}

/* KEY=VALUE of n characters. */
static bool take_parameter(window_request *r, options *o, const char *option, const char *text, size_t n)
{
    sat_window_output *out = &r->output[r->outputs - 1];
    const sat_statistic_info *info = &r->info[r->outputs - 1];
    name_list names = {.used = 0};
    char number[64];
    const size_t key = strcspn(text, "="), digits = n - key - 1;
    const char *name = NULL;
    double *value = NULL;
    bool positive = true, given = false;
    for (unsigned i = 0; i < SAT_PARAMETERS && info->parameter[i].name; i++) {
        if (!is_key(&names, info->parameter[i].name, text, key)) continue;
        name = info->parameter[i].name;
        value = &out->parameter[i];
        positive = info->parameter[i].positive;
        given = out->set >> i & 1;
        out->set |= 1u << i;
    }
    if (window_reads_range(info) && is_key(&names, WINDOW_RANGE, text, key)) {
        name = WINDOW_RANGE;
        value = &r->range[r->outputs - 1];
        given = *value != 0;
    }
    if (names.used == 0) return options_refuse(o, "%s: %s has no parameters", option, out->statistic);
    if (value == NULL)
        return options_refuse(o, "%s: '%.*s' is no parameter of %s; it has %s", option, (int)n, text, out->statistic,
                              names.text);
    if (given) return options_refuse(o, "%s: %s of %s is set twice", option, name, out->statistic);
    if (digits < sizeof number) memcpy(number, text + key + 1, digits), number[digits] = 0;
    if (digits < sizeof number && number_of(number, positive ? NUMBER_REAL : NUMBER_SIGN | NUMBER_REAL, value) &&
        !(positive && *value == 0))
        return true;
    return options_refuse(o, "%s: %s=%.*s of %s: a number%s", option, name, (int)digits, text + key + 1, out->statistic,
                          positive ? " above 0" : "");
}

static bool take_name(window_request *r, options *o, const char *option, bool compare, const char *text, size_t n)
{
    sat_statistic_info info;
    name_list names;
    if (!window_statistic(text, n, &info) || (compare && !info.threshold)) {
        char near[NEAREST_TEXT];
        const char *what = compare ? "threshold" : "statistic", *all = statistic_names(&names, compare);
        if (nearest_of(all, text, n, near)[0])
            return options_refuse(o, "%s '%.*s': there is no such %s%s", option, (int)n, text, what, near);
        return options_refuse(o, "%s '%.*s': there is no such %s; there are %s", option, (int)n, text, what, all);
    }
    if (r->outputs == SAT_OUTPUTS) return options_refuse(o, "%s: at most %d statistics", option, SAT_OUTPUTS);
    r->info[r->outputs] = info;
    r->output[r->outputs++] = (sat_window_output){.statistic = info.name, .compare = compare};
    return true;
}

void window_outputs(window_request *r, options *o, const char *option, bool compare, const char *text)
{
    const char *const all = text;
    const int before = r->outputs;
    bool after_colon = false;
    for (;;) {
        const size_t n = strcspn(text, ",:");
        const bool parameter = memchr(text, '=', n) != NULL;
        if (parameter && r->outputs == before) {
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

static void add_to_label(char *label, const char *key, double value)
{
    char number[REAL_TEXT_BYTES + 1];
    const size_t used = strlen(label);
    number[real_text(number, value)] = 0;
    snprintf(label + used, LABEL_BYTES - used, "-%s%s", key, number);
}

bool window_label_outputs(window_request *r, options *o)
{
    for (int i = 0; i < r->outputs; i++) {
        const sat_window_output *out = &r->output[i];
        int alike = 0;
        for (int k = 0; k < r->outputs; k++) alike += strcmp(r->output[k].statistic, out->statistic) == 0;
        snprintf(r->label[i], LABEL_BYTES, "%s", out->statistic);
        if (alike == 1) continue;
        for (int k = 0; k < SAT_PARAMETERS; k++)
            if (out->set >> k & 1) add_to_label(r->label[i], r->info[i].parameter[k].name, out->parameter[k]);
        if (r->range[i] != 0) add_to_label(r->label[i], WINDOW_RANGE, r->range[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(r->label[k], r->label[i]) == 0)
                return options_refuse(o, "%s: %s is named twice", out->compare ? "--threshold" : "--stat", r->label[i]);
    }
    return true;
}

void window_min_valid(window_request *r, options *o)
{
    const size_t n = strlen(optarg);
    char number[64];
    bool ok = n > 0 && n < sizeof number;
    if (ok && optarg[n - 1] == '%') {
        memcpy(number, optarg, n);
        number[n - 1] = 0;
        ok = number_of(number, NUMBER_REAL, &r->min_valid) && r->min_valid > 0 && r->min_valid <= 100;
        r->min_valid = r->min_valid < 100 ? r->min_valid / 100 : 1 - 0x1p-53; /* 1 stands for one pixel */
    } else if (ok) {
        int64_t whole;
        ok = parse_int(optarg, 1, INT32_MAX, &whole);
        if (ok) r->min_valid = (double)whole;
        if (!ok) ok = number_of(optarg, NUMBER_REAL, &r->min_valid) && r->min_valid > 0 && r->min_valid < 1;
    }
    if (!ok) options_wrong(o, "a number of pixels, a share below 1, or per cent up to 100%%");
}

/* The lists in the headers' comments are those of the tables: border modes, statistics and their parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sat_window.h"

enum { TEXT_BYTES = 1 << 17, LINE_BYTES = 240 };

static char text[TEXT_BYTES];

static void read_header(const char *name)
{
    const char *root = getenv("SAT_TEST_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/src/lib/%s", root ? root : ".", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("cannot read %s", path);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_in_range(n, 1, sizeof text - 2);
    text[n] = 0;
}

/* The line of a comment that begins at p, without its margin, blanks in a row being one; returns the next one's. */
static const char *line_of(const char *p, char line[LINE_BYTES])
{
    size_t n = 0;
    p += strspn(p, " *");
    for (; *p && *p != '\n'; p++)
        if (n + 1 < LINE_BYTES && !(*p == ' ' && (n == 0 || line[n - 1] == ' '))) line[n++] = *p;
    while (n > 0 && line[n - 1] == ' ') n--;
    line[n] = 0;
    return *p ? p + 1 : p;
}

/* The list whose first line begins with that word: these lines, and then an empty one or the comment's end. */
static void is_listed(const char *header, const char *first, char wants[][LINE_BYTES], int n)
{
    char mark[64], line[LINE_BYTES];
    read_header(header);
    snprintf(mark, sizeof mark, "\n *     %s ", first);
    const char *p = strstr(text, mark);
    if (p == NULL) fail_msg("%s has no list that begins with '%s'", header, first);
    p++;
    for (int i = 0; i < n; i++) {
        p = line_of(p, line);
        if (strcmp(line, wants[i]) != 0) fail_msg("%s lists '%s' where '%s' is line %d", header, line, wants[i], i + 1);
    }
    line_of(p, line);
    if (strcmp(line, "/") != 0 && *line) fail_msg("%s lists '%s', which is none", header, line);
}

static void borders(void **state)
{
    (void)state;
    static char wants[64][LINE_BYTES];
    sat_border_info info;
    int n = 0;
    for (; sat_border_at((size_t)n, &info); n++) snprintf(wants[n], sizeof wants[n], "%s %s", info.name, info.summary);
    assert_true(n > 1);
    assert_true(sat_border_at(0, &info));
    is_listed("sat.h", info.name, wants, n);
}

static void statistics(void **state)
{
    (void)state;
    static char wants[64][LINE_BYTES];
    sat_statistic_info info;
    int n = 0;
    for (; sat_statistic_at((size_t)n, &info); n++) {
        int used = snprintf(wants[n], sizeof wants[n], "%s %s%s", info.name, info.threshold ? "* " : "", info.equation);
        for (int i = 0; i < SAT_PARAMETERS && info.parameter[i].name; i++) {
            const sat_parameter_info *p = &info.parameter[i];
            used +=
                snprintf(wants[n] + used, sizeof wants[n] - (size_t)used, "%s %s %g%s", i ? "," : "", p->name, p->value,
                         p->in_range   ? " of the range"
                         : p->of_range ? " share"
                                       : "");
        }
    }
    assert_true(n > 1);
    assert_true(sat_statistic_at(0, &info));
    is_listed("sat_window.h", info.name, wants, n);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {cmocka_unit_test(borders), cmocka_unit_test(statistics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_locale.c - messages in a program that has chosen a locale with a decimal comma. */
#include <locale.h>

#include "arrays.h"
#undef fail
#include "choose.h"
#include "error.h"

/* Compiles de_DE with localedef, because few machines have it, and chooses it. */
static int use_a_comma(void **state)
{
    static char folder[] = "/tmp/sat-locale-XXXXXX";
    char command[160];
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    const bool made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    if (made) setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static bool has_comma(void)
{
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

static void messages_have_decimal_points(void **state)
{
    const sat_box_spec spec = {.width = 8,
                               .height = 8,
                               .channels = 1,
                               .sample = SAT_U8,
                               .window_width = 3,
                               .window_height = 3,
                               .border = "constant",
                               .border_value = {0.5}};
    sat_box *box;
    error err;
    char text[32];
    (void)state;
    if (!has_comma()) skip();
    assert_int_equal(sat_box_create(&box, &spec), SAT_ERR_ARGUMENT);
    assert_non_null(strstr(sat_detail(), "a border value of 0.5;"));
    assert_false(fail(&err, "level %g", 0.1));
    assert_string_equal(err.text, "level 0.1");
    char note[64] = "x";
    const sat_choice here = {SAT_HOST, 1.5e6, true};
    sat_choice_note(&here, false, true, note, sizeof note);
    assert_string_equal(note, "x (through host memory: copies 1.5 MB)");
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5"); /* the caller's locale is as it was */
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_have_decimal_points)};
    return cmocka_run_group_tests(tests, use_a_comma, NULL);
}

/* A misspelt word finds its name; one that is too far finds none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/cli/names.c"
#include <cmocka.h> /* last: it has a macro fail() */

static const char *nearest(const char *word)
{
    static const char *const names[] = {"",     "box",   "border",  "quality",    "query",
                                        "rect", "rects", "version", "max-pixels", "a-name-of-more-letters-than-fit"};
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (nearer(word, names[i], &least)) best = names[i];
    return best ? best : "none";
}

static void slips(void **state)
{
    (void)state;
    assert_string_equal(nearest("bx"), "box");      /* left out */
    assert_string_equal(nearest("boox"), "box");    /* put in */
    assert_string_equal(nearest("bix"), "box");     /* changed */
    assert_string_equal(nearest("obx"), "box");     /* swapped */
    assert_string_equal(nearest("QUERY"), "query"); /* in capitals */
    assert_string_equal(nearest("quailty"), "quality");
    assert_string_equal(nearest("maxpixels"), "max-pixels");
    assert_string_equal(nearest("reccts"), "rects"); /* of two, the nearer */
    assert_string_equal(nearest("verson"), "version");
    assert_string_equal(nearest("versio"), "version");
}

static void too_far(void **state)
{
    (void)state;
    assert_string_equal(nearest(""), ""); /* no letters are no misspelling, but the empty name itself */
    assert_string_equal(nearest("b"), "none");
    assert_string_equal(nearest("bock"), "none");     /* two of four letters */
    assert_string_equal(nearest("orders"), "border"); /* two of six */
    assert_string_equal(nearest("ordered"), "none");  /* three of seven */
    assert_string_equal(nearest("grayscale"), "none");
    assert_string_equal(nearest("a-name-of-more-letters-than-fits"), "none");
}

static void words_of_options(void **state)
{
    (void)state;
    char word[NEAREST_WORD];
    assert_string_equal(option_word("--box=3", word), "box");
    assert_string_equal(option_word("-box", word), "box");
    assert_string_equal(option_word("--", word), "");
    assert_string_equal(option_word("--a-word-of-more-letters-than-any-option-has", word),
                        "a-word-of-more-letters-than-any");
}

static void words_of_other_tools(void **state)
{
    (void)state;
    assert_string_equal(other_name_of("blur"), "box");
    assert_string_equal(other_name_of("boxes"), "rects");
    assert_null(other_name_of("box"));
    assert_null(other_name_of(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips),
        cmocka_unit_test(too_far),
        cmocka_unit_test(words_of_options),
        cmocka_unit_test(words_of_other_tools),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* names.c - lists of names, and how near a word is to one. */
#include "names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "printable.h"

void name_list_add(name_list *l, const char *between, const char *format, ...)
{
    va_list args;
    if (l->used > 0 && l->used < sizeof l->text)
        l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s", between);
    if (l->used >= sizeof l->text) return;
    va_start(args, format);
    l->used += (size_t)vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
    va_end(args);
}

/* ---- the name that was meant ---------------------------------------------------------------------- */

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* How many letters must be put in, left out, changed, or swapped with their neighbours to make one word of the other
 * (optimal string alignment; Damerau 1964). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t d[NEAREST_WORD][NEAREST_WORD];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t best = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

bool nearer(const char *word, const char *name, size_t *least)
{
    size_t n = strlen(word), m = strlen(name), longer = n > m ? n : m;
    if (longer >= NEAREST_WORD) return false;
    size_t d = distance(word, n, name, m);
    if (d > longer / 3 || d >= *least) return false;
    *least = d;
    return true;
}

const char *nearest_of(const char *list, const char *word, size_t n, char text[NEAREST_TEXT])
{
    char meant[NEAREST_WORD], name[NEAREST_WORD];
    size_t least = SIZE_MAX;
    text[0] = 0;
    snprintf(meant, sizeof meant, "%.*s", (int)(n < sizeof meant ? n : 0), word);
    for (size_t k; *list; list += k + strspn(list + k, ", ")) {
        k = strcspn(list, ", ");
        snprintf(name, sizeof name, "%.*s", (int)k, list);
        if (strcmp(meant, name) == 0) return memset(text, 0, 1);
        if (nearer(meant, name, &least)) snprintf(text, NEAREST_TEXT, "; did you mean %s?", name);
    }
    return text;
}

const char *other_name_of(const char *word)
{
    static const struct {
        const char *there, *here;
    } names[] = {{"blur", "box"},    {"kernel", "box"},  {"ksize", "box"},     {"size", "box"}, {"window", "box"},
                 {"sigma", "gauss"}, {"boxes", "rects"}, {"regions", "rects"}, {"roi", "rect"}, {"region", "rect"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(word, names[k].there) == 0) return names[k].here;
    return NULL;
}

size_t dash_bytes(const char *text)
{
    uint32_t code;
    const size_t n = utf8_bytes(text, &code);
    return (code >= 0x2010 && code <= 0x2015) || code == 0x2212 ? n : 0;
}

const char *option_word(const char *argument, char word[NEAREST_WORD])
{
    argument += strspn(argument, "-");
    snprintf(word, NEAREST_WORD, "%.*s", (int)strcspn(argument, "="), argument);
    return word;
}

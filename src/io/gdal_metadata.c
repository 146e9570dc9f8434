#include "gdal_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BEGIN[] = "<Item", END[] = "</Item>", SAMPLE[] = " sample=\"", OFFSET[] = " role=\"offset\"";

/* Those n characters of the tag that begins an Item; NULL: not in it. */
static char *find(char *tag, size_t n, const char *words)
{
    char *at = strstr(tag, words);
    return at && at < tag + n ? at : NULL;
}

/* Is an offset other than 0 in the text? */
static bool has_offset(const char *text)
{
    const char *at = text;
    bool any = false;
    while (!any && (at = strstr(at, OFFSET))) {
        at += strcspn(at, ">");
        any = *at && strtod(at + 1, NULL) != 0;
    }
    return any;
}

static bool drops(char *item, size_t head, meta_units units)
{
    return find(item, head, " name=\"STATISTICS_") || (units != UNITS_SAME && find(item, head, OFFSET)) ||
           (units == UNITS_OTHER && (find(item, head, " role=\"scale\"") || find(item, head, " role=\"unittype\"")));
}

/* The Item's text without those of its n bytes that are not kept: 0 or more of them. */
static size_t keep_item(char *to, char *item, size_t n, int only, meta_units units)
{
    const size_t head = strcspn(item, ">");
    if (drops(item, head, units)) return 0;
    char *sample = only < 0 ? NULL : find(item, head, SAMPLE), *end = NULL;
    if (sample) {
        sample += strlen(SAMPLE);
        if (strtol(sample, &end, 10) != only || end == sample) return 0; /* no number: of no band */
    }
    const size_t first = sample ? (size_t)(sample - item) : 0, rest = sample ? (size_t)(item + n - end) : n;
    memmove(to, item, first);
    to += first;
    if (sample) *to++ = '0';
    memmove(to, item + n - rest, rest);
    return first + (sample != NULL) + rest;
}

bool gdal_metadata_keep(char *text, int only, meta_units units)
{
    char *to = text, *from = text, *item, *end;
    bool any = false;
    if (units == UNITS_ROOTS) units = has_offset(text) ? UNITS_OTHER : UNITS_SAME;
    while ((item = strstr(from, BEGIN)) && (end = strstr(item, END))) {
        end += strlen(END);
        if (*end == '\n') end++;
        while (item > from && item[-1] == ' ') item--;
        memmove(to, from, (size_t)(item - from));
        to += item - from;
        const size_t kept = keep_item(to, item, (size_t)(end - item), only, units);
        any = any || kept > 0;
        to += kept;
        from = end;
    }
    memmove(to, from, strlen(from) + 1);
    return any;
}

#include "gdal_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BEGIN[] = "<Item", END[] = "</Item>", SAMPLE[] = " sample=\"";

/* Those n characters of the tag that begins an Item; NULL: not in it. */
static char *find(char *tag, size_t n, const char *words)
{
    char *at = strstr(tag, words);
    return at && at < tag + n ? at : NULL;
}

/* The Item's text without those of its n bytes that are not kept: 0 or more of them. */
static size_t keep_item(char *to, char *item, size_t n, int only)
{
    const size_t head = strcspn(item, ">");
    if (find(item, head, " name=\"STATISTICS_")) return 0;
    char *sample = only < 0 ? NULL : find(item, head, SAMPLE), *end = NULL;
    if (sample) {
        sample += strlen(SAMPLE);
        if (strtol(sample, &end, 10) != only) return 0;
    }
    const size_t first = sample ? (size_t)(sample - item) : 0, rest = sample ? (size_t)(item + n - end) : n;
    memmove(to, item, first);
    to += first;
    if (sample) *to++ = '0';
    memmove(to, item + n - rest, rest);
    return first + (sample != NULL) + rest;
}

bool gdal_metadata_keep(char *text, int only)
{
    char *to = text, *from = text, *item, *end;
    bool any = false;
    while ((item = strstr(from, BEGIN)) && (end = strstr(item, END))) {
        end += strlen(END);
        if (*end == '\n') end++;
        while (item > from && item[-1] == ' ') item--;
        memmove(to, from, (size_t)(item - from));
        to += item - from;
        const size_t kept = keep_item(to, item, (size_t)(end - item), only);
        any = any || kept > 0;
        to += kept;
        from = end;
    }
    memmove(to, from, strlen(from) + 1);
    return any;
}

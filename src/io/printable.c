#include "printable.h"

#include <stdio.h>
#include <string.h>

size_t utf8_bytes(const char *string, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)string;
    *code = s[0];
    if (s[0] < 0x80) return 1;
    size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (n > 0) *code &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    bool too_long = (n == 3 && *code < 0x800) || (n == 4 && *code < 0x10000);
    bool no_character = (*code >= 0xd800 && *code <= 0xdfff) || *code > 0x10ffff;
    return too_long || no_character ? 0 : n;
}

bool is_unprintable(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0, 0x1f},        {0x7f, 0x9f},       /* controls */
        {0x61c, 0x61c},   {0x200e, 0x200f},   /* marks of direction */
        {0x2028, 0x202e},                     /* separators of lines and paragraphs; direction, and overrides of it */
        {0x2066, 0x206f},                     /* isolates of a direction; formats that are no longer used */
        {0x180e, 0x180e}, {0x200b, 0x200b},   /* spaces of no width */
        {0x2060, 0x2064}, {0xfeff, 0xfeff},   /* joiners and operators of no width */
        {0xfff9, 0xfffb}, {0xe0000, 0xe007f}, /* annotations; tags, in which text can hide */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

void make_printable(char *string)
{
    while (*string) {
        uint32_t code;
        size_t n = utf8_bytes(string, &code), bytes = n ? n : 1;
        if (n == 0 || is_unprintable(code)) memset(string, '?', bytes);
        string += bytes;
    }
}

const char *printable_name(const char *name, char *buffer)
{
    snprintf(buffer, PRINTABLE_BYTES, "%s", name);
    make_printable(buffer);
    return buffer;
}

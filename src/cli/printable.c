#include "printable.h"

#include <stdio.h>
#include <string.h>

size_t utf8_bytes(const char *string, bool *is_control)
{
    const unsigned char *s = (const unsigned char *)string;
    *is_control = s[0] < ' ' || s[0] == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
    if (s[0] < 0x80) return 1;
    size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool too_long = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool no_character = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return too_long || no_character ? 0 : n;
}

void make_printable(char *string)
{
    while (*string) {
        bool is_control;
        size_t n = utf8_bytes(string, &is_control), bytes = n ? n : 1;
        if (n == 0 || is_control) memset(string, '?', bytes);
        string += bytes;
    }
}

const char *printable_name(const char *name, char *buffer)
{
    snprintf(buffer, PRINTABLE_BYTES, "%s", name);
    make_printable(buffer);
    return buffer;
}

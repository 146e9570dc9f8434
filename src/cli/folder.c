#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *folder_template(const char *folder, const char *format)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/') n--;
    for (size_t i = 0; i < n; i++) {
        if (folder[i] == '{' || folder[i] == '}') fputc(folder[i], to); /* its own braces are doubled */
        fputc(folder[i], to);
    }
    if (format)
        fprintf(to, "/{stem}.%s", format);
    else
        fputs("/{name}", to);
    bool whole = !ferror(to);
    if (fclose(to) == 0 && whole) return text;
    free(text);
    return NULL;
}

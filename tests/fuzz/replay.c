/* replay.c - runs a fuzz target over its corpus, without libFuzzer: `replay_NAME FOLDER`.  Prints TAP. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "source.h"

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static const char *replay(const char *path)
{
    static error err;
    source src;
    if (!source_open(&src, path, &err)) return err.text;
    const char *why = "out of memory";
    uint8_t *copy = malloc(src.n); /* ends where the bytes end, for the sanitizers */
    if (copy) {
        memcpy(copy, src.bytes, src.n);
        why = fuzz.run(copy, src.n);
    }
    free(copy);
    source_close(&src);
    return why;
}

int main(int argc, char **argv)
{
    struct dirent **files;
    int n = argc == 2 ? scandir(argv[1], &files, not_hidden, alphasort) : -1;
    if (n <= 0) {
        printf("1..1\nnot ok 1 - a folder with a corpus\n");
        return 1;
    }
    int failed = 0;
    printf("1..%d\n", n);
    fflush(stdout);
    if (fuzz.begin) fuzz.begin();
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], files[i]->d_name);
        const char *why = replay(path);
        printf("%sok %d - %s%s%s\n", why ? "not " : "", i + 1, files[i]->d_name, why ? ": " : "", why ? why : "");
        fflush(stdout);
        failed += why != NULL;
        free(files[i]);
    }
    free(files);
    return failed != 0;
}

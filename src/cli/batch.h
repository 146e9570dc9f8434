/* batch.h - many inputs, an output for each, and a pool of threads that works through them.
 *
 * Each thread takes whole files, so that decoding, computing and encoding of different files overlap; with
 * fewer files than threads, a file gets its share of them; one alone is given the number as it is, 0 too.  Where
 * descriptors are too few for as many files, fewer are worked on at a time. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "job.h"

typedef struct batch {
    char **inputs, **outputs; /* malloc'd strings */
    size_t n, capacity;
    size_t each; /* outputs of each input, which lie one after the other; 0 = 1 */
} batch;

bool batch_add(batch *b, const char *input, error *err);
/* The names in a file, "-" = standard input: one in each line, or ended by zero bytes.  An empty
 * file adds none. */
bool batch_add_from(batch *b, const char *list, bool zero_ended, error *err);
void batch_free(batch *b);

bool is_folder(const char *path); /* of a directory that is there */

/* The template of outputs in that folder: the names of their inputs, or, with a format's name, that as their
 * extension.  malloc'd; NULL when out of memory. */
char *folder_template(const char *folder, const char *format);

/* Does an output name hold a placeholder? */
bool batch_is_template(const char *output);

/* Sets outputs: one for each input, or for each statistic of windows.  Placeholders: {stem} name without extension,
 * {ext} extension without dot, {name} both, {dir} directory, {n} 1, 2, 3..., {stat} the statistic; {{ and }} are
 * braces. EXIT_USAGE, before any work, if the template is wrong, if two outputs are the same file, or if one would
 * replace another's input; EXIT_INPUT when out of memory. */
int batch_name_outputs(batch *b, const window_request *windows, const char *template, error *err);

/* Runs all; a bad file is reported and does not stop the rest.  Returns the number that failed. */
size_t batch_run(const batch *b, const job *j, int threads, bool quiet);

#endif

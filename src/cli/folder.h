/* folder.h - outputs in a folder keep the names of their inputs. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <stdbool.h>

bool is_folder(const char *path); /* of a directory that is there */

/* The template (batch.h) of outputs in that folder: the names of their inputs, or, with a format's name, that as their
 * extension.  malloc'd; NULL when out of memory. */
char *folder_template(const char *folder, const char *format);

#endif

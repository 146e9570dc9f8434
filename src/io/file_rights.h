/* file_rights.h - copies owner, group and permissions from a file to the one that replaces it. */
#ifndef IO_FILE_RIGHTS_H
#define IO_FILE_RIGHTS_H

#include <sys/stat.h>

#include "error.h"

/* fd: the new file, created with mode 0600.  old_path, old: the file to replace.  Copies group, owner, permission bits,
 * access control list and user.* attributes.  Where the system does not permit a part of that, the permissions become
 * fewer: no user or group gets a right that the old file did not give.  Set-user-ID, set-group-ID and sticky bits are
 * not copied. */
bool file_rights_keep(int fd, const char *old_path, const struct stat *old, error *err);

#endif

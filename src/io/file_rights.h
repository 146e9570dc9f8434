/* file_rights.h - a file that replaces another gets its rights. */
#ifndef IO_FILE_RIGHTS_H
#define IO_FILE_RIGHTS_H

#include <sys/stat.h>

#include "error.h"

/* Gives the file behind fd, which was created with mode 0600, the group, owner, permission bits, access control list
 * and user.* attributes of the file of that path and stat.  What the system does not let this process give is left out,
 * and then the permissions are fewer: no user or group gets a right that the old file did not give.  Set-user-ID,
 * set-group-ID and sticky bits are never given. */
bool file_rights_keep(int fd, const char *old_path, const struct stat *old, error *err);

#endif

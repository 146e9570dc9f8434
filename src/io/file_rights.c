#include "file_rights.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL "system.posix_acl_access"

/* chown(2): a member of a group may set it; only root may set another owner. */
static bool keep_group(int fd, gid_t group)
{
    struct stat own;
    return fstat(fd, &own) == 0 && (own.st_gid == group || fchown(fd, (uid_t)-1, group) == 0);
}

static bool keep_owner(int fd, uid_t owner)
{
    struct stat own;
    return fstat(fd, &own) == 0 && (own.st_uid == owner || fchown(fd, owner, (gid_t)-1) == 0);
}

typedef enum acl { ACL_NONE, ACL_KEPT, ACL_LOST } acl;

static bool says_none(int code)
{
    return code == ENODATA || code == EOPNOTSUPP || code == ENOSYS;
}

/* value: a buffer of XATTR_SIZE_MAX bytes.  If the old file has no list, a default list from the directory is removed
 * from the new one: the permission bits would extend it. */
static acl keep_acl(int fd, const char *old_path, bool group_kept, char *value)
{
    ssize_t n = getxattr(old_path, ACL, value, XATTR_SIZE_MAX);
    if (n >= 0) return group_kept && fsetxattr(fd, ACL, value, (size_t)n, 0) == 0 ? ACL_KEPT : ACL_LOST;
    if (!says_none(errno)) return ACL_LOST;
    return fremovexattr(fd, ACL) == 0 || says_none(errno) ? ACL_NONE : ACL_LOST;
}

static void keep_attributes(int fd, const char *old_path, char *names, char *value)
{
    static const char prefix[] = "user.";
    ssize_t all = listxattr(old_path, names, XATTR_LIST_MAX);
    for (ssize_t at = 0; at < all; at += (ssize_t)strlen(names + at) + 1) {
        if (strncmp(names + at, prefix, sizeof prefix - 1) != 0) continue;
        ssize_t n = getxattr(old_path, names + at, value, XATTR_SIZE_MAX);
        if (n >= 0) fsetxattr(fd, names + at, value, (size_t)n, 0);
    }
}

/* Permission bits for a file whose group could not be kept.  Members of the new group had the rights of others before;
 * members of the old group have them now.  So group and others get the rights that both had. */
static mode_t without_group(mode_t mode)
{
    mode_t shared = (mode >> 3) & mode & 07;
    return (mode & 0700) | shared << 3 | shared;
}

bool file_rights_keep(int fd, const char *old_path, const struct stat *old, error *err)
{
    char *names = malloc(XATTR_LIST_MAX + XATTR_SIZE_MAX);
    if (!names) return fail_memory(err, "out of memory");
    char *value = names + XATTR_LIST_MAX;
    keep_attributes(fd, old_path, names, value);
    bool group_kept = keep_group(fd, old->st_gid);
    acl list = keep_acl(fd, old_path, group_kept, value);
    free(names);

    mode_t mode = old->st_mode & 0777;
    if (list == ACL_LOST)
        mode &= 0700; /* the group's bits are the list's mask, and the list may deny what others have */
    else if (!group_kept)
        mode = without_group(mode);
    if (fchmod(fd, mode) != 0 && errno != EPERM) return fail_errno(err, "cannot keep its permissions");
    (void)keep_owner(fd, old->st_uid); /* on failure this user stays the owner, as of any copy */
    return true;
}

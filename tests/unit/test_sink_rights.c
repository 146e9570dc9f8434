/* A file that replaces another has its rights, or fewer, and never more. */
#include <grp.h>
#include <sys/xattr.h>

#include "sink_test.h"

static void permission_bits_follow_the_old_file_or_the_umask(void **state)
{
    mode_t umask_old = umask(027);
    (void)state;
    write_file("f", "a");
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(chmod("f", 0604), 0);
    write_file("f", "b");
    assert_int_equal(mode_of("f"), 0604);
    umask(umask_old);
    unlink("f");
}

static void the_owner_is_kept(void **state)
{
    struct stat st;
    (void)state;
    if (geteuid() != 0) skip();
    put("f", "old");
    assert_int_equal(chown("f", 1234, 2345), 0);
    assert_int_equal(chmod("f", 0640), 0);
    write_file("f", "new");
    assert_int_equal(stat("f", &st), 0);
    assert_int_equal(st.st_uid, 1234);
    assert_int_equal(st.st_gid, 2345);
    assert_int_equal(st.st_mode & 07777, 0640);
    unlink("f");
}

static void hard_links_part(void **state)
{
    (void)state;
    put("f", "old");
    assert_int_equal(link("f", "g"), 0);
    write_file("f", "new");
    assert_holds("f", "new", 3);
    assert_holds("g", "old", 3);
    unlink("f"), unlink("g");
}

enum { ALICE = 61001, BOB = 61002, USERS = 62001, SECRET = 62002 };

/* BOB, whose group is USERS, replaces the file as a member of SECRET or not. */
static void replace_as_bob(const char *path, bool member)
{
    int status;
    assert_int_equal(chmod(".", 0777), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        gid_t group = SECRET;
        sink *s;
        if (setgroups(member, &group) != 0 || setgid(USERS) != 0 || setuid(BOB) != 0) _exit(1);
        if (!sink_open(&s, path, NULL, &err) || !sink_write(s, "new", 3, &err) || !sink_commit(&s, &err)) _exit(2);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_holds(path, "new", 3);
}

static void put_owned(const char *path, uid_t owner, gid_t group, mode_t mode)
{
    put(path, "old");
    assert_int_equal(chown(path, owner, group), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_rights(const char *path, uid_t owner, gid_t group, mode_t mode)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, owner);
    assert_int_equal(st.st_gid, group);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void a_member_keeps_the_group(void **state)
{
    (void)state;
    if (geteuid() != 0) skip(); /* only root can become BOB */
    put_owned("f", ALICE, SECRET, 0660);
    replace_as_bob("f", true);
    assert_rights("f", BOB, SECRET, 0660);
    unlink("f");
}

/* No right of the group goes to another group, nor one of the others to a member. */
static void without_the_group_its_rights_go(void **state)
{
    static const struct {
        mode_t old, mode;
    } cases[] = {{0660, 0600}, {0640, 0600}, {0664, 0644}, {0666, 0666}, {0644, 0644}, {0606, 0600}, {0646, 0644}};
    (void)state;
    if (geteuid() != 0) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_owned("f", BOB, SECRET, cases[i].old);
        replace_as_bob("f", false);
        assert_rights("f", BOB, USERS, cases[i].mode);
    }
    unlink("f");
}

static void bits_that_change_the_user_are_not_kept(void **state)
{
    (void)state;
    put("f", "old");
    assert_int_equal(chmod("f", 06755), 0);
    write_file("f", "new");
    assert_int_equal(mode_of("f"), 0755);
    unlink("f");
}

/* An access control list as the kernel has it: version 2, then tag, permissions and id of each entry. */
enum { ACL_USER_OBJ = 1, ACL_USER = 2, ACL_GROUP_OBJ = 4, ACL_MASK = 16, ACL_OTHER = 32, ACL_BYTES = 4 + 5 * 8 };

static bool set_acl(const char *path, const char *name, const uint16_t permissions[5])
{
    static const uint16_t tags[] = {ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ, ACL_MASK, ACL_OTHER};
    uint8_t bytes[ACL_BYTES] = {2};
    for (int i = 0; i < 5; i++) {
        uint32_t id = tags[i] == ACL_USER ? ALICE : UINT32_MAX;
        memcpy(bytes + 4 + 8 * i, &tags[i], 2);
        memcpy(bytes + 6 + 8 * i, &permissions[i], 2);
        memcpy(bytes + 8 + 8 * i, &id, 4);
    }
    return setxattr(path, name, bytes, sizeof bytes, 0) == 0;
}

static void access_control_lists_are_kept(void **state)
{
    uint8_t want[ACL_BYTES], have[ACL_BYTES];
    (void)state;
    put("f", "old");
    if (!set_acl("f", "system.posix_acl_access", (uint16_t[]){6, 6, 0, 6, 0})) {
        unlink("f");
        skip();
    }
    assert_int_equal(mode_of("f"), 0660);
    assert_int_equal(getxattr("f", "system.posix_acl_access", want, ACL_BYTES), ACL_BYTES);
    write_file("f", "new");
    assert_int_equal(getxattr("f", "system.posix_acl_access", have, ACL_BYTES), ACL_BYTES);
    assert_memory_equal(have, want, ACL_BYTES);
    assert_int_equal(mode_of("f"), 0660);
    unlink("f");
}

/* The group's bits are the list's mask: without the list they would be rights of the group. */
static void without_its_list_a_file_is_its_owners(void **state)
{
    uint8_t have[ACL_BYTES];
    (void)state;
    if (geteuid() != 0) skip();
    put_owned("f", BOB, SECRET, 0600);
    if (!set_acl("f", "system.posix_acl_access", (uint16_t[]){6, 6, 4, 6, 4})) {
        unlink("f");
        skip();
    }
    replace_as_bob("f", false);
    assert_rights("f", BOB, USERS, 0600);
    assert_int_equal(getxattr("f", "system.posix_acl_access", have, ACL_BYTES), -1);
    unlink("f");
}

/* A directory may give a list to each new file; one that replaces a file without a list has none. */
static void a_directorys_list_adds_no_rights(void **state)
{
    uint8_t have[ACL_BYTES];
    (void)state;
    assert_int_equal(mkdir("d", 0700), 0);
    put("d/f", "old");
    assert_int_equal(chmod("d/f", 0660), 0);
    if (!set_acl("d", "system.posix_acl_default", (uint16_t[]){7, 6, 7, 7, 0})) {
        unlink("d/f"), rmdir("d");
        skip();
    }
    write_file("d/f", "new");
    assert_int_equal(getxattr("d/f", "system.posix_acl_access", have, ACL_BYTES), -1);
    assert_int_equal(mode_of("d/f"), 0660);
    unlink("d/f"), rmdir("d");
}

static void user_attributes_are_kept(void **state)
{
    char have[8] = "";
    (void)state;
    put("f", "old");
    if (setxattr("f", "user.origin", "here", 4, 0) != 0 || setxattr("f", "user.none", "", 0, 0) != 0) {
        unlink("f");
        skip();
    }
    write_file("f", "new");
    assert_int_equal(getxattr("f", "user.origin", have, sizeof have), 4);
    assert_memory_equal(have, "here", 4);
    assert_int_equal(getxattr("f", "user.none", have, sizeof have), 0);
    unlink("f");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        BOTH(permission_bits_follow_the_old_file_or_the_umask),
        BOTH(the_owner_is_kept),
        BOTH(hard_links_part),
        BOTH(a_member_keeps_the_group),
        BOTH(without_the_group_its_rights_go),
        BOTH(bits_that_change_the_user_are_not_kept),
        BOTH(access_control_lists_are_kept),
        BOTH(without_its_list_a_file_is_its_owners),
        BOTH(a_directorys_list_adds_no_rights),
        BOTH(user_attributes_are_kept),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

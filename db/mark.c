/* SPDX-License-Identifier: BSD-3-Clause */
/* mark.c - see mark.h. */
#include "config.h"

#include "db/mark.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/store.h"

struct name {
    char text[CHORALE_UUID_SIZE + 16];
};

static struct name name_of(const char *launch_uuid)
{
    struct name name;

    snprintf(name.text, sizeof(name.text), "/chorale-%s", launch_uuid);
    return name;
}

void chorale_mark_make(const char *launch_uuid)
{
    const struct name name = name_of(launch_uuid);
    int fd = shm_open(name.text, O_RDWR | O_CREAT | O_EXCL, 0600);

    if (fd < 0)
        return;
    /* With memory of its own: a hole might not be filled when it is written. */
    if (posix_fallocate(fd, 0, sizeof(int64_t)) != 0)
        shm_unlink(name.text);
    close(fd);
}

/* Others may make files there, too. */
static int is_ours(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
           st.st_size == (off_t)sizeof(int64_t);
}

volatile int64_t *chorale_mark_open(const char *launch_uuid)
{
    const struct name name = name_of(launch_uuid);
    int fd = shm_open(name.text, O_RDWR, 0);
    void *at = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (is_ours(fd))
        at = mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
                  fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

void chorale_mark_close(volatile int64_t *mark)
{
    if (mark != NULL)
        munmap((void *)mark, sizeof(*mark));
}

int64_t chorale_mark_read(const char *launch_uuid)
{
    const struct name name = name_of(launch_uuid);
    int fd = shm_open(name.text, O_RDONLY, 0);
    int64_t cell = CHORALE_MARK_ANY;

    if (fd < 0)
        return cell;
    if (!is_ours(fd) ||
        read(fd, &cell, sizeof(cell)) != (ssize_t)sizeof(cell))
        cell = CHORALE_MARK_ANY;
    close(fd);
    return cell;
}

void chorale_mark_drop(const char *launch_uuid)
{
    const struct name name = name_of(launch_uuid);

    shm_unlink(name.text);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_file.c - the lock file beside a database. */
#include "config.h"

#include "db/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "db/store.h"

#define NAP 0.05       /* s between two looks at the lock of another process */
#define EMPTY_AFTER 1.0 /* s after which an empty lock file is stale: its
                        * process was killed between creating and writing it */

/* A process, as its lock file names it. It can be looked up in /proc if it has
 * the boot and the PID namespace of this process. */
struct holder {
    char text[400];          /* the line of the file; "" if it is empty */
    char host[128], boot[64];
    long pid;
    unsigned long long space, start;
    struct timespec renewed;
};

enum state { GONE, OURS, ALIVE, ENDED, ELSEWHERE, EMPTY };

struct chorale_lock_file {
    char name[PATH_MAX];
    int fd, end;             /* end: readable when the renewer must end */
    int renewing;            /* 1: the thread runs */
    pthread_t renewer;
};

/* --- processes -------------------------------------------------------- */

/* Start of a process in clock ticks since boot; 0: unknown, or no such process.
 * *zombie: 1 if it has ended but was not waited for. */
static unsigned long long start_of(long pid, int *zombie)
{
    char path[64], line[1024] = "", *at, state = '?';
    unsigned long long start = 0;
    FILE *in;

    *zombie = 0;
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    in = fopen(path, "re");
    if (in == NULL)
        return 0;
    /* The name of the program, in parentheses, may contain anything. */
    if (fgets(line, sizeof(line), in) != NULL &&
        (at = strrchr(line, ')')) != NULL &&
        sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u"
               " %*d %*d %*d %*d %*d %*d %llu", &state, &start) != 2)
        start = 0;
    fclose(in);
    *zombie = state == 'Z' || state == 'X';
    return start;
}

static void describe_self(struct holder *self)
{
    struct utsname name;
    struct stat space;
    char now[32];
    int zombie;
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");

    memset(self, 0, sizeof(*self));
    snprintf(self->host, sizeof(self->host), "%s",
             uname(&name) == 0 && name.nodename[0] != '\0' ? name.nodename
                                                           : "unknown");
    if (in == NULL || fscanf(in, "%63s", self->boot) != 1)
        snprintf(self->boot, sizeof(self->boot), "%.63s", self->host);
    if (in != NULL)
        fclose(in);
    if (stat("/proc/self/ns/pid", &space) == 0)
        self->space = (unsigned long long)space.st_ino;
    self->pid = getpid();
    self->start = start_of(self->pid, &zombie);
    chorale_time_now(now);
    snprintf(self->text, sizeof(self->text), "%s %ld %s %llu %llu %s\n",
             self->host, self->pid, self->boot, self->space, self->start, now);
}

static enum state judge(const struct holder *self, const struct holder *other)
{
    unsigned long long start;
    int zombie;

    if (strcmp(self->boot, other->boot) != 0 || self->space != other->space)
        return ELSEWHERE;
    start = start_of(other->pid, &zombie);
    if (zombie || (start != 0 && start != other->start))
        return ENDED;
    if (other->pid == self->pid)
        return OURS;
    /* The system may hide processes of other users. */
    return start != 0 || kill((pid_t)other->pid, 0) == 0 || errno != ESRCH
               ? ALIVE : ENDED;
}

/* Read the lock file of that name into *other, and judge its process. */
static enum state look(const char *name, const struct holder *self,
                       struct holder *other)
{
    struct stat st;
    ssize_t got;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    memset(other, 0, sizeof(*other));
    snprintf(other->host, sizeof(other->host), "another host");
    if (fd < 0) { /* missing, or of a user whose files are not readable */
        if (lstat(name, &st) != 0)
            return GONE;
        other->renewed = st.st_mtim;
        return ELSEWHERE;
    }
    got = read(fd, other->text, sizeof(other->text) - 1);
    if (fstat(fd, &st) == 0)
        other->renewed = st.st_mtim;
    close(fd);
    if (got <= 0 ||
        sscanf(other->text, "%127s %ld %63s %llu %llu", other->host,
               &other->pid, other->boot, &other->space, &other->start) != 5)
        return EMPTY;
    return judge(self, other);
}

/* Seconds since the last renewal. */
static double silence(const struct holder *other)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)(now.tv_sec - other->renewed.tv_sec) +
           1e-9 * (double)(now.tv_nsec - other->renewed.tv_nsec);
}

/* --- the file --------------------------------------------------------- */

/* The name of a database's lock file, the same for all links to the database.
 * Returns 0, or -1 if the name is too long or the database does not exist. */
static int name_of(const char *path, char name[PATH_MAX])
{
    char *real = realpath(path, NULL);
    int len = real != NULL ? snprintf(name, PATH_MAX, "%s.lock", real) : -1;

    free(real);
    return len > 0 && len < PATH_MAX ? 0 : -1;
}

/* Remove a stale file. Another process may have removed it first and made its
 * own lock: a lock with another text is put back. Returns 0, or -1. */
static int remove_stale(const char *name, const struct holder *self,
                        const struct holder *stale)
{
    char aside[PATH_MAX + 32];
    struct holder moved;

    snprintf(aside, sizeof(aside), "%s-%ld", name, self->pid);
    if (rename(name, aside) != 0)
        return errno == ENOENT ? 0 : -1;
    look(aside, self, &moved);
    if (strcmp(moved.text, stale->text) != 0 && link(aside, name) != 0 &&
        errno != EEXIST)
        return rename(aside, name);
    return unlink(aside);
}

static void *renew(void *arg)
{
    const struct chorale_lock_file *lock = arg;
    struct pollfd end = { lock->end, POLLIN, 0 };

    while (poll(&end, 1, 1000 * CHORALE_LOCK_RENEWED) <= 0)
        futimens(lock->fd, NULL);
    return NULL;
}

/* Start the thread that renews the lock. It blocks all signals, so that the
 * main thread receives them. */
static void start_renewer(struct chorale_lock_file *lock)
{
    sigset_t all, before;

    lock->end = eventfd(0, EFD_CLOEXEC);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    lock->renewing = lock->end >= 0 &&
                     pthread_create(&lock->renewer, NULL, renew, lock) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Create the file. Returns 0, or -1 with errno. */
static int create(struct chorale_lock_file *lock, const struct holder *self)
{
    ssize_t len = (ssize_t)strlen(self->text);

    lock->fd = open(lock->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (lock->fd < 0)
        return -1;
    if (write(lock->fd, self->text, (size_t)len) == len) {
        start_renewer(lock);
        return 0;
    }
    unlink(lock->name);
    close(lock->fd);
    errno = ENOSPC;
    return -1;
}

/* Wait for another process. Returns 1 when the lock can be tried again, 0 if
 * its holder still lives after `seconds`, -1 if a stale lock cannot be removed.
 * If a holder on another host does not renew its lock, wait until the lock is
 * stale. */
static int wait_for(const char *name, const struct holder *self,
                    struct holder *other, double seconds)
{
    const struct timespec nap = { 0, (long)(1e9 * NAP) };
    struct holder first;
    enum state state = look(name, self, &first);

    *other = first;
    for (double waited = 0;; waited += NAP) {
        int renewed = memcmp(&first.renewed, &other->renewed,
                             sizeof(first.renewed)) != 0;

        if (state == GONE || strcmp(first.text, other->text) != 0)
            return 1; /* removed, or replaced by another lock */
        if (state == ENDED || (state == EMPTY && waited > EMPTY_AFTER) ||
            (state == ELSEWHERE &&
             (silence(other) > CHORALE_LOCK_SILENT ||
              (!renewed && waited > CHORALE_LOCK_SILENT))))
            return remove_stale(name, self, other) == 0 ? 1 : -1;
        if (waited >= seconds && (state == ALIVE || renewed))
            return 0;
        nanosleep(&nap, NULL);
        state = look(name, self, other);
    }
}

enum chorale_err chorale_lock_file_take(const char *path, double seconds,
                                        struct chorale_lock_file **lock_p,
                                        struct chorale_errmsg *msg)
{
    struct chorale_lock_file *lock = calloc(1, sizeof(*lock));
    struct holder self, other;
    int again = 1;

    *lock_p = NULL;
    if (lock == NULL)
        return chorale_fail_memory(msg, path);
    describe_self(&self);
    if (name_of(path, lock->name) != 0) {
        free(lock);
        return CHORALE_OK;
    }
    while (again == 1) {
        if (create(lock, &self) == 0) {
            *lock_p = lock;
            return CHORALE_OK;
        }
        if (errno != EEXIST || look(lock->name, &self, &other) == OURS) {
            free(lock);
            return CHORALE_OK;
        }
        again = wait_for(lock->name, &self, &other, seconds);
    }
    chorale_fail(msg, CHORALE_ENV,
                 again == 0 ? "%s: process %ld on %s is working on it; wait "
                              "for it or end it, then repeat the command"
                            : "%s: the lock of process %ld on %s, which has "
                              "ended, cannot be removed; remove FILE.lock",
                 path, other.pid, other.host);
    free(lock);
    return CHORALE_ENV;
}

void chorale_lock_file_release(struct chorale_lock_file *lock)
{
    const uint64_t one = 1;
    struct stat ours, there;

    if (lock == NULL)
        return;
    if (lock->renewing &&
        write(lock->end, &one, sizeof(one)) == (ssize_t)sizeof(one))
        pthread_join(lock->renewer, NULL);
    if (fstat(lock->fd, &ours) == 0 && stat(lock->name, &there) == 0 &&
        ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        unlink(lock->name);
    if (lock->end >= 0)
        close(lock->end);
    close(lock->fd);
    free(lock);
}

int chorale_lock_file_held(const char *path)
{
    struct holder self, other;
    char name[PATH_MAX];
    enum state state;

    if (name_of(path, name) != 0 || access(name, F_OK) != 0)
        return 0;
    describe_self(&self);
    state = look(name, &self, &other);
    return state == ALIVE || state == EMPTY ||
           (state == ELSEWHERE && silence(&other) <= CHORALE_LOCK_SILENT);
}

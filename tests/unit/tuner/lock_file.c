/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_file.c - lock files of this process, other processes and other hosts,
 * without locks of the file system. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db/lock_file.h"
#include "tests/tap.h"

static char db[] = "lock_file-test-XXXXXX", name[sizeof(db) + 8];

static int there(void)
{
    return access(name, F_OK) == 0;
}

/* Take the lock without waiting and release it: 1 if it was taken, 0 if
 * another process has it, 2 if no file was made. */
static int take(struct chorale_errmsg *msg)
{
    struct chorale_lock_file *lock = NULL;
    enum chorale_err err = chorale_lock_file_take(db, 0.1, &lock, msg);
    int made = there();

    if (err != CHORALE_OK)
        return 0;
    chorale_lock_file_release(lock);
    return lock != NULL && made ? 1 : 2;
}

/* Start a process that holds the lock until it is killed. */
static pid_t start_holder(void)
{
    struct chorale_lock_file *lock = NULL;
    int ready[2];
    char c;
    pid_t pid;

    if (pipe(ready) != 0 || (pid = fork()) < 0)
        exit(99);
    if (pid == 0) {
        if (chorale_lock_file_take(db, 0, &lock, NULL) != CHORALE_OK)
            _exit(1);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    if (read(ready[0], &c, 1) != 1)
        exit(99);
    close(ready[0]);
    return pid;
}

static void write_lock(const char *text, int age)
{
    struct timespec time[2];
    FILE *out = fopen(name, "w");

    if (out == NULL)
        exit(99);
    fputs(text, out);
    fclose(out);
    clock_gettime(CLOCK_REALTIME, &time[0]);
    time[0].tv_sec -= age;
    time[1] = time[0];
    utimensat(AT_FDCWD, name, time, 0);
}

static void read_lock(char *text, size_t size)
{
    FILE *in = fopen(name, "r");

    text[0] = '\0';
    if (in != NULL && fgets(text, (int)size, in) == NULL)
        text[0] = '\0';
    if (in != NULL)
        fclose(in);
}

static void test_processes(void)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_lock_file *lock = NULL;
    char text[400], pid_text[48];
    pid_t pid;

    tap_ok(take(&msg) == 1 && !there(), "a lock is made and removed");
    pid = start_holder();
    snprintf(pid_text, sizeof(pid_text), ": process %ld on ", (long)pid);
    tap_ok(take(&msg) == 0 && strstr(msg.text, pid_text) != NULL,
           "a living process keeps its lock, and is named: %s", msg.text);
    tap_ok(chorale_lock_file_held(db), "the lock of a living process is held");
    read_lock(text, sizeof(text));
    kill(pid, SIGKILL);
    tap_ok(take(&msg) == 1 || waitpid(pid, NULL, WNOHANG) == 0,
           "a killed process that was not waited for has ended");
    waitpid(pid, NULL, 0);
    write_lock(text, 0);
    tap_ok(!chorale_lock_file_held(db), "the lock of a killed process is stale");
    tap_ok(take(&msg) == 1 && !there(), "such a lock is replaced at once");

    chorale_lock_file_take(db, 0, &lock, &msg);
    tap_ok(lock != NULL && take(&msg) == 2 && there(),
           "a process may take its own lock twice");
    tap_ok(!chorale_lock_file_held(db), "a process does not see its own lock");
    /* The same number, but another start: another process. */
    read_lock(text, sizeof(text));
    chorale_lock_file_release(lock);
    {
        char host[128], boot[64], other[400];
        unsigned long long space, start;
        long number;

        if (sscanf(text, "%127s %ld %63s %llu %llu", host, &number, boot,
                   &space, &start) != 5)
            start = 0;
        snprintf(other, sizeof(other), "%s %ld %s %llu %llu then\n", host,
                 number, boot, space, start + 1);
        write_lock(other, 0);
    }
    tap_ok(take(&msg) == 1, "a process number that is used again is stale");
}

/* Renew the lock every 50 ms from another process. */
static pid_t start_renewing(void)
{
    pid_t pid = fork();

    while (pid == 0) {
        utimensat(AT_FDCWD, name, NULL, 0);
        nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
    }
    return pid;
}

static void test_hosts(void)
{
    static const char text[] = "n2 77 another-boot 1 1 then\n";
    struct chorale_errmsg msg = { "" };
    struct chorale_lock_file *lock = NULL;
    pid_t pid;

    write_lock(text, 2 * CHORALE_LOCK_SILENT);
    tap_ok(!chorale_lock_file_held(db), "a silent lock of a host is stale");
    tap_ok(take(&msg) == 1, "a silent lock of a host is replaced");
    write_lock(text, 0);
    tap_ok(chorale_lock_file_held(db), "a young lock of a host is held");
    pid = start_renewing();
    tap_ok(take(&msg) == 0 && strstr(msg.text, "process 77 on n2") != NULL,
           "a lock that is renewed is kept: %s", msg.text);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    unlink(name);

    chorale_lock_file_take(db, 0, &lock, &msg);
    unlink(name);
    write_lock(text, 0);
    chorale_lock_file_release(lock);
    tap_ok(there(), "a lock that replaced the own one is not removed");
    unlink(name);

    write_lock("", 0);
    tap_ok(take(&msg) == 1, "a file without text is stale after a second");
}

int main(void)
{
    int fd = mkstemp(db);

    if (fd < 0)
        return 99;
    close(fd);
    snprintf(name, sizeof(name), "%s.lock", db);
    test_processes();
    test_hosts();
    unlink(name);
    unlink(db);
    return tap_done();
}

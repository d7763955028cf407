/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm_queue.c - caches squeue's answer for all commands of a user. */
#include "config.h"

#include "tuner/slurm/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MAX (8 << 20)

/* --- location of the cache ---------------------------------------------- */

/* Find the value of a line "ClusterName=NAME" in a file. */
static int cluster_in(const char *file, char *name, size_t size)
{
    char line[512], value[64];
    FILE *in = fopen(file, "r");
    int found = 0;

    if (in == NULL)
        return 0;
    while (!found && fgets(line, sizeof(line), in) != NULL) {
        const char *at = line + strspn(line, " \t");

        found = strncasecmp(at, "ClusterName", 11) == 0 &&
                sscanf(at + 11, " = %63[A-Za-z0-9_.-]", value) == 1;
    }
    fclose(in);
    if (found)
        snprintf(name, size, "%s", value);
    return found;
}

/* Find the cluster whose queue squeue shows, as a word for a file name. If the
 * configuration cannot be read, this host's name is used. */
static void find_cluster(char *name, size_t size)
{
    const char *chosen = getenv("SLURM_CLUSTERS"), *conf = getenv("SLURM_CONF");
    const char *file[] = { conf, "/etc/slurm/slurm.conf",
                           "/run/slurm/conf/slurm.conf",
                           "/etc/slurm-llnl/slurm.conf" };

    snprintf(name, size, "%s", chosen != NULL ? chosen : "");
    for (size_t i = 0; i < sizeof(file) / sizeof(file[0]) && name[0] == '\0';
         i++)
        if (file[i] != NULL && !cluster_in(file[i], name, size) && i == 0)
            break;
    if (name[0] == '\0' && gethostname(name, size - 1) != 0)
        snprintf(name, size, "cluster");
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && strchr("_.-", *name) == NULL)
            *name = '_';
}

/* Make a folder, if needed, that only this user can write. Returns 1 on
 * success. */
static int own_folder(const char *name)
{
    struct stat st;

    return (mkdir(name, 0700) == 0 || errno == EEXIST) &&
           lstat(name, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && (st.st_mode & 022) == 0 &&
           access(name, W_OK | X_OK) == 0;
}

/* Find chorale's folder in the user's cache folder. Returns 0 without one. */
static int find_cache(char *name, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char top[PATH_MAX];
    int length;

    if (cache != NULL && cache[0] == '/')
        length = snprintf(top, sizeof(top), "%s", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(top, sizeof(top), "%s/.cache", home);
    else
        return 0;
    if (length >= (int)sizeof(top) ||
        snprintf(name, size, "%s/chorale", top) >= (int)size)
        return 0;
    /* The first program to use the cache folder makes it. */
    if (mkdir(top, 0700) != 0 && errno != EEXIST)
        return 0;
    return own_folder(name);
}

/* The cache file, shared by all of a user's databases. Without a cache folder
 * it is in the folder of this database's submissions. */
static void place(const char *folder, char *file, size_t size)
{
    char cache[PATH_MAX], cluster[64];

    if (find_cache(cache, sizeof(cache))) {
        find_cluster(cluster, sizeof(cluster));
        snprintf(file, size, "%s/squeue-%s.txt", cache, cluster);
    } else {
        snprintf(file, size, "%s/squeue.txt", folder);
    }
}

/* --- squeue or its cached answer ----------------------------------------- */

int chorale_slurm_recent(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return fabs((double)(now.tv_sec - then->tv_sec) +
                1e-9 * (double)(now.tv_nsec - then->tv_nsec)) <
           CHORALE_SLURM_POLL;
}

/* The text of a recent cache file of this user, or NULL; other users have other
 * jobs. The file server's clock may differ. */
static char *recent(const char *file)
{
    struct stat st;
    char *text = NULL;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    size_t got;

    if (in == NULL) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_uid == geteuid() && st.st_size < ANSWER_MAX &&
        chorale_slurm_recent(&st.st_mtim))
        text = calloc(1, (size_t)st.st_size + 1);
    if (text != NULL) {
        got = fread(text, 1, (size_t)st.st_size, in);
        text[got] = '\0';
    }
    fclose(in);
    return text;
}

/* Replace the cache atomically. A failure is ignored: other commands then ask
 * squeue themselves. times sets the file's age; NULL means now. */
static void keep(const char *file, const char *text,
                 const struct timespec times[2])
{
    char name[4200];
    FILE *out;
    int fd;

    if (snprintf(name, sizeof(name), "%s.XXXXXX", file) >= (int)sizeof(name))
        return;
    fd = mkstemp(name);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    fputs(text, out);
    if (fclose(out) != 0 ||
        (times != NULL && utimensat(AT_FDCWD, name, times, 0) != 0) ||
        rename(name, file) != 0)
        unlink(name);
}

/* Lock the right to ask squeue until the descriptor is closed. Returns -1 if no
 * lock is possible: a folder of another user, a file system without locks, a
 * signal. */
static int take_turn(const char *file)
{
    char name[4200];
    int fd;

    if (snprintf(name, sizeof(name), "%s.lock", file) >= (int)sizeof(name))
        return -1;
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Marks a cached failure; squeue's answers never begin so. */
static const char failed[] = "! ";

static enum chorale_err ask_queue(const char *file,
                                  struct chorale_slurm_queue *queue,
                                  struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char note[sizeof(msg->text) + sizeof(failed)];
    enum chorale_err err;

    chorale_args_add(&args, "squeue");
    chorale_args_add(&args, "--noheader");
    chorale_args_add(&args, "--array");
    chorale_args_add(&args, "--me");
    chorale_args_add(&args, "--format=%%F %%K %%T %%r");
    err = chorale_slurm_run(&args, &queue->text, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        snprintf(note, sizeof(note), "%s%s", failed, msg->text);
    keep(file, err == CHORALE_OK ? queue->text : note, NULL);
    return err;
}

enum chorale_err chorale_slurm_squeue(const char *folder,
                                      struct chorale_slurm_queue *queue,
                                      struct chorale_errmsg *msg)
{
    char file[PATH_MAX + 80];
    int turn;
    enum chorale_err err = CHORALE_OK;

    place(folder, file, sizeof(file));
    turn = take_turn(file);

    queue->text = recent(file);
    if (queue->text == NULL) {
        err = ask_queue(file, queue, msg);
    } else if (strncmp(queue->text, failed, strlen(failed)) == 0) {
        err = chorale_fail(msg, CHORALE_ENV, "%s",
                           queue->text + strlen(failed));
        chorale_slurm_queue_free(queue);
    }
    if (turn >= 0)
        close(turn);
    return err;
}

void chorale_slurm_submitted(const char *folder, const char *lines)
{
    char file[PATH_MAX + 80], *text, *both = NULL;
    struct stat st;
    int turn;

    place(folder, file, sizeof(file));
    turn = take_turn(file);
    text = recent(file);
    if (text != NULL && strncmp(text, failed, strlen(failed)) != 0 &&
        stat(file, &st) == 0 && asprintf(&both, "%s%s", text, lines) >= 0) {
        const struct timespec old[2] = { st.st_mtim, st.st_mtim };

        keep(file, both, old);
        free(both);
    }
    free(text);
    if (turn >= 0)
        close(turn);
}

int chorale_slurm_may_retry(enum chorale_err looked, long long now,
                            long long *since_p)
{
    if (looked == CHORALE_OK) {
        *since_p = 0;
        return 1;
    }
    if (*since_p == 0)
        *since_p = now;
    return now - *since_p < CHORALE_SLURM_PATIENCE;
}

void chorale_slurm_queue_free(struct chorale_slurm_queue *queue)
{
    free(queue->text);
    queue->text = NULL;
}

int chorale_slurm_state(const struct chorale_slurm_queue *queue,
                        const char *job_id, long task, char *text, size_t size)
{
    const char *line = queue->text != NULL ? queue->text : "";

    for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char job[32], index[32], state[32], reason[96] = "";

        if (sscanf(line, "%31s %31s %31s %95[^\n]", job, index, state,
                   reason) < 3 ||
            strcmp(job, job_id) != 0 ||
            (task >= 0 && (!isdigit((unsigned char)index[0]) ||
                           strtol(index, NULL, 10) != task)))
            continue;
        if (reason[0] == '\0' || strcmp(reason, "None") == 0)
            snprintf(text, size, "%s", state);
        else
            snprintf(text, size, "%s (%s)", state, reason);
        return 1;
    }
    return 0;
}

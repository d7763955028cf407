/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot.c - run gnuplot on an installed plot script without a shell: it
 * receives an argument vector and files with safe names. */
#include "config.h"

#include "tuner/base/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/process.h"

void chorale_gnuplot_label(char *out, size_t size, const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0' && i + 1 < size; i++) {
        unsigned char c = (unsigned char)text[i];

        out[i] =
            c >= ' ' && c < 127 && strchr("\"'`\\", c) == NULL ? text[i] : '?';
    }
    out[i] = '\0';
}

void chorale_gnuplot_file_name(char *out, size_t size, const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0' && i + 1 < size; i++) {
        unsigned char c = (unsigned char)text[i];
        int fits = c < 128 && (isalnum(c) || c == '_' ||
                               (i > 0 && (c == '.' || c == '-')));

        out[i] = fits ? text[i] : '_';
    }
    out[i] = '\0';
}

/* Store the absolute name of dir/sub/name in path. Returns 1 if readable. */
static int try_script(const char *dir, const char *sub, const char *name,
                      char *path, size_t size)
{
    char text[PATH_MAX], real[PATH_MAX];
    int len = snprintf(text, sizeof(text), "%s/%s%s", dir, sub, name);

    if (len < 0 || (size_t)len >= sizeof(text) || access(text, R_OK) != 0 ||
        realpath(text, real) == NULL || strlen(real) >= size)
        return 0;
    strcpy(path, real);
    return 1;
}

/* Look in the build folder, for a program that is not installed. */
static int try_build(const char *name, char *path, size_t size)
{
    char exe[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    char *slash;

    if (len <= 0)
        return 0;
    exe[len] = '\0';
    slash = strrchr(exe, '/');
    if (slash == NULL)
        return 0;
    *slash = '\0';
    return try_script(exe, "share/", name, path, size) ||
           try_script(exe, "../share/", name, path, size);
}

enum chorale_err chorale_gnuplot_script(const char *name, char *path,
                                        size_t size,
                                        struct chorale_errmsg *msg)
{
    const char *dir = getenv("CHORALE_DATADIR");

    if (dir != NULL && dir[0] != '\0') {
        if (try_script(dir, "", name, path, size))
            return CHORALE_OK;
        return chorale_fail(msg, CHORALE_ENV,
                            "CHORALE_DATADIR: %s/%s cannot be read; set it to "
                            "the folder of the plot scripts, or unset it",
                            dir, name);
    }
    if (try_build(name, path, size) ||
        try_script(PKGDATADIR, "", name, path, size))
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_ENV,
                        "%s/%s cannot be read; install chorale, or set "
                        "CHORALE_DATADIR to the folder of the plot scripts",
                        PKGDATADIR, name);
}

/* The child process: stdin and stdout are /dev/null, stderr is err_fd. If exec
 * fails, its errno is written to exec_fd. Never returns. */
static void child(const char *dir, char **argv, int err_fd, int exec_fd)
{
    int null = open("/dev/null", O_RDWR), code;

    if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 &&
        dup2(err_fd, 2) >= 0 && chdir(dir) == 0)
        execvp(argv[0], argv);
    code = errno;
    if (write(exec_fd, &code, sizeof(code)) < 0)
        _exit(126);
    _exit(127);
}

/* Read fd to its end and keep the last line that is not blank. Before its error
 * message, gnuplot prints the faulty line and a caret. */
static void read_error_line(int fd, char *text, size_t size)
{
    char buf[4096], line[256];
    size_t used = 0;
    ssize_t got;

    text[0] = '\0';
    while ((got = read(fd, buf, sizeof(buf))) > 0 ||
           (got < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < got; i++) {
            if (buf[i] != '\n' && used + 1 < sizeof(line)) {
                if (used > 0 || buf[i] != ' ')
                    line[used++] =
                        isprint((unsigned char)buf[i]) ? buf[i] : '?';
            } else if (buf[i] == '\n') {
                line[used] = '\0';
                if (used > 1)
                    snprintf(text, size, "%s", line);
                used = 0;
            }
        }
    }
}

static pid_t wait_for(pid_t pid, int *status)
{
    pid_t got;

    do
        got = waitpid(pid, status, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Ctrl-C in a terminal reaches gnuplot too; its message is then not an
 * error. */
static int was_stopped(int status)
{
    return chorale_stop_requested() ||
           (status != -1 && WIFSIGNALED(status) &&
            (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM));
}

/* Two close-on-exec pipes; 0, or -1 with errno set. */
static int make_pipes(int err_pipe[2], int exec_pipe[2])
{
    if (pipe2(err_pipe, O_CLOEXEC) != 0)
        return -1;
    if (pipe2(exec_pipe, O_CLOEXEC) == 0)
        return 0;
    close(err_pipe[0]);
    close(err_pipe[1]);
    return -1;
}

enum chorale_err chorale_gnuplot_run(const char *dir, char **argv,
                                     int *missing_p,
                                     struct chorale_errmsg *msg)
{
    const char *program = getenv("GNUPLOT");
    int err_pipe[2], exec_pipe[2], status = 0, code = 0;
    char name[PATH_MAX], complaint[256];
    ssize_t got;
    pid_t pid;

    snprintf(name, sizeof(name), "%s",
             program != NULL && program[0] != '\0' ? program : "gnuplot");
    argv[0] = name;
    if (make_pipes(err_pipe, exec_pipe) != 0)
        return chorale_fail_system(msg, "pipe", errno);
    pid = fork();
    if (pid == 0)
        child(dir, argv, err_pipe[1], exec_pipe[1]);
    close(err_pipe[1]);
    close(exec_pipe[1]);
    if (pid < 0)
        code = errno;
    else {
        do
            got = read(exec_pipe[0], &code, sizeof(code));
        while (got < 0 && errno == EINTR);
        read_error_line(err_pipe[0], complaint, sizeof(complaint));
        if (wait_for(pid, &status) < 0)
            status = -1;
    }
    close(err_pipe[0]);
    close(exec_pipe[0]);
    if (code != 0) {
        *missing_p = 1;
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: %s; install gnuplot 5.2 or newer, or set "
                            "GNUPLOT to its path",
                            name, strerror(code));
    }
    if (status != 0 && was_stopped(status))
        return chorale_fail(msg, CHORALE_STOPPED, "gnuplot: stopped; repeat "
                            "the command");
    if (status != 0)
        return chorale_fail(msg, CHORALE_ENV, "%s failed: %s; install gnuplot "
                            "5.2 or newer, or set GNUPLOT to its path", name,
                            complaint[0] != '\0' ? complaint : "no reason");
    return CHORALE_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - start child processes, read their output, end them. */
#include "config.h"

#include "tuner/base/process.h"
#include "tuner/base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS 5.0
#define KILL_MS 2000      /* from SIGTERM or SIGINT to SIGKILL */
#define SOON_MS 1000      /* the same, if SIGTERM also ends this process */
#define LINE 4096

static volatile sig_atomic_t stop_flag;
static double deadline; /* by chorale_seconds(); 0: unset */
static char gentle_file[PATH_MAX]; /* "": a stop ends children at once */
static double usr1_seconds, term_seconds;

/* SIGUSR1 (a time limit is near) never replaces an earlier, more urgent signal:
 * a job that was cancelled must not be requeued. */
static void on_stop(int sig)
{
    if (sig != SIGUSR1 || stop_flag == 0)
        stop_flag = sig;
}

void chorale_stop_catch(void)
{
    struct sigaction sa = { .sa_handler = on_stop };

    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    sigaction(SIGUSR1, &sa, NULL); /* sent by Slurm ahead of the time limit */
}

int chorale_stop_requested(void)
{
    return stop_flag == 0 && deadline > 0 && chorale_seconds() > deadline
               ? SIGALRM
                                                              : stop_flag;
}

void chorale_stop_after(double seconds)
{
    deadline = seconds > 0 ? chorale_seconds() + seconds : 0;
}

void chorale_stop_gently(const char *file, double usr1, double term)
{
    if (gentle_file[0] != '\0')
        unlink(gentle_file);
    gentle_file[0] = '\0';
    usr1_seconds = term_seconds = 0;
    if (file == NULL || strlen(file) >= sizeof(gentle_file))
        return;
    strcpy(gentle_file, file);
    usr1_seconds = usr1;
    term_seconds = term;
    unlink(file); /* left by an earlier process that was killed */
}

/* The request to a child to end by itself. */
struct asked {
    int signal;              /* that caused the request; 0: not requested */
    double since;            /* time of the request, by chorale_seconds() */
};

/* Whether the child must be ended by a signal now. */
static int end_is_due(struct asked *asked)
{
    int signal = chorale_stop_requested(), fd;
    double patience = signal == SIGUSR1 ? usr1_seconds
                      : signal == SIGTERM ? term_seconds : 0;

    if (signal == 0 || patience <= 0)
        return signal != 0;
    if (asked->signal != signal) {
        fd = open(gentle_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return 1;
        close(fd);
        *asked = (struct asked){ signal, chorale_seconds() };
    }
    return chorale_seconds() - asked->since > patience;
}

void chorale_stop_forget(void)
{
    stop_flag = 0;
}

void chorale_args_add(struct chorale_args *args, const char *format, ...)
{
    va_list ap;

    if (args->count == CHORALE_MAX_ARGS) {
        args->overflow = 1;
        return;
    }
    va_start(ap, format);
    if (vasprintf(&args->word[args->count], format, ap) < 0) {
        args->word[args->count] = NULL;
        args->overflow = 1;
    } else {
        args->count++;
    }
    va_end(ap);
}

void chorale_args_free(struct chorale_args *args)
{
    for (int i = 0; i < args->count; i++)
        free(args->word[i]);
    memset(args, 0, sizeof(*args));
}

int chorale_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char full[PATH_MAX];

    if (strchr(name, '/') != NULL)
        return access(name, X_OK) == 0;
    while (path != NULL && *path != '\0') {
        int len = (int)strcspn(path, ":");

        if (snprintf(full, sizeof(full), "%.*s/%s", len, path, name) <
                (int)sizeof(full) &&
            access(full, X_OK) == 0)
            return 1;
        path += len + (path[len] == ':');
    }
    return 0;
}

static const char shim[] = "libchorale_pmpi";
static const char *const forgotten[] = {
    "CHORALE_TRACE", "CHORALE_TRACE_SIGNAL", "CHORALE_DISPATCH",
    "CHORALE_FORCE", "CHORALE_DISABLE", "CHORALE_AFTER",
};

int chorale_shim_forgets(const char *word)
{
    const size_t n = strcspn(word, "=");

    if (strncmp(word, "LD_PRELOAD=", 11) == 0)
        return strstr(word, shim) != NULL;
    for (size_t i = 0; i < sizeof(forgotten) / sizeof(forgotten[0]); i++)
        if (word[n] == '=' && strlen(forgotten[i]) == n &&
            strncmp(word, forgotten[i], n) == 0)
            return 1;
    return 0;
}

void chorale_shim_forget(void)
{
    const char *preload = getenv("LD_PRELOAD");
    char *kept = preload != NULL ? calloc(strlen(preload) + 2, 1) : NULL;

    for (size_t i = 0; i < sizeof(forgotten) / sizeof(forgotten[0]); i++)
        unsetenv(forgotten[i]);
    if (preload != NULL && strstr(preload, shim) != NULL)
        fprintf(stderr, "chorale: LD_PRELOAD: the shim is removed, as it would "
                "change what is measured; to measure a table use `chorale ab "
                "--head table:FILE.so`\n");
    while (kept != NULL && *preload != '\0') {
        const int n = (int)strcspn(preload, " :"), len = (int)strlen(kept);
        char word[PATH_MAX];

        snprintf(word, sizeof(word), "%.*s", n, preload);
        if (n > 0 && n < (int)sizeof(word) &&
            strstr(word, shim) == NULL)
            snprintf(kept + len, (size_t)n + 2, "%s%s", len > 0 ? ":" : "",
                     word);
        preload += n + (preload[n] != '\0');
    }
    if (kept != NULL && kept[0] != '\0')
        setenv("LD_PRELOAD", kept, 1);
    else if (kept != NULL)
        unsetenv("LD_PRELOAD");
    free(kept);
}

/* Append library to LD_PRELOAD; without memory LD_PRELOAD stays unchanged. */
static void add_preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *all = NULL;

    if (others == NULL || others[0] == '\0')
        setenv("LD_PRELOAD", library, 1);
    else if (asprintf(&all, "%s:%s", others, library) >= 0)
        setenv("LD_PRELOAD", all, 1);
    free(all);
}

/* Variables by which mpiexec binds ranks to cores: of Hydra (MPICH, MVAPICH),
 * Open MPI up to 4, and Open MPI from 5 on. Options would end launchers that do
 * not know them, and Hydra refuses an option that a wrapper also gives. */
static void ask_binding(const char *policy)
{
    setenv("HYDRA_BINDING", policy, 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", policy, 0);
    setenv("PRTE_MCA_hwloc_default_binding_policy", policy, 0);
}

static void child_side(const struct chorale_args *args, int out, int err,
                       pid_t parent, int lasting)
{
    int null = open("/dev/null", O_RDONLY);
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    if (lasting) /* a launcher sets handlers but keeps the signal mask */
        sigprocmask(SIG_BLOCK, &blocked, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (null >= 0)
        dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    signal(SIGPIPE, SIG_DFL);
    if (args->tunables != NULL)
        setenv("GLIBC_TUNABLES", args->tunables, 0);
    if (args->preload != NULL)
        add_preload(args->preload);
    if (args->bind != 0)
        ask_binding(args->bind > 0 ? "core" : "none");
    execvp(args->word[0], args->word);
    dprintf(2, "%s: %s\n", args->word[0], strerror(errno));
    _exit(127);
}

enum chorale_err chorale_spawn(const struct chorale_args *args,
                               const char *remedy,
                               struct chorale_child *child,
                               struct chorale_errmsg *msg)
{
    int out[2], err[2], lasting = term_seconds > 0;
    pid_t parent = getpid(), pid;

    if (args->overflow || args->count == 0)
        return chorale_fail(msg, CHORALE_USAGE, "the command line to start is "
                            "empty or too long; give another, or put it into "
                            "a script");
    if (!chorale_in_path(args->word[0]))
        return chorale_fail(msg, CHORALE_ENV, "no program %s in PATH; %s",
                            args->word[0],
                            remedy != NULL ? remedy
                                           : "install it, or add its folder "
                                             "to PATH");
    if (pipe2(out, O_CLOEXEC) != 0)
        return chorale_fail_system(msg, "pipe", errno);
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return chorale_fail_system(msg, "pipe", errno);
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        child_side(args, out[1], err[1], parent, lasting);
    close(out[1]);
    close(err[1]);
    if (pid < 0) {
        close(out[0]);
        close(err[0]);
        return chorale_fail_system(msg, "fork", errno);
    }
    setpgid(pid, pid); /* also in the child: either may run first */
    *child = (struct chorale_child){ pid, out[0], err[0], lasting };
    return CHORALE_OK;
}

struct stream {
    int fd, is_err;
    size_t len;
    char line[LINE];
};

/* Read available data and pass whole lines to fn. Returns 0 at the end of the
 * stream; *done is set when fn returns nonzero. */
static int drain(struct stream *s, chorale_line_fn *fn, void *arg, int *done)
{
    char buf[LINE];
    ssize_t got = read(s->fd, buf, sizeof(buf));

    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    for (ssize_t i = 0; i < got; i++) {
        if (buf[i] == '\n' || s->len + 1 == sizeof(s->line)) {
            s->line[s->len] = '\0';
            s->len = 0;
            *done |= fn(arg, s->line, s->is_err);
        }
        if (buf[i] != '\n' && buf[i] != '\r')
            s->line[s->len++] = buf[i];
    }
    if (got == 0 && s->len > 0) {
        s->line[s->len] = '\0';
        s->len = 0;
        *done |= fn(arg, s->line, s->is_err);
    }
    return got > 0;
}

/* End the whole process group by SIGTERM, or SIGINT if SIGTERM is blocked;
 * SIGKILL follows after the grace period. */
static void end_group(struct chorale_child *child, int *status)
{
    const struct timespec nap = { 0, 20000000 };
    int ms = chorale_stop_requested() == SIGTERM ? SOON_MS : KILL_MS;

    kill(-child->pid, child->lasting ? SIGINT : SIGTERM);
    for (; ms > 0; ms -= 20) {
        if (waitpid(child->pid, status, WNOHANG) == child->pid) {
            kill(-child->pid, SIGKILL);
            child->pid = 0;
            return;
        }
        nanosleep(&nap, NULL);
    }
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
}

enum chorale_ending chorale_child_wait(struct chorale_child *child,
                                       const double *silence,
                                       chorale_line_fn *fn, void *arg,
                                       int *status_p)
{
    struct stream s[2] = { { .fd = child->out }, { .fd = child->err,
                                                   .is_err = 1 } };
    enum chorale_ending ending = CHORALE_ENDED;
    double heard = chorale_seconds(), finished = 0;
    struct asked asked = { 0, 0 };
    int open_ends = 2, done = 0;

    *status_p = 0;
    while (child->pid != 0) {
        struct pollfd p[2] = { { s[0].fd, POLLIN, 0 },
                               { s[1].fd, POLLIN, 0 } };
        int ready = open_ends > 0 ? poll(p, 2, 100) : 0;

        for (int i = 0; i < 2 && ready > 0; i++) {
            if (p[i].revents == 0)
                continue;
            heard = chorale_seconds();
            if (!drain(&s[i], fn, arg, &done)) {
                s[i].fd = -1;
                open_ends--;
            }
        }
        if (done && finished == 0)
            finished = chorale_seconds();
        if (end_is_due(&asked)) {
            ending = CHORALE_ENDED_STOPPED;
            end_group(child, status_p);
        } else if (finished > 0 &&
                   chorale_seconds() - finished > GRACE_SECONDS) {
            ending = CHORALE_ENDED_LATE;
            end_group(child, status_p);
        } else if (chorale_seconds() - heard > *silence) {
            ending = CHORALE_ENDED_STALLED;
            end_group(child, status_p);
        } else if (open_ends == 0) {
            /* Both streams are closed: the child is exiting. */
            if (waitpid(child->pid, status_p, WNOHANG) == child->pid)
                child->pid = 0;
            else
                nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
        }
    }
    close(child->out);
    close(child->err);
    return ending;
}

struct keep {
    char *text;
    size_t size, len;
    int ended; /* the runner printed its last line, and had no error */
    char err[LINE];
};

static int keep_line(void *arg, const char *line, int is_err)
{
    struct keep *k = arg;

    if (is_err) {
        if (k->err[0] == '\0')
            snprintf(k->err, sizeof(k->err), "%s", line);
        return 0;
    }
    k->ended |= strcmp(line, "@end 0") == 0;
    if (k->len < k->size) {
        k->len += (size_t)snprintf(k->text + k->len, k->size - k->len, "%s\n",
                                   line);
    }
    return 0;
}

enum chorale_err chorale_capture(const struct chorale_args *args,
                                 const char *remedy, char *text, size_t size,
                                 int *status_p, struct chorale_errmsg *msg)
{
    struct keep keep = { .text = text, .size = size };
    struct chorale_child child;
    const double silence = 60;
    enum chorale_err err = chorale_spawn(args, remedy, &child, msg);
    enum chorale_ending ending;

    if (err != CHORALE_OK)
        return err;
    text[0] = '\0';
    ending = chorale_child_wait(&child, &silence, keep_line, &keep, status_p);
    if (ending == CHORALE_ENDED_STOPPED)
        return chorale_fail(msg, CHORALE_STOPPED, "stopped before %s "
                            "answered; repeat the command", args->word[0]);
    if (ending != CHORALE_ENDED)
        return chorale_fail(msg, CHORALE_ENV, "%s does not answer; run it by "
                            "hand to see why, and repeat the command",
                            args->word[0]);
    if (keep.ended)
        *status_p = 0;
    if (*status_p != 0 && keep.err[0] != '\0')
        snprintf(text, size, "%s", keep.err);
    return CHORALE_OK;
}

enum chorale_err chorale_find_program(const char *name, const char *dir,
                                      char *path, size_t size,
                                      struct chorale_errmsg *msg)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (len > 0) {
        self[len] = '\0';
        *strrchr(self, '/') = '\0';
        if ((size_t)snprintf(path, size, "%s/%s", self, name) < size &&
            access(path, R_OK) == 0)
            return CHORALE_OK;
    }
    if ((size_t)snprintf(path, size, "%s/%s", dir, name) < size &&
        access(path, R_OK) == 0)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_ENV,
                        "%s is neither beside chorale nor in %s: build or "
                        "install it%s", name, dir,
                        strstr(name, "-sim") != NULL
                            ? " (it needs SimGrid: libsimgrid-dev)"
                            : "");
}

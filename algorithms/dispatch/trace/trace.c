/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c - start, calls and end of a trace. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/dispatch/base/launched.h"
#include "algorithms/dispatch/base/node_id.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/comm/comm_state.h"
#include "algorithms/dispatch/trace/tick_clock.h"
#include "algorithms/dispatch/table/fingerprint.h"
#include "algorithms/dispatch/trace/trace.h"
#include "algorithms/dispatch/trace/trace_clock.h"
#include "algorithms/dispatch/trace/trace_comm.h"
#include "algorithms/dispatch/trace/trace_file.h"
#include "algorithms/dispatch/trace/trace_merge.h"

atomic_int chorale_trace_on;

static struct {
    pthread_mutex_t lock;    /* protects table under MPI_THREAD_MULTIPLE */
    int threads, steady;
    struct chorale_trace_table table;
    char *path;              /* NULL: this process does not trace */
    int signal;              /* 0: unset */
    pid_t pid;               /* a child of fork is not a rank */
    int rank, size;          /* of MPI_COMM_WORLD */
    int writer;              /* rank that writes; -1: not joined */
    int node_ranks;          /* ranks on this rank's node; 0: unknown */
    atomic_int finished;
    uint64_t start_tick, start_clock;
    struct chorale_trace_offset first; /* when this rank joined */
    time_t started;
    char mpi_library[256];
} trace = { .lock = PTHREAD_MUTEX_INITIALIZER, .writer = -1 };

static atomic_int asked;     /* set by the signal handler */

/* The call that this thread is in. */
static _Thread_local struct {
    int depth;               /* nesting of calls; only the outermost counts */
    int known;               /* key is valid */
    int odd;                 /* invalid arguments: counted as unlisted */
    struct chorale_trace_key key;
    uint64_t bytes, start;
} frame;

static void say(const char *what, const char *why)
{
    char line[1400];
    int n = snprintf(line, sizeof(line), "chorale: CHORALE_TRACE: %.1000s%s"
                     "%.300s\n", what, why != NULL ? ": " : "",
                     why != NULL ? why : "");

    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        return; /* stderr is closed */
}

static void on_signal(int number)
{
    (void)number;
    atomic_store(&asked, 1);
}

/* Parse a signal number; 0 if it is invalid. Signals that end a program are
 * refused, because the handler would keep it running. */
static int read_signal(const char *text, void (*warn)(const char *line))
{
    static const int never[] = { SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE,
                                 SIGILL, SIGTRAP, SIGABRT, SIGCHLD,
                                 SIGTERM, SIGINT, SIGQUIT, SIGHUP };
    char *end, line[200];
    long value;
    int bad;

    errno = 0;
    value = strtol(text, &end, 10);
    bad = errno != 0 || end == text || *end != '\0' || value < 1
          || value > SIGRTMAX;
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        bad |= value == never[i];
    if (!bad)
        return (int)value;
    snprintf(line, sizeof(line), "CHORALE_TRACE_SIGNAL: '%.40s' is not the "
             "number of a signal that can be used; try 12 (SIGUSR2)", text);
    warn(line);
    return 0;
}

int chorale_trace_wish(int secure, const char *suffix,
                       void (*warn)(const char *line))
{
    const char *text = secure ? NULL : getenv("CHORALE_TRACE");
    const char *number = secure ? NULL : getenv("CHORALE_TRACE_SIGNAL");
    const char *why = "out of memory";
    MPI_Comm parent = MPI_COMM_NULL;
    char more[40] = "";

    if (PMPI_Comm_rank(MPI_COMM_WORLD, &trace.rank) != MPI_SUCCESS
        || PMPI_Comm_size(MPI_COMM_WORLD, &trace.size) != MPI_SUCCESS
        || text == NULL || text[0] == '\0')
        return 0;
    if (number != NULL && number[0] != '\0')
        trace.signal = read_signal(number, warn);
    /* Spawned processes have their own MPI_COMM_WORLD and write their own
     * file. */
    if (PMPI_Comm_get_parent(&parent) == MPI_SUCCESS
        && parent != MPI_COMM_NULL)
        snprintf(more, sizeof(more), ".spawned%ld", (long)getpid());
    trace.path = chorale_trace_path(text, suffix, more, &why);
    if (trace.path == NULL) {
        say(text, why);
        return 0;
    }
    return trace.size - trace.rank;
}

static void catch_signal(void)
{
    struct sigaction act = { .sa_handler = on_signal,
                             .sa_flags = SA_RESTART }, before;

    if (trace.signal == 0)
        return;
    if (sigaction(trace.signal, NULL, &before) == 0
        && before.sa_handler == SIG_DFL
        && sigaction(trace.signal, &act, NULL) == 0)
        return;
    if (trace.rank == 0)
        say("the signal of CHORALE_TRACE_SIGNAL is in use already; set it to "
            "another one", NULL);
    trace.signal = 0;
}

static void find_library(void)
{
    chorale_fingerprint_library(trace.mpi_library, sizeof(trace.mpi_library));
    for (char *c = trace.mpi_library; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
}

static void at_exit(void)
{
    if (atomic_load(&chorale_trace_on) && getpid() == trace.pid
        && (trace.writer < 0 || trace.rank == trace.writer))
        chorale_trace_part("the program ended without MPI_Finalize");
}

/* Read ticks and nanoseconds of the same moment. Of several readings the one
 * with the fewest ticks around it counts, since the process may be preempted
 * in between. */
static void read_clocks(uint64_t *tick, uint64_t *clock)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 5; i++) {
        const uint64_t before = chorale_tick(trace.steady);
        const uint64_t now = chorale_tick_clock();
        const uint64_t after = chorale_tick(trace.steady);

        if (after - before >= least)
            continue;
        least = after - before;
        *tick = before + least / 2;
        *clock = now;
    }
}

/* Start counting calls. node: as in trace_comm.h. */
static void begin(uint64_t *node)
{
    int level;

    if (!chorale_trace_comm_start(node, trace.size)) {
        say("MPI_Comm_create_keyval failed, so no call is traced; unset "
            "CHORALE_TRACE, or use another MPI library", NULL);
        return;
    }
    trace.threads = PMPI_Query_thread(&level) != MPI_SUCCESS
                    || level == MPI_THREAD_MULTIPLE;
    trace.steady = chorale_tick_steady();
    trace.pid = getpid();
    find_library();
    catch_signal();
    atexit(at_exit);
    time(&trace.started);
    read_clocks(&trace.start_tick, &trace.start_clock);
    atomic_store(&chorale_trace_on, 1);
    atomic_fetch_or(&chorale_epoch, CHORALE_EPOCH_TRACED);
}

void chorale_trace_alone(void)
{
    const char *why = trace.path != NULL ? chorale_trace_try(trace.path)
                                         : NULL;

    if (trace.path == NULL)
        return;
    if (why != NULL)
        say(trace.path, why);
    else
        begin(NULL);
}

/* Nodes of all ranks, or NULL on all ranks if a rank has no memory or the file
 * cannot be written. Collective. */
static uint64_t *gather_nodes(void)
{
    uint64_t mine = chorale_node_id();
    uint64_t *node = calloc((size_t)trace.size, sizeof(*node));
    int ok = node != NULL, all_ok = 0;

    if (trace.rank == trace.writer) {
        const char *why = chorale_trace_try(trace.path);

        ok = ok && why == NULL;
        if (why != NULL)
            say(trace.path, why);
    }
    if (PMPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD)
            == MPI_SUCCESS && all_ok
        && PMPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, node,
                          (int)sizeof(mine), MPI_BYTE, MPI_COMM_WORLD)
               == MPI_SUCCESS)
        return node;
    free(node);
    return NULL;
}

void chorale_trace_join(int largest)
{
    uint64_t *node;

    if (largest < 1)
        return;
    trace.writer = trace.size - largest;
    node = gather_nodes();
    if (node == NULL)
        trace.writer = -1;
    trace.first = (struct chorale_trace_offset){ 0, NAN };
    trace.node_ranks = 0;
    for (int i = 0; node != NULL && i < trace.size; i++)
        trace.node_ranks += node[i] == node[trace.rank];
    if (node != NULL) {
        MPI_Comm comm = chorale_trace_merge_comm(0);

        trace.first = chorale_trace_offset_find(comm, trace.writer,
                                                chorale_node_id());
        if (comm != MPI_COMM_NULL)
            PMPI_Comm_free(&comm);
    }
    if (atomic_load(&chorale_trace_on))
        chorale_trace_comm_nodes(node);
    else if (node != NULL && trace.path != NULL)
        begin(node);
    else
        free(node);
}

void chorale_trace_open_slow(void)
{
    if (frame.depth++ == 0)
        frame.known = 0;
}

void chorale_trace_call_slow(enum chorale_coll coll, MPI_Comm comm,
                             const struct chorale_call *call,
                             const struct chorale_ints *ints)
{
    const struct chorale_trace_comm *info;

    if (frame.depth != 1 || frame.known)
        return;
    info = chorale_trace_comm_of(comm);
    if (info != NULL && info->inter)
        return;
    frame.odd = info == NULL
                || !chorale_trace_key_of(coll, call, ints, info,
                                         &frame.key, &frame.bytes);
    frame.known = 1;
    frame.start = chorale_tick(trace.steady);
}

void chorale_trace_ran_slow(const struct chorale_plan *plan)
{
    if (frame.depth == 1)
        frame.key.plan = plan;
}

void chorale_trace_done_slow(void)
{
    const uint64_t now = chorale_tick(trace.steady);
    const uint64_t ticks = now > frame.start ? now - frame.start : 0;

    if (frame.depth == 0 || --frame.depth > 0 || !frame.known)
        return;
    frame.known = 0;
    if (trace.threads)
        pthread_mutex_lock(&trace.lock);
    if (frame.odd) {
        trace.table.unlisted++;
        trace.table.unlisted_ticks += ticks;
    } else {
        chorale_trace_table_add(&trace.table, &frame.key, ticks, frame.bytes,
                                frame.start - trace.start_tick);
    }
    if (trace.threads)
        pthread_mutex_unlock(&trace.lock);
    if (atomic_load_explicit(&asked, memory_order_relaxed)
        && atomic_exchange(&asked, 0))
        chorale_trace_part(NULL);
}

/* Get the rows of this process so far, and its wall time in seconds. last: the
 * present difference of its clock; NULL: times of entry stay unknown. */
static void take(struct chorale_trace_rows *rows, double *wall,
                 const struct chorale_trace_offset *last)
{
    struct chorale_trace_rate rate = { .begin = NAN, .rank = trace.rank };
    uint64_t ticks, clock;

    *wall = 0;
    *rows = (struct chorale_trace_rows){0};
    if (trace.start_clock == 0)
        return; /* this process never started tracing */
    read_clocks(&ticks, &clock);
    ticks -= trace.start_tick;
    clock -= trace.start_clock;
    *wall = 1e-9 * (double)clock;
    rate.tick = ticks > 0 ? *wall / (double)ticks : 0;
    if (last != NULL) {
        const double start = 1e-9 * (double)trace.start_clock;

        rate.begin = chorale_trace_common(&trace.first, last, start);
        rate.rate = chorale_trace_common(&trace.first, last, start + 1) -
                    rate.begin;
    }
    if (trace.threads)
        pthread_mutex_lock(&trace.lock);
    chorale_trace_rows_of(&trace.table, &rate, rows);
    if (trace.threads)
        pthread_mutex_unlock(&trace.lock);
}

static struct chorale_trace_head local_trace_head(double wall)
{
    return (struct chorale_trace_head){
        .mpi_library = trace.mpi_library, .started = trace.started,
        .comm_size = trace.size, .ranks = 1, .part_rank = trace.rank,
        .launched = chorale_launched_ranks(trace.size),
        .node_ranks = trace.node_ranks,
        .processors = (int)sysconf(_SC_NPROCESSORS_ONLN),
        .wall_mean = wall, .wall_max = wall
    };
}

void chorale_trace_part(const char *why)
{
    const char *bad = "out of memory";
    struct chorale_trace_head head;
    struct chorale_trace_rows rows;
    char reason[40], *path;
    double wall;

    if (!atomic_load(&chorale_trace_on))
        return;
    take(&rows, &wall, NULL);
    head = local_trace_head(wall);
    snprintf(reason, sizeof(reason), "signal %d", trace.signal);
    head.part = why != NULL ? why : reason;
    path = chorale_trace_part_path(trace.path, trace.rank);
    if (path != NULL)
        bad = chorale_trace_write(path, &head, &rows);
    if (bad != NULL)
        say(path != NULL ? path : trace.path, bad);
    else if (why != NULL)
        say(path, why);
    free(path);
    free(rows.row);
}

/* Sum over all ranks; the writer writes the file. */
static void merge_and_write(void)
{
    struct chorale_trace_sum sum = {0};
    struct chorale_trace_head head;
    const MPI_Comm comm = chorale_trace_merge_comm(1);
    const struct chorale_trace_offset last =
        chorale_trace_offset_find(comm, trace.writer, chorale_node_id());
    const char *bad;

    take(&sum.rows, &sum.wall, &last);
    sum.wall_max = sum.wall;
    sum.ranks = trace.start_clock != 0;
    bad = chorale_trace_merge(comm, trace.writer, &sum);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm done = comm;

        PMPI_Comm_free(&done);
    }
    if (bad == NULL && trace.rank == trace.writer) {
        head = local_trace_head(sum.wall / (double)sum.ranks);
        head.ranks = (int)sum.ranks;
        head.wall_max = sum.wall_max;
        bad = chorale_trace_write(trace.path, &head, &sum.rows);
    }
    if (bad != NULL)
        say(trace.path != NULL ? trace.path : "(no file here)", bad);
    free(sum.rows.row);
}

void chorale_trace_finish(void)
{
    if (atomic_exchange(&trace.finished, 1))
        return;
    if (trace.writer >= 0)
        merge_and_write();
    else
        chorale_trace_part("not all ranks joined in a trace");
    if (!atomic_exchange(&chorale_trace_on, 0))
        return;
    atomic_fetch_and(&chorale_epoch,
                     ~(unsigned long long)CHORALE_EPOCH_TRACED);
    chorale_trace_comm_stop();
    chorale_trace_table_release(&trace.table);
}

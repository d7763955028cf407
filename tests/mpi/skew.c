/* SPDX-License-Identifier: BSD-3-Clause */
/* skew.c - preload for tests that shifts clocks and invents nodes.
 *
 * CHORALE_SKEW  Each rank but the first believes to be on a node of its own.
 *               Numbers: seconds by which a rank's clock is ahead; relative
 *               rate by which it runs fast (1e-5: 10 us per second); amplitude
 *               in seconds of an oscillation at 10 kHz; optionally the growth
 *               of the rate per second. The first two are multiplied by the
 *               rank.
 * CHORALE_JUMP  Numbers: the call of MPI_Scan or MPI_Barrier in which the clock
 *               of each rank but the first jumps; seconds of the jump;
 *               optionally seconds by which each MPI_Scan takes longer.
 * CHORALE_STEP  Seconds by which all clocks step.
 * CHORALE_NODE  Number of consecutive ranks that believe to share a node. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int gettime_fn(clockid_t id, struct timespec *t);

#define PERIOD 1e-4

static struct {
    double ahead, drift, swing, bend, begun, jump, idle, step;
    int rank, apart;         /* ranks per invented node; 0: no such nodes */
    long jump_call, calls;   /* calls of MPI_Scan and MPI_Barrier */
    gettime_fn *gettime;
} skew;
static atomic_int ready;

static double seconds(const struct timespec *t)
{
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CHORALE_SKEW"), *rank = getenv("PMI_RANK");
    struct timespec t;

    if (rank == NULL)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    *(void **)&skew.gettime = dlsym(RTLD_NEXT, "clock_gettime");
    skew.rank = rank != NULL ? atoi(rank) : 0;
    skew.apart = text != NULL;
    if (getenv("CHORALE_NODE") != NULL)
        skew.apart = atoi(getenv("CHORALE_NODE"));
    if (text != NULL && sscanf(text, "%lf %lf %lf %lf", &skew.ahead,
                               &skew.drift, &skew.swing, &skew.bend) < 3)
        skew.ahead = skew.drift = skew.swing = 0;
    text = getenv("CHORALE_JUMP");
    if (text != NULL)
        sscanf(text, "%ld %lf %lf", &skew.jump_call, &skew.jump, &skew.idle);
    text = getenv("CHORALE_STEP");
    skew.step = text != NULL ? strtod(text, NULL) : 0;
    skew.gettime(CLOCK_MONOTONIC, &t);
    skew.begun = seconds(&t);
    atomic_store(&ready, 1);
}

/* Triangle wave between 0 and 1. */
static double swing(double t)
{
    double phase = t / PERIOD - (double)(long long)(t / PERIOD);

    return phase < 0.5 ? 2 * phase : 2 - 2 * phase;
}

static double jumped(void)
{
    return skew.jump_call > 0 && skew.calls >= skew.jump_call ? skew.jump : 0;
}

static void add(struct timespec *t, double off)
{
    t->tv_sec += (time_t)off;
    t->tv_nsec += (long)(1e9 * (off - (double)(time_t)off));
    if (t->tv_nsec >= 1000000000) {
        t->tv_sec++;
        t->tv_nsec -= 1000000000;
    } else if (t->tv_nsec < 0) {
        t->tv_sec--;
        t->tv_nsec += 1000000000;
    }
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    double off;
    int rc;

    if (!atomic_load(&ready)) {
        gettime_fn *gettime;

        *(void **)&gettime = dlsym(RTLD_NEXT, "clock_gettime");
        return gettime(id, t);
    }
    rc = skew.gettime(id, t);
    if (rc != 0 || id != CLOCK_MONOTONIC)
        return rc;
    off = seconds(t) - skew.begun;
    if (skew.rank > 0)
        add(t, skew.rank * (skew.ahead + off * (skew.drift +
                                                off * skew.bend)) +
                   skew.swing * swing(off) + jumped());
    if (skew.step > 0)
        t->tv_nsec -= t->tv_nsec % (long)(1e9 * skew.step);
    return 0;
}

int PMPI_Scan(const void *in, void *out, int count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm)
{
    int (*real)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Scan");
    skew.calls++;
    if (skew.idle > 0)
        nanosleep(&(struct timespec){ 0, (long)(1e9 * skew.idle) }, NULL);
    return real(in, out, count, type, op, comm);
}

int PMPI_Barrier(MPI_Comm comm)
{
    int (*real)(MPI_Comm);

    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Barrier");
    skew.calls++;
    return real(comm);
}

int PMPI_Get_processor_name(char *name, int *length)
{
    int (*real)(char *, int *);

    if (skew.apart) {
        *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d",
                           skew.rank / skew.apart);
        return MPI_SUCCESS;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Get_processor_name");
    return real(name, length);
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                         MPI_Comm *new_comm)
{
    int (*real)(MPI_Comm, int, int, MPI_Info, MPI_Comm *);

    if (skew.apart && type == MPI_COMM_TYPE_SHARED)
        return PMPI_Comm_split(comm, skew.rank / skew.apart, key, new_comm);
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Comm_split_type");
    return real(comm, type, key, info, new_comm);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* skew.c - a preload for tests: every rank but the first believes to be on a
 * node of its own, whose clock is off. CHORALE_SKEW has three numbers: by how
 * many seconds a rank's clock is ahead, by how much it runs fast (1e-5: 10 us a
 * second), and how far it swings to and fro, 10 000 times a second. The first
 * two are times the rank. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int gettime_fn(clockid_t id, struct timespec *t);

#define PERIOD 1e-4

static struct {
    double ahead, drift, swing, begun;
    int rank;
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

    *(void **)&skew.gettime = dlsym(RTLD_NEXT, "clock_gettime");
    skew.rank = rank != NULL ? atoi(rank) : 0;
    if (text != NULL && sscanf(text, "%lf %lf %lf", &skew.ahead, &skew.drift,
                               &skew.swing) != 3)
        skew.ahead = skew.drift = skew.swing = 0;
    skew.gettime(CLOCK_MONOTONIC, &t);
    skew.begun = seconds(&t);
    atomic_store(&ready, 1);
}

/* 0 ... 1, up and down. */
static double swing(double t)
{
    double phase = t / PERIOD - (double)(long long)(t / PERIOD);

    return phase < 0.5 ? 2 * phase : 2 - 2 * phase;
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
    if (rc != 0 || id != CLOCK_MONOTONIC || skew.rank == 0)
        return rc;
    off = seconds(t) - skew.begun;
    off = skew.rank * (skew.ahead + skew.drift * off) +
          skew.swing * swing(off);
    t->tv_sec += (time_t)off;
    t->tv_nsec += (long)(1e9 * (off - (double)(time_t)off));
    if (t->tv_nsec >= 1000000000) {
        t->tv_sec++;
        t->tv_nsec -= 1000000000;
    }
    return 0;
}

int PMPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", skew.rank);
    return MPI_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* interference.c - slowdown of simultaneous exchanges of several groups. */
#include "config.h"

#include "runners/launch/interference.h"

#include <math.h>
#include <stdlib.h>

#define BYTES (256 << 10)
#define SECONDS 0.05 /* length of one row of exchanges, alone */
#define MOST 2000    /* exchanges in a row, at most */
#define TURNS 3

/* State of one rank. */
struct apart {
    MPI_Comm comm;
    int rank, size;          /* in comm */
    int mine, ngroups;
    int (*meet)(void *arg, int failed);
    void *arg;
    char *buf;               /* two messages */
};

typedef int kind_fn(const struct apart *a);

static int halves(const struct apart *a)
{
    return PMPI_Sendrecv(a->buf, BYTES, MPI_BYTE,
                         (a->rank + a->size / 2) % a->size, 0, a->buf + BYTES,
                         BYTES, MPI_BYTE,
                         (a->rank - a->size / 2 + a->size) % a->size, 0,
                         a->comm, MPI_STATUS_IGNORE);
}

static int short_sum(const struct apart *a)
{
    return PMPI_Allreduce(MPI_IN_PLACE, a->buf, 1, MPI_INT64_T, MPI_SUM,
                          a->comm);
}

static int long_sum(const struct apart *a)
{
    return PMPI_Allreduce(MPI_IN_PLACE, a->buf, BYTES / 8, MPI_INT64_T,
                          MPI_SUM, a->comm);
}

static kind_fn *const kinds[] = { halves, short_sum, long_sum };
enum { NKIND = sizeof(kinds) / sizeof(kinds[0]) };

/* Seconds per exchange in a row of `times`, of the slowest rank. */
static int row(const struct apart *a, kind_fn *kind, int times,
               double *seconds)
{
    double t;
    int rc = PMPI_Barrier(a->comm);

    t = PMPI_Wtime();
    for (int i = 0; i < times && rc == MPI_SUCCESS; i++)
        rc = kind(a);
    t = (PMPI_Wtime() - t) / times;
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allreduce(&t, seconds, 1, MPI_DOUBLE, MPI_MAX, a->comm);
    return rc;
}

/* Synchronise all groups; returns an error if any rank failed. */
static int met(const struct apart *a, int rc)
{
    return a->meet(a->arg, rc != MPI_SUCCESS) ? MPI_ERR_OTHER : rc;
}

/* Find the length of a row from three exchanges, which also set up
 * connections. */
static int row_length(const struct apart *a, kind_fn *kind, int *times)
{
    double once = 0;
    int rc = row(a, kind, 3, &once);

    if (once > 0)
        *times = (int)fmin(fmax(SECONDS / once, 3), MOST);
    return rc;
}

static double median3(const double *x)
{
    double low = fmin(x[0], x[1]), high = fmax(x[0], x[1]);

    return fmax(low, fmin(high, x[2]));
}

static int try_kind(const struct apart *a, kind_fn *kind, double *ratio)
{
    double seen[TURNS] = { 1, 1, 1 };
    int times = 1, rc = MPI_SUCCESS;

    for (int turn = 0; turn < TURNS && rc == MPI_SUCCESS; turn++) {
        double alone = 1, together = 1;

        for (int k = 0; k < a->ngroups && rc == MPI_SUCCESS; k++) {
            if (k == a->mine && turn == 0)
                rc = row_length(a, kind, &times);
            if (k == a->mine && rc == MPI_SUCCESS)
                rc = row(a, kind, times, &alone);
            rc = met(a, rc);
        }
        if (a->mine >= 0 && rc == MPI_SUCCESS)
            rc = row(a, kind, times, &together);
        seen[turn] = alone > 0 ? together / alone : 1;
        rc = met(a, rc);
    }
    *ratio = median3(seen);
    return rc;
}

int chorale_apart(MPI_Comm comm, int mine, int ngroups,
                  int (*meet)(void *arg, int failed), void *arg,
                  double *ratio)
{
    struct apart a = { .comm = comm, .mine = mine, .ngroups = ngroups,
                       .meet = meet, .arg = arg,
                       .buf = calloc(2, BYTES) };
    double most = 1, seen;
    int rc = met(&a, a.buf != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM);

    if (mine >= 0 && rc == MPI_SUCCESS) {
        PMPI_Comm_rank(comm, &a.rank);
        PMPI_Comm_size(comm, &a.size);
    }
    for (int i = 0; i < NKIND && rc == MPI_SUCCESS; i++) {
        rc = try_kind(&a, kinds[i], &seen);
        most = rc == MPI_SUCCESS ? fmax(most, seen) : most;
    }
    free(a.buf);
    if (rc == MPI_SUCCESS)
        *ratio = most;
    return rc;
}

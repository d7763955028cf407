/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_merge.c - sums up traces along a binomial tree. Uses a communicator of
 * its own, so that messages the application has not received do not match. */
#include "config.h"

#include <stdlib.h>

#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/trace/trace_merge.h"

#define TAG 1
#define PIECE 64 /* rows per message: a buffer on the stack if memory runs
                  * out */

struct head {
    uint64_t n, unlisted;
    double unlisted_seconds, wall, wall_max;
    int64_t ranks;
};

MPI_Comm chorale_trace_merge_comm(int ending)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler before;
    MPI_Group group;
    int hush;

    if (PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    hush = ending || before != MPI_ERRORS_ARE_FATAL;
    if (hush)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (PMPI_Comm_group(MPI_COMM_WORLD, &group) == MPI_SUCCESS) {
        if (PMPI_Comm_create(MPI_COMM_WORLD, group, &comm) != MPI_SUCCESS)
            comm = MPI_COMM_NULL;
        PMPI_Group_free(&group);
    }
    if (hush)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static int piece(uint64_t n, uint64_t done)
{
    const uint64_t left = n - done;

    return (int)((left < PIECE ? left : PIECE)
                 * sizeof(struct chorale_trace_row));
}

static int send_to(MPI_Comm comm, int rank,
                   const struct chorale_trace_sum *sum)
{
    const struct head head = {
        .n = sum->rows.n, .unlisted = sum->rows.unlisted,
        .unlisted_seconds = sum->rows.unlisted_seconds,
        .wall = sum->wall, .wall_max = sum->wall_max, .ranks = sum->ranks
    };
    int rc = PMPI_Send(&head, (int)sizeof(head), MPI_BYTE, rank, TAG, comm);

    for (uint64_t i = 0; rc == MPI_SUCCESS && i < head.n; i += PIECE)
        rc = PMPI_Send(sum->rows.row + i, piece(head.n, i), MPI_BYTE, rank,
                       TAG, comm);
    return rc;
}

/* Receive all rows and merge them at once. Without memory for all, merge them
 * piece by piece; rows without room become unlisted. */
static int receive_rows(MPI_Comm comm, int rank, uint64_t n,
                        struct chorale_trace_rows *mine)
{
    struct chorale_trace_row few[PIECE];
    struct chorale_trace_rows other = {0};
    struct chorale_trace_row *all = calloc((size_t)n + 1, sizeof(*all));
    int rc = MPI_SUCCESS;

    for (uint64_t i = 0; rc == MPI_SUCCESS && i < n; i += PIECE) {
        const int bytes = piece(n, i);

        other.row = all != NULL ? all + i : few;
        other.n = (size_t)bytes / sizeof(*few);
        rc = PMPI_Recv(other.row, bytes, MPI_BYTE, rank, TAG, comm,
                       MPI_STATUS_IGNORE);
        if (all == NULL && rc == MPI_SUCCESS)
            chorale_trace_rows_merge(mine, &other);
    }
    other.row = all;
    other.n = (size_t)n;
    if (all != NULL && rc == MPI_SUCCESS)
        chorale_trace_rows_merge(mine, &other);
    free(all);
    return rc;
}

static int receive_from(MPI_Comm comm, int rank,
                        struct chorale_trace_sum *sum)
{
    struct head head;
    int rc = PMPI_Recv(&head, (int)sizeof(head), MPI_BYTE, rank, TAG, comm,
                       MPI_STATUS_IGNORE);

    if (rc != MPI_SUCCESS)
        return rc;
    sum->rows.unlisted += head.unlisted;
    sum->rows.unlisted_seconds += head.unlisted_seconds;
    sum->wall += head.wall;
    sum->ranks += head.ranks;
    if (head.wall_max > sum->wall_max)
        sum->wall_max = head.wall_max;
    return receive_rows(comm, rank, head.n, &sum->rows);
}

static int merge(MPI_Comm comm, int writer, struct chorale_trace_sum *sum)
{
    int rank, size, place, rc = MPI_SUCCESS;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    place = (rank - writer + size) % size;
    for (int step = 1; rc == MPI_SUCCESS && step < size; step *= 2) {
        if (place & step)
            return send_to(comm, (place - step + writer) % size, sum);
        if (place + step < size)
            rc = receive_from(comm, (place + step + writer) % size, sum);
    }
    return rc;
}

const char *chorale_trace_merge(MPI_Comm comm, int writer,
                                struct chorale_trace_sum *sum)
{
    if (comm == MPI_COMM_NULL)
        return "no communicator could be made to sum up the ranks";
    return merge(comm, writer, sum) == MPI_SUCCESS
               ? NULL : "the ranks could not be summed up";
}

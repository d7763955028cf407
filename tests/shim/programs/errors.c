/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.c - wrong calls, which must give the same output with and without the
 * shim.
 *
 * Each call is made with MPI_ERRORS_RETURN and with a handler of the program
 * on the communicator. Each rank prints one line: the error class, how often
 * the handler ran, whether with that class and communicator, and whether right
 * calls afterwards give the right results. Errors that MPICH itself does not
 * detect, such as negative counts in reductions, are omitted.
 *
 * Arguments are names of calls to omit, because the library itself crashes on
 * them. A call that hangs ends the program after 20 s; "begins NAME" names
 * it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { N = 6, MAX_SIZE = 64, LINE = 256 };

static MPI_Comm comm;
static int rank, size, calls, seen_class, seen_comm;
static int a[2 * N * MAX_SIZE], b[2 * N * MAX_SIZE];
static int counts[MAX_SIZE], displs[MAX_SIZE], bad_counts[MAX_SIZE];
static int other_counts[MAX_SIZE], other_displs[MAX_SIZE];
static MPI_Datatype uncommitted;
static MPI_Errhandler own;

static void handler(MPI_Comm *c, int *code, ...)
{
    calls++;
    MPI_Error_class(*code, &seen_class);
    seen_comm = *c == comm;
}

typedef int wrong_fn(void);

#define WRONG(name, call) static int name(void) { return call; }
WRONG(bcast_count, MPI_Bcast(a, -1, MPI_INT, 0, comm))
WRONG(bcast_root, MPI_Bcast(a, N, MPI_INT, size, comm))
WRONG(bcast_low_root, MPI_Bcast(a, N, MPI_INT, -5, comm))
WRONG(bcast_type, MPI_Bcast(a, N, MPI_DATATYPE_NULL, 0, comm))
WRONG(bcast_uncommitted, MPI_Bcast(a, 1, uncommitted, 0, comm))
WRONG(bcast_buffer, MPI_Bcast(NULL, N, MPI_INT, 0, comm))
WRONG(reduce_op, MPI_Reduce(a, b, N, MPI_INT, MPI_OP_NULL, 0, comm))
WRONG(reduce_op_type, MPI_Reduce(a, b, N / 2, MPI_DOUBLE, MPI_BAND, 0, comm))
WRONG(reduce_root, MPI_Reduce(a, b, N, MPI_INT, MPI_SUM, size, comm))
WRONG(allreduce_type,
      MPI_Allreduce(a, b, N, MPI_DATATYPE_NULL, MPI_SUM, comm))
WRONG(allreduce_alias, MPI_Allreduce(a, a, N, MPI_INT, MPI_SUM, comm))
WRONG(allreduce_pair, MPI_Allreduce(a, b, N, MPI_INT, MPI_MAXLOC, comm))
WRONG(block_op,
      MPI_Reduce_scatter_block(a, b, N, MPI_INT, MPI_OP_NULL, comm))
WRONG(reduce_scatter_count,
      MPI_Reduce_scatter(a, b, bad_counts, MPI_INT, MPI_SUM, comm))
WRONG(scan_op, MPI_Scan(a, b, N, MPI_INT, MPI_OP_NULL, comm))
WRONG(exscan_type,
      MPI_Exscan(a, b, N, MPI_DATATYPE_NULL, MPI_SUM, comm))
WRONG(exscan_alias, MPI_Exscan(a, a, N, MPI_INT, MPI_SUM, comm))
WRONG(alltoallv_alias,
      MPI_Alltoallv(a, counts, displs, MPI_INT, a, counts, displs, MPI_INT,
                    comm))
WRONG(gather_root, MPI_Gather(a, N, MPI_INT, b, N, MPI_INT, -2, comm))
WRONG(gather_count, MPI_Gather(a, -1, MPI_INT, b, -1, MPI_INT, 0, comm))
WRONG(scatter_type,
      MPI_Scatter(a, N, MPI_DATATYPE_NULL, b, N, MPI_DATATYPE_NULL, 0, comm))
WRONG(allgather_count, MPI_Allgather(a, -1, MPI_INT, b, N, MPI_INT, comm))
WRONG(allgather_uncommitted,
      MPI_Allgather(a, 1, uncommitted, b, 1, uncommitted, comm))
WRONG(alltoall_type,
      MPI_Alltoall(a, N, MPI_INT, b, N, MPI_DATATYPE_NULL, comm))
WRONG(gatherv_root,
      MPI_Gatherv(a, N, MPI_INT, b, counts, displs, MPI_INT, size, comm))
WRONG(gatherv_count,
      MPI_Gatherv(a, -1, MPI_INT, b, bad_counts, displs, MPI_INT, 0, comm))
WRONG(scatterv_count,
      MPI_Scatterv(a, bad_counts, displs, MPI_INT, b, -1, MPI_INT, 0, comm))
WRONG(allgatherv_count,
      MPI_Allgatherv(a, N, MPI_INT, b, bad_counts, displs, MPI_INT, comm))
WRONG(allgatherv_type,
      MPI_Allgatherv(a, N, MPI_INT, b, counts, displs, MPI_DATATYPE_NULL,
                     comm))
WRONG(alltoallv_count,
      MPI_Alltoallv(a, bad_counts, displs, MPI_INT, b, counts, displs,
                    MPI_INT, comm))
WRONG(allgather_longer, MPI_Allgather(a, N, MPI_INT, b, N / 2, MPI_INT, comm))
WRONG(alltoall_longer, MPI_Alltoall(a, N, MPI_INT, b, N / 2, MPI_INT, comm))
WRONG(allgather_own_block,
      MPI_Allgather(b + rank * N, N, MPI_INT, b, N, MPI_INT, comm))
#ifdef OPEN_MPI /* others report it at the root alone */
WRONG(gather_own_block,
      MPI_Gather(rank == 1 ? b + N : a, N, MPI_INT, b, N, MPI_INT, 1, comm))
WRONG(gatherv_own_block,
      MPI_Gatherv(rank == 1 ? b + N : a, N, MPI_INT, b, counts, displs,
                  MPI_INT, 1, comm))
WRONG(scatter_own_block,
      MPI_Scatter(b, N, MPI_INT, rank == 1 ? b + N : a, N, MPI_INT, 1, comm))
WRONG(scatterv_own_block,
      MPI_Scatterv(b, counts, displs, MPI_INT, rank == 1 ? b + N : a, N,
                   MPI_INT, 1, comm))
WRONG(allgather_own_block_of_one,
      MPI_Allgather(rank == 1 ? b + N : a, N, MPI_INT, b, N, MPI_INT, comm))
#endif
/* Not wrong: the blocks of one rank lie next to each other in one buffer. */
WRONG(alltoallv_one_buffer,
      MPI_Alltoallv(b, counts, displs, MPI_INT, rank == 1 ? b : a,
                    other_counts, other_displs, MPI_INT, comm))
/* Rank 1 has less room than the root sends. */
WRONG(bcast_short, MPI_Bcast(a, rank == 1 ? 2 : N, MPI_INT, 0, comm))
WRONG(bcast_null_comm, MPI_Bcast(a, N, MPI_INT, 0, MPI_COMM_NULL))

static int bcast_freed_comm(void)
{
    MPI_Comm gone, copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &gone);
    copy = gone;
    MPI_Comm_free(&gone);
    return MPI_Bcast(a, N, MPI_INT, 0, copy);
}

#define ROW(name) { #name, name }
static const struct {
    const char *name;
    wrong_fn *call;
} row[] = {
    ROW(bcast_count), ROW(bcast_root), ROW(bcast_low_root), ROW(bcast_type),
    ROW(bcast_uncommitted), ROW(bcast_buffer), ROW(reduce_op),
    ROW(reduce_op_type), ROW(reduce_root), ROW(allreduce_type),
    ROW(allreduce_alias), ROW(allreduce_pair), ROW(block_op),
    ROW(reduce_scatter_count), ROW(scan_op), ROW(exscan_type),
    ROW(exscan_alias), ROW(alltoallv_alias), ROW(alltoallv_one_buffer),
#ifdef OPEN_MPI
    ROW(gather_own_block), ROW(gatherv_own_block), ROW(scatter_own_block),
    ROW(scatterv_own_block), ROW(allgather_own_block_of_one),
#endif
    ROW(gather_root), ROW(gather_count), ROW(scatter_type),
    ROW(allgather_count), ROW(allgather_uncommitted), ROW(alltoall_type),
    ROW(gatherv_root), ROW(gatherv_count), ROW(scatterv_count),
    ROW(allgatherv_count), ROW(allgatherv_type), ROW(alltoallv_count),
    ROW(allgather_longer), ROW(alltoall_longer), ROW(allgather_own_block),
    ROW(bcast_null_comm), ROW(bcast_freed_comm), ROW(bcast_short)
};

/* Rank 0 prints for all ranks, because lines of two ranks may mix. */
static void tell(const char *line)
{
    char other[LINE];

    if (rank > 0) {
        PMPI_Send(line, LINE, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    fputs(line, stdout);
    for (int r = 1; r < size; r++)
        if (PMPI_Recv(other, LINE, MPI_CHAR, r, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE) == MPI_SUCCESS)
            fputs(other, stdout);
}

static void try(int i, const char *how)
{
    char line[LINE] = "";
    int rc, class;

    calls = seen_comm = 0;
    seen_class = MPI_SUCCESS;
    rc = row[i].call();
    MPI_Error_class(rc, &class);
    snprintf(line, sizeof(line), "rank %d: %s %s: class %d, handler %d times, "
             "class %d, communicator %d\n", rank, row[i].name, how, class,
             calls, seen_class, seen_comm);
    tell(line);
}

/* Check that right calls afterwards give the right results. */
static void after(int i)
{
    char line[LINE];
    int right = 1, in[N], out[N];

    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < N; j++) {
            in[j] = 100 * i + 10 * k + rank;
            out[j] = rank == 0 ? 100 * i + k : -1;
        }
        MPI_Bcast(out, N, MPI_INT, 0, comm);
        right &= out[N - 1] == 100 * i + k;
        MPI_Exscan(in, out, N, MPI_INT, MPI_SUM, comm);
        right &= rank == 0
              || out[N - 1] == rank * (100 * i + 10 * k)
                                   + rank * (rank - 1) / 2;
    }
    snprintf(line, sizeof(line), "rank %d: %s, after it right: %d\n", rank,
             row[i].name, right);
    tell(line);
}

static int left_out(int i, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], row[i].name) == 0)
            return 1;
    return 0;
}

static void each(int i)
{
    char line[LINE];
    const int n = snprintf(line, sizeof(line), "begins %s\n", row[i].name);

    /* Written at once: buffered output is lost if the call hangs. */
    if (rank == 0 && write(STDOUT_FILENO, line, (size_t)n) < 0)
        perror("errors");
    alarm(20);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    try(i, "returned");
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(comm, own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own); /* of no communicator */
    try(i, "handled");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (row[i].call != bcast_short) /* it leaves messages behind */
        after(i);
    PMPI_Barrier(MPI_COMM_WORLD); /* all ranks begin together */
    alarm(0);
}

int main(int argc, char **argv)
{
    const int nrow = (int)(sizeof(row) / sizeof(row[0]));
    char line[LINE] = "";

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int r = 0; r < size; r++) {
        counts[r] = N;
        displs[r] = r * N;
        other_counts[r] = N;
        other_displs[r] = (size + r) * N;
        bad_counts[r] = -1;
    }
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    for (int i = 0; i < nrow; i++)
        if (!left_out(i, argc, argv))
            each(i);
    /* Right calls still work. */
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    memset(a, rank == 0, sizeof(a));
    MPI_Bcast(a, N, MPI_INT, 0, comm);
    snprintf(line, sizeof(line), "rank %d: after all, %d\n", rank,
             a[N - 1] != 0);
    tell(line);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&own);
    MPI_Type_free(&uncommitted);
    MPI_Finalize();
    return 0;
}

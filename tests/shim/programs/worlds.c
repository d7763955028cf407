/* SPDX-License-Identifier: BSD-3-Clause */
/* worlds.c - processes that were started separately. argv[1]: "spawn", the
 * ranks start two more of this program; "connect", the halves of the ranks
 * meet through a port. Checks collectives on the inter-communicator, on its
 * merge, and on the worlds of both sides. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { N = 700, TIMES = 8 };

/* Collectives on an intra-communicator of any ranks. */
static void within(MPI_Comm comm, const char *what)
{
    static int in[N], out[N], all[64 * N];
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int k = 0; k < TIMES; k++) {
        const int root = k % size;

        for (int i = 0; i < N; i++)
            in[i] = rank + i * k;
        MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < N; i++)
            if (out[i] != size * (size - 1) / 2 + size * i * k) {
                check(0, what, k);
                break;
            }
        for (int i = 0; i < N; i++)
            out[i] = rank == root ? i ^ k : -1;
        MPI_Bcast(out, N, MPI_INT, root, comm);
        for (int i = 0; i < N; i++)
            if (out[i] != (i ^ k)) {
                check(0, what, k);
                break;
            }
        MPI_Allgather(in, N, MPI_INT, all, N, MPI_INT, comm);
        for (int r = 0; r < size; r++)
            check(all[r * N] == r && all[r * N + 1] == r + k, what, r);
        MPI_Barrier(comm);
    }
}

/* first: this side's sum goes to the other side, and the reverse. */
static void between(MPI_Comm inter, int first)
{
    int rank, size, others, x, sum;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &others);
    for (int k = 0; k < TIMES; k++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
        check(sum == others * (others - 1) / 2, "sum of the others", sum);
        x = first && rank == 0 ? 17 + k : -1;
        MPI_Bcast(&x, 1, MPI_INT,
                  !first ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        check(first ? x == (rank == 0 ? 17 + k : -1) : x == 17 + k,
              "bcast to the others", x);
        MPI_Barrier(inter);
    }
}

static void all_of(MPI_Comm inter, int first)
{
    MPI_Comm merged, copy;
    int wrong = 0;

    between(inter, first);
    MPI_Intercomm_merge(inter, !first, &merged);
    within(merged, "all of both");
    MPI_Comm_dup(merged, &copy);
    within(copy, "a copy of it");
    MPI_Allreduce(&check_wrong, &wrong, 1, MPI_INT, MPI_SUM, merged);
    check_wrong = wrong;
    MPI_Comm_free(&copy);
    MPI_Comm_free(&merged);
}

static void spawn(const char *self)
{
    char *arg[] = { "spawned", NULL };
    int codes[2];
    MPI_Comm inter;

    MPI_Comm_spawn(self, arg, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   codes);
    all_of(inter, 1);
    MPI_Comm_disconnect(&inter);
}

static void meet(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int rank, size, first;
    MPI_Comm half, inter;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = rank < size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    within(half, "a half");
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    PMPI_Bcast(port, (int)sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (first)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    all_of(inter, first);
    MPI_Comm_disconnect(&inter);
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int ret = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    within(MPI_COMM_WORLD, "this world");
    if (parent != MPI_COMM_NULL) {
        all_of(parent, 0);
        within(MPI_COMM_WORLD, "the spawned world, after all");
        MPI_Comm_disconnect(&parent);
    } else {
        if (argc > 1 && strcmp(argv[1], "spawn") == 0)
            spawn(argv[0]);
        else
            meet();
        within(MPI_COMM_WORLD, "the first world, after all");
        ret = check_done("worlds");
    }
    MPI_Finalize();
    return ret != 0;
}

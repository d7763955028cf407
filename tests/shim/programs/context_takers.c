/* SPDX-License-Identifier: BSD-3-Clause */
/* context_takers.c - makes objects of kind argv[1] that take contexts, until
 * the library runs out, after broadcasts on argv[2] duplicates. Prints the
 * number each time, as some libraries end the program then.
 *
 * Kind "uneven": rank 0 takes all of its own contexts first. Kind "some": only
 * every other rank broadcasts, and all ranks take. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 4000, FIRST = 64 };

static int rank, size, windows;
static MPI_Comm base, half;
static MPI_Win window[MOST];
static char path[] = "context_takers.tmp";

static int to_graph(MPI_Comm *comm, const char *kind)
{
    const int to = (rank + 1) % size, from = (rank + size - 1) % size, one = 1;
    int index[FIRST], edges[FIRST];

    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    if (strcmp(kind, "graph") == 0)
        return MPI_Graph_create(base, size, index, edges, 0, comm);
    if (strcmp(kind, "dist_graph") == 0)
        return MPI_Dist_graph_create(base, 1, &rank, &one, &to, &one,
                                     MPI_INFO_NULL, 0, comm);
    return MPI_Dist_graph_create_adjacent(base, 1, &from, &one, 1, &to, &one,
                                          MPI_INFO_NULL, 0, comm);
}

static int make_window(const char *kind, MPI_Win *win)
{
    void *at;

    if (strcmp(kind, "win_create") == 0)
        return MPI_Win_create(path, 1, 1, MPI_INFO_NULL, base, win);
    if (strcmp(kind, "win_allocate") == 0)
        return MPI_Win_allocate(8, 1, MPI_INFO_NULL, base, &at, win);
    if (strcmp(kind, "win_shared") == 0)
        return MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, base, &at, win);
    return MPI_Win_create_dynamic(MPI_INFO_NULL, base, win);
}

static int to_window(const char *kind)
{
    int err = make_window(kind, &window[windows]);

    windows += err == MPI_SUCCESS;
    return err;
}

/* UCX may crash in MPI_Finalize if windows are left. */
static void free_windows(void)
{
    int least;

    MPI_Allreduce(&windows, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int i = 0; i < least; i++)
        MPI_Win_free(&window[i]);
}

static int to_file(void)
{
    MPI_File file;

    return MPI_File_open(base, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file);
}

static int to_inter(MPI_Comm *comm)
{
    return MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0, 5,
                                comm);
}

static int merge(MPI_Comm *comm)
{
    static MPI_Comm inter = MPI_COMM_NULL;

    if (inter == MPI_COMM_NULL)
        to_inter(&inter);
    return MPI_Intercomm_merge(inter, rank % 2, comm);
}

static int take(const char *kind)
{
    int dims = size, periods = 0;
    MPI_Comm comm;

    if (strstr(kind, "graph") != NULL)
        return to_graph(&comm, kind);
    if (strncmp(kind, "win_", 4) == 0)
        return to_window(kind);
    if (strcmp(kind, "file") == 0)
        return to_file();
    if (strcmp(kind, "inter") == 0)
        return to_inter(&comm);
    if (strcmp(kind, "merge") == 0)
        return merge(&comm);
    if (strcmp(kind, "cart") == 0)
        return MPI_Cart_create(base, 1, &dims, &periods, 0, &comm);
    return MPI_Comm_dup(base, &comm);
}

static void use(MPI_Comm comm)
{
    int me;

    MPI_Comm_rank(comm, &me);
    for (int k = 0; k < 6; k++) {
        int x = me == 0 ? 40 + k : -1;

        MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        check(x == 40 + k, "bcast", x);
    }
}

static void take_own(void)
{
    MPI_Comm comm;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < MOST && rank == 0; i++)
        if (MPI_Comm_dup(MPI_COMM_SELF, &comm) != MPI_SUCCESS)
            break;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const int first = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Comm comm[FIRST];
    int n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    base = strcmp(kind, "inter") == 0 || strcmp(kind, "some") == 0
               ? half : MPI_COMM_WORLD;
    for (int i = 0; i < first && i < FIRST; i++) {
        MPI_Comm_dup(base, &comm[i]);
        use(comm[i]);
    }
    base = strcmp(kind, "some") == 0 ? MPI_COMM_WORLD : base;
    if (strcmp(kind, "uneven") == 0)
        take_own();
    while (n < MOST && take(kind) == MPI_SUCCESS)
        if (++n && rank == 0) {
            printf("made %d\n", n);
            fflush(stdout);
        }
    for (int i = 0; i < first && i < FIRST; i++)
        use(comm[i]);
    if (rank == 0)
        unlink(path);
    free_windows();
    check_done("context_takers");
    MPI_Finalize(); /* other objects are not freed */
    return check_wrong != 0;
}

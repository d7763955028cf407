/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - threads call collectives at once, each on its own communicators,
 * from the first covered call on, and each makes and frees others.
 *
 * Threads share one type with elements of different sizes. Each also makes and
 * frees types of its own, whose handles are reused. Finally, one thread calls
 * collectives on a communicator that another thread makes and frees: the
 * handle it has cached then belongs to another communicator. */
#include <pthread.h>
#include <stddef.h>

#include "check.h"

enum {
    THREADS = 3, CALLS = 60, COPIES = 4, N = 300, TYPES = 8, OFTEN = 6,
    LENT = 12
};

struct uneven {
    double x;
    int y;
    short z[2];
};

static int size;
static int wrong[THREADS];
static MPI_Datatype shared;

struct work {
    MPI_Comm comm;
    int *wrong;
    int seed;
};

static void use(const struct work *w, MPI_Comm comm)
{
    for (int i = 0; i < CALLS; i++) {
        int x[N], sum[N];

        for (int k = 0; k < N; k++)
            x[k] = w->seed + i + k;
        MPI_Allreduce(x, sum, N, MPI_INT, MPI_SUM, comm);
        MPI_Bcast(x, N, MPI_INT, i % size, comm);
        for (int k = 0; k < N; k++)
            *w->wrong += sum[k] != size * (w->seed + i + k);
    }
}

/* turn 0: all members; 1: without z; 2: x and the first of z. */
static MPI_Datatype make(int turn)
{
    const MPI_Aint at[3] = { offsetof(struct uneven, x),
                             turn == 2 ? offsetof(struct uneven, z)
                                       : offsetof(struct uneven, y),
                             offsetof(struct uneven, z) };
    const MPI_Datatype part[3] = { MPI_DOUBLE,
                                   turn == 2 ? MPI_SHORT : MPI_INT,
                                   MPI_SHORT };
    const int length[3] = { 1, 1, 2 };
    MPI_Datatype raw, type;

    MPI_Type_create_struct(turn == 0 ? 3 : 2, length, at, part, &raw);
    MPI_Type_create_resized(raw, 0, sizeof(struct uneven), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&raw);
    return type;
}

static void cast(const struct work *w, MPI_Datatype type, int turn, int seed)
{
    struct uneven v[N];
    int rank, root = seed % size;

    MPI_Comm_rank(w->comm, &rank);
    for (int k = 0; k < N; k++)
        v[k] = rank == root
                   ? (struct uneven){ seed + k, seed - k, { (short)k, 7 } }
                   : (struct uneven){ -1, -1, { -1, -1 } };
    MPI_Bcast(v, N, type, root, w->comm);
    for (int k = 0; k < N && rank != root; k++)
        *w->wrong += v[k].x != seed + k
                   || v[k].y != (turn == 2 ? -1 : seed - k)
                   || v[k].z[0] != (turn == 1 ? -1 : k)
                   || v[k].z[1] != (turn == 0 ? 7 : -1);
}

static void *work(void *data)
{
    const struct work *w = data;
    MPI_Comm copy;

    for (int i = 0; i < TYPES; i++) {
        MPI_Datatype own = make(i % 3);

        for (int k = 0; k < OFTEN; k++) /* until it is cached */
            cast(w, own, i % 3, i + k);
        cast(w, shared, 0, i);
        cast(w, own, i % 3, i + 1);
        MPI_Type_free(&own);
    }
    use(w, w->comm);
    for (int i = 0; i < COPIES; i++) {
        MPI_Comm_dup(w->comm, &copy);
        use(w, copy);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

/* Communicator made and freed by another thread. backwards: its ranks are in
 * the reverse order of MPI_COMM_WORLD. */
static struct {
    pthread_barrier_t turn;
    MPI_Comm comm;
    int backwards;
    int wrong;
} lent;

static void *borrow(void *unused)
{
    (void)unused;
    for (int i = 0; i < LENT; i++) {
        int all[N], first, rank;

        pthread_barrier_wait(&lent.turn);
        for (int k = 0; k < OFTEN; k++) {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            first = rank;
            MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, lent.comm);
            MPI_Bcast(&first, 1, MPI_INT, 0, lent.comm);
            for (int r = 0; r < size; r++)
                lent.wrong += all[r] != (lent.backwards ? size - 1 - r : r);
            lent.wrong += first != (lent.backwards ? size - 1 : 0);
        }
        pthread_barrier_wait(&lent.turn);
    }
    return NULL;
}

static void lend(void)
{
    pthread_t thread;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&lent.turn, NULL, 2);
    pthread_create(&thread, NULL, borrow, NULL);
    for (int i = 0; i < LENT; i++) {
        lent.backwards = i % 2;
        MPI_Comm_split(MPI_COMM_WORLD, 0, lent.backwards ? -rank : rank,
                       &lent.comm);
        pthread_barrier_wait(&lent.turn);
        pthread_barrier_wait(&lent.turn);
        MPI_Comm_free(&lent.comm);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&lent.turn);
    check(lent.wrong == 0, "lent", lent.wrong);
}

int main(int argc, char **argv)
{
    struct work w[THREADS];
    pthread_t thread[THREADS];
    int provided, ret;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("threads: not provided\n");
        MPI_Finalize();
        return 77;
    }
    shared = make(0);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct work){ .wrong = &wrong[i], .seed = 1000 * i };
        MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &w[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        check(wrong[i] == 0, "thread", i);
        MPI_Comm_free(&w[i].comm);
    }
    MPI_Type_free(&shared);
    if (size <= N)
        lend();
    ret = check_done("threads");
    MPI_Finalize();
    return ret != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* shares.c - eight threads, each with its own communicator, all in reductions
 * of 128 KiB at once. Before that each communicator is called once, in turn.
 * Afterwards they are freed, and one more is made and called. With an
 * argument: the same calls without threads, one after the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { COMMS = 8, CALLS = 30, N = 16384 };

struct work {
    MPI_Comm comm;
    int size, wrong;
    double in[N], out[N];
};

static struct work work[COMMS];

static void call(struct work *w)
{
    for (int k = 0; k < N; k++)
        w->in[k] = k % 100;
    MPI_Allreduce(w->in, w->out, N, MPI_DOUBLE, MPI_SUM, w->comm);
    for (int k = 0; k < N; k++)
        w->wrong += w->out[k] != (k % 100) * w->size;
}

static void *calls(void *data)
{
    for (int i = 0; i < CALLS; i++)
        call(data);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc < 2;
    pthread_t thread[COMMS];
    int level, rank, wrong = 0, sum;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE
                                          : MPI_THREAD_SINGLE, &level);
    if (threads && level < MPI_THREAD_MULTIPLE) {
        puts("shares: not provided");
        MPI_Finalize();
        return 77;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
        MPI_Comm_size(work[i].comm, &work[i].size);
        call(&work[i]);
    }
    for (int i = 0; i < COMMS; i++)
        if (!threads)
            calls(&work[i]);
        else
            pthread_create(&thread[i], NULL, calls, &work[i]);
    for (int i = 0; i < COMMS && threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < COMMS; i++) {
        wrong += work[i].wrong;
        MPI_Comm_free(&work[i].comm);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &work[0].comm);
    call(&work[0]);
    wrong += work[0].wrong;
    MPI_Comm_free(&work[0].comm);
    MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("shares: wrong=%d\n", sum);
    MPI_Finalize();
    return 0;
}

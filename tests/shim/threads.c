/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - two threads on two communicators at once, from the very first
 * covered call on. */
#include <pthread.h>

#include "check.h"

enum { CALLS = 200, N = 300 };

static int size;
static int wrong[2];

struct work {
    MPI_Comm comm;
    int *wrong;
    int seed;
};

static void *work(void *data)
{
    struct work *w = data;

    for (int i = 0; i < CALLS; i++) {
        int x[N], sum[N];

        for (int k = 0; k < N; k++)
            x[k] = w->seed + i + k;
        MPI_Allreduce(x, sum, N, MPI_INT, MPI_SUM, w->comm);
        MPI_Bcast(x, N, MPI_INT, i % size, w->comm);
        for (int k = 0; k < N; k++)
            *w->wrong += sum[k] != size * (w->seed + i + k);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work w[2];
    pthread_t thread[2];
    int provided, ret;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("threads: not provided\n");
        MPI_Finalize();
        return 77;
    }
    for (int i = 0; i < 2; i++) {
        w[i] = (struct work){ .wrong = &wrong[i], .seed = 1000 * i };
        MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &w[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) {
        check(wrong[i] == 0, "thread", i);
        MPI_Comm_free(&w[i].comm);
    }
    ret = check_done("threads");
    MPI_Finalize();
    return ret != 0;
}

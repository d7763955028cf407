/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - threads on communicators of their own at once, from the very
 * first covered call on; each makes and frees others meanwhile. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 3, CALLS = 60, COPIES = 4, N = 300 };

static int size;
static int wrong[THREADS];

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

static void *work(void *data)
{
    const struct work *w = data;
    MPI_Comm copy;

    use(w, w->comm);
    for (int i = 0; i < COPIES; i++) {
        MPI_Comm_dup(w->comm, &copy);
        use(w, copy);
        MPI_Comm_free(&copy);
    }
    return NULL;
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
    ret = check_done("threads");
    MPI_Finalize();
    return ret != 0;
}

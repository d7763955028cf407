/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_start.c - duration of a program's start and end (shim_start.sh). argv[1]
 * is preloaded by executing the program again: the shim and libshim_clock.so,
 * or only the latter. Each rank prints milliseconds: from the exec to main,
 * MPI_Init, the first calls, MPI_Finalize, the total; and the time in the shim
 * in MPI_Init and in MPI_Finalize. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* More calls than the shim leaves to the library. */
enum { CALLS = 8 };

static double deleting; /* ms: end of the shim's part of MPI_Init */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void begin_anew(char **argv)
{
    char text[32];

    setenv("LD_PRELOAD", argv[1], 1);
    snprintf(text, sizeof(text), "%.6f", now());
    argv[1] = text;
    argv[0] = "anew";
    execv("/proc/self/exe", argv);
    perror("shim_start: /proc/self/exe");
    exit(3);
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    deleting = now();
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    const double *clock; /* shim_clock.c */
    double t[5];
    int x = 1, key;

    if (argc < 2) {
        fprintf(stderr, "shim_start: name the libraries to preload\n");
        return 2;
    }
    if (argv[0][0] != 'a')
        begin_anew(argv);
    t[0] = now();
    MPI_Init(&argc, &argv);
    t[1] = now();
    clock = dlsym(RTLD_DEFAULT, "shim_clock");
    if (clock == NULL) {
        fprintf(stderr, "shim_start: libshim_clock.so is not preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &x);
    for (int i = 0; i < CALLS; i++) {
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    t[2] = now();
    MPI_Finalize();
    t[3] = now();
    t[4] = strtod(argv[1], NULL);
    printf("%.4f %.4f %.4f %.4f %.4f %.4f %.4f\n", t[0] - t[4], t[1] - t[0],
           t[2] - t[1], t[3] - t[2], t[3] - t[4], t[1] - clock[0],
           clock[1] - t[2] + clock[2] - deleting);
    return 0;
}

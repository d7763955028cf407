/* SPDX-License-Identifier: BSD-3-Clause */
/* program_ends.c - ways in which programs end; argv[1]:
 *
 *   atexit    a handler of exit() calls MPI_Finalize
 *   abort     the last rank aborts while the others are in a collective
 *   fork      child processes end in every way while the parents go on
 *   truncate  the last rank's buffer is too short: its error handler runs
 *   leftover  blocks longer than their buffers, also where only the root is
 *             wrong: later calls are right
 *   early     a callback of MPI_Finalize, set before the shim's own
 *   full      makes communicators until the library runs out; prints how
 * many */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 4000 }; /* twice as many as MPICH has */

static int rank, size, handled, class;
static MPI_Comm own;

static void use(MPI_Comm comm)
{
    int x = rank == 0 ? 3 : 0, sum;

    for (int i = 0; i < 8; i++) {
        MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(x == 3 && sum == 3 * size, "value", i);
    }
}

static void finalize(void)
{
    use(MPI_COMM_WORLD);
    check_done("program_ends");
    MPI_Finalize();
}

static void fork_children(void)
{
    int status;

    for (int how = 0; how < 4; how++) {
        pid_t pid = fork();

        if (pid == 0) {
            if (how == 0)
                _exit(0);
            if (how == 1)
                exit(0);
            if (how == 2)
                return (void)execlp("true", "true", (char *)NULL), _exit(1);
            abort();
        }
        use(MPI_COMM_WORLD);
        check(pid > 0 && waitpid(pid, &status, 0) == pid, "a child", how);
        check(how == 3 ? WIFSIGNALED(status) : WIFEXITED(status)
              && WEXITSTATUS(status) == 0, "its end", status);
    }
    check(system("true") == 0, "a command", 0);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    MPI_Error_class(*code, &class);
    check(*comm == own, "the communicator of the error", 0);
    handled++;
}

static void truncate_one(void)
{
    char buf[64] = "";
    MPI_Errhandler handler;
    int rc;

    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    use(own);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(own, handler);
    rc = MPI_Bcast(buf, rank == size - 1 ? 8 : 64, MPI_CHAR, 0, own);
    if (rank == size - 1) {
        check(rc != MPI_SUCCESS && handled == 1, "errors handled", handled);
        check(class == MPI_ERR_TRUNCATE, "class of the error", class);
        MPI_Error_class(rc, &class);
        check(class == MPI_ERR_TRUNCATE, "class that is returned", class);
    } else {
        check(rc == MPI_SUCCESS && handled == 0, "an error elsewhere", rc);
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&own);
}

/* Messages left by a wrong call must not match later calls. */
static void right_after(int count)
{
    int one = rank + 1, sum = 0, all[64];

    check(handled == (rank == 0 ? count : 0), "errors handled", handled);
    check(rank != 0 || class == MPI_ERR_TRUNCATE, "class of the error", class);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, own);
    check(rank != 0 || sum == size * (size + 1) / 2, "sum", sum);
    use(own);
    if (count > 1) /* the library's gather sees leftovers */
        return;
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 0, own);
    for (int i = 0; rank == 0 && i < size; i++)
        check(all[i] == i + 1, "gathered", all[i]);
}

/* The root's own block, the last in its buffer, is longer than its room. */
static void gather_too_much(void)
{
    int from[10], to[64 + 10], counts[64], displs[64], rc;

    for (int i = 0; i < 10; i++)
        from[i] = rank;
    for (int i = 0; i < 64 + 10; i++)
        to[i] = -1;
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        displs[i] = size - 1 - i;
    }
    rc = MPI_Gatherv(from, rank == 0 ? 10 : 1, MPI_INT, to, counts, displs,
                     MPI_INT, 0, own);
    check(rank == 0 ? rc != MPI_SUCCESS : rc == MPI_SUCCESS, "own block", rc);
    for (int i = size; rank == 0 && i < 64 + 10; i++)
        check(to[i] == -1, "what is behind the buffer", to[i]);
}

static void leave_over(void)
{
    MPI_Errhandler handler;
    int from[10] = { 0 }, to[10 * 64], rc;

    /* MPICH's MPI_Wait calls the handler of MPI_COMM_WORLD for any
     * communicator. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    use(own);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(own, handler);
    rc = MPI_Gather(from, rank == 0 ? 1 : 10, MPI_INT, to, 1, MPI_INT, 0, own);
    check(rank == 0 ? rc != MPI_SUCCESS : rc == MPI_SUCCESS, "blocks", rc);
    right_after(1);
    rc = MPI_Gather(from, 10, MPI_INT, to, 1, MPI_INT, 0, own);
    check(rank == 0 ? rc != MPI_SUCCESS : rc == MPI_SUCCESS, "root", rc);
    right_after(2);
    gather_too_much();
    right_after(3);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&own);
}

static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    use(MPI_COMM_WORLD);
    if (rank == 0)
        printf("program_ends: finalize wrong=%d\n", check_wrong);
    fflush(stdout);
    return MPI_SUCCESS;
}

static void early(void)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    use(MPI_COMM_WORLD);
}

/* Each is used before the next is made, so private ones are made in between.
 * With strict they have no error handler, so running out of them ends the
 * program. */
static void full(int strict)
{
    MPI_Comm *comm = malloc(MOST * sizeof(*comm));
    MPI_Comm base = MPI_COMM_WORLD;
    int n = 0;

    if (strict)
        MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (n < MOST && MPI_Comm_dup(base, &comm[n]) == MPI_SUCCESS)
        if (n++ < 3)
            use(comm[n - 1]);
    if (rank == 0)
        printf("program_ends: %d communicators\n", n);
    if (strict)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    use(comm[n - 1]);
    use(comm[n / 2]);
    use(comm[0]);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
    if (strict)
        MPI_Comm_free(&base);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    use(own);
    MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int threads = argc > 2 && strcmp(argv[2], "threads") == 0;
    int ret, provided;

    MPI_Init_thread(&argc, &argv,
                    threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(MPI_COMM_WORLD);
    if (strcmp(how, "atexit") == 0) {
        atexit(finalize);
        return 0;
    }
    if (strcmp(how, "abort") == 0) {
        if (rank == size - 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        use(MPI_COMM_WORLD);
    }
    if (strcmp(how, "fork") == 0)
        fork_children();
    if (strcmp(how, "truncate") == 0)
        truncate_one();
    if (strcmp(how, "leftover") == 0)
        leave_over();
    if (strcmp(how, "early") == 0)
        early();
    if (strcmp(how, "full") == 0)
        full(threads);
    ret = check_done("program_ends");
    MPI_Finalize();
    return ret != 0;
}

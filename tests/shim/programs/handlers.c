/* SPDX-License-Identifier: BSD-3-Clause */
/* handlers.c - error handlers around calls that make communicators, and in the
 * callbacks of MPI_Comm_dup. Each rank prints which handlers ran how often;
 * the lines must be the same with and without the shim. With an argument it
 * makes communicators until the library runs out: the communicator's present
 * handler runs once. */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

enum { MOST = 100000 };

static int rank, size, depth, key, last_class;
static int calls[3];         /* calls of the handlers: first, second, world */
static MPI_Comm expected;    /* communicator of the next error */
static int strange;          /* errors of another communicator */
static MPI_Errhandler first, second, world;

static void note(int which, MPI_Comm comm, int code)
{
    calls[which]++;
    strange += comm != expected;
    MPI_Error_class(code, &last_class);
}

static void on_first(MPI_Comm *comm, int *code, ...)
{
    note(0, *comm, *code);
}

static void on_second(MPI_Comm *comm, int *code, ...)
{
    note(1, *comm, *code);
}

static void on_world(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    calls[2]++;
    MPI_Error_class(*code, &last_class);
}

static void tell(const char *what)
{
    printf("rank %d: %s: handlers called %d %d %d, class %d, strange %d\n",
           rank, what, calls[0], calls[1], calls[2],
           last_class == MPI_ERR_COUNT ? 1 : last_class == MPI_ERR_COMM ? 2
                                                                        : 0,
           strange);
    memset(calls, 0, sizeof(calls));
    last_class = strange = 0;
}

static const char *handler_of(MPI_Comm comm)
{
    MPI_Errhandler has;
    const char *name;

    MPI_Comm_get_errhandler(comm, &has);
    name = has == first               ? "first"
           : has == second            ? "second"
           : has == MPI_ERRORS_RETURN ? "return"
           : has == MPI_ERRORS_ARE_FATAL ? "fatal"
                                         : "another";
    MPI_Errhandler_free(&has);
    return name;
}

static void wrong_call(MPI_Comm comm)
{
    int x = 0;

    expected = comm;
    MPI_Bcast(&x, -1, MPI_INT, 0, comm);
}

/* Communicators made by callbacks, checked after the call. */
static MPI_Comm kept[4];
static int nkept;
static enum { LOOK, CHANGE } to_do;

static int copy(MPI_Comm comm, int k, void *extra, void *in, void *out,
                int *flag)
{
    MPI_Request request;
    MPI_Group group;

    (void)k;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    if (depth++ == 0) {
        printf("rank %d: in a callback it is %s\n", rank, handler_of(comm));
        if (to_do == CHANGE)
            MPI_Comm_set_errhandler(comm, second);
        printf("rank %d: then %s\n", rank, handler_of(comm));
        wrong_call(comm);
        wrong_call(comm);
        tell("two wrong calls in a callback");
        MPI_Comm_dup(comm, &kept[nkept++]);
        MPI_Comm_split(comm, 0, -rank, &kept[nkept++]);
        MPI_Comm_idup(comm, &kept[nkept++], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_group(comm, &group);
        MPI_Comm_create_group(comm, group, 7, &kept[nkept++]);
        MPI_Group_free(&group);
        printf("rank %d: after four communicators %s\n", rank,
               handler_of(comm));
        wrong_call(comm);
        tell("and a wrong call");
    }
    depth--;
    return MPI_SUCCESS;
}

static void callbacks(MPI_Errhandler handler, int change)
{
    MPI_Comm comm, made;

    to_do = change ? CHANGE : LOOK;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_attr(comm, key, NULL);
    nkept = 0;
    MPI_Comm_dup(comm, &made);
    printf("rank %d: afterwards %s, the new one's %s\n", rank,
           handler_of(comm), handler_of(made));
    wrong_call(comm);
    wrong_call(made);
    tell("wrong calls on both");
    for (int i = 0; i < nkept; i++) {
        wrong_call(kept[i]);
        printf("rank %d: of a callback's %d: %s\n", rank, i,
               handler_of(kept[i]));
        wrong_call(kept[i]);
        tell("wrong calls on it");
        MPI_Comm_free(&kept[i]);
    }
    MPI_Comm_free(&made);
    MPI_Comm_free(&comm);
}

/* A handler for each of many communicators. */
static void many_handlers(void)
{
    for (int i = 0; i < 100; i++) {
        MPI_Comm comm, made;
        MPI_Errhandler own;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_create_errhandler(i % 2 ? on_first : on_second, &own);
        MPI_Comm_set_errhandler(comm, own);
        MPI_Comm_dup(comm, &made);
        MPI_Errhandler_free(&own);
        wrong_call(made);
        wrong_call(comm);
        MPI_Comm_free(&made);
        MPI_Comm_free(&comm);
    }
    tell("100 handlers");
}

static void freed(void)
{
    MPI_Comm made;
#ifndef OPEN_MPI /* in Open MPI it is freed memory */
    MPI_Comm comm, copy_of;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy_of = comm;
    MPI_Comm_free(&comm);
    MPI_Comm_dup(copy_of, &made);
    tell("one that was freed");
#endif
    MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made);
    tell("MPI_COMM_NULL");
}

static int full_kept;

static int copy_full(MPI_Comm comm, int k, void *extra, void *in, void *out,
                     int *flag)
{
    (void)k;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 1;
    if (strcmp(handler_of(comm), "first") != 0)
        full_kept++;
    return MPI_SUCCESS;
}

static void full(void)
{
    static MPI_Comm comm[MOST];
    int n = 0, sum;
    MPI_Comm base;

    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_keyval(copy_full, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_set_errhandler(base, first);
    MPI_Comm_set_attr(base, key, NULL);
    expected = base;
    while (n < MOST && MPI_Comm_dup(base, &comm[n]) == MPI_SUCCESS)
        if (n++ < 3)
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[n - 1]);
    printf("rank %d: %d communicators, %d with a strange handler\n", rank, n,
           full_kept);
    tell("no more");
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Comm_free(&base);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(on_first, &first);
    MPI_Comm_create_errhandler(on_second, &second);
    MPI_Comm_create_errhandler(on_world, &world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, world);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    if (argc > 1) {
#ifdef OPEN_MPI
        printf("not tried\n");
        (void)full;
#else
        full();
#endif
    } else {
        callbacks(first, 0);
        callbacks(first, 1);
        callbacks(MPI_ERRORS_RETURN, 0);
        callbacks(MPI_ERRORS_RETURN, 1);
        many_handlers();
        freed();
    }
    MPI_Comm_free_keyval(&key);
    MPI_Errhandler_free(&first);
    MPI_Errhandler_free(&second);
    MPI_Errhandler_free(&world);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_lifetimes.c - makes and frees communicators in every order, makes
 * errors, and uses MPI in MPI_Finalize.
 *
 * argv[1]  number of short-lived communicators
 * argv[2]  number of communicators at once
 * argv[3]  if present, start with MPI_THREAD_MULTIPLE */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

#ifdef CHORALE_TESTS_SHIM_PROGRAMS_WITH_LIBCHORALE_H /* no MPI_Comm_free in
                                              * libchorale */
enum { SEES_FREE = 0 };
#else
enum { SEES_FREE = 1 };
#endif

static int rank, size;
static int copies, handled;

static int count_copy(MPI_Comm comm, int key, void *extra, void *in,
                      void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void use(MPI_Comm comm, int times)
{
    for (int i = 0; i < times; i++) {
        int x = rank == 0 ? 17 + i : 0, sum;

        MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        check(x == 17 + i, "bcast", x);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == x * size, "allreduce", sum);
    }
}

/* Bytes of heap and of address space that the process holds. */
struct held {
    long long heap, addresses;
};

static struct held held(void)
{
    const struct mallinfo2 info = mallinfo2();
    struct held h = { (long long)(info.uordblks + info.hblkhd), 0 };
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%lld", &h.addresses) != 1)
        h.addresses = 0;
    if (file != NULL)
        fclose(file);
    h.addresses *= sysconf(_SC_PAGESIZE);
    return h;
}

/* The second half of many communicators must not increase memory. */
static void short_lived(int n)
{
    struct held before = {0};

    for (int i = 0; i < n; i++) {
        MPI_Comm comm;

        if (i == n / 2)
            before = held();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm, 4);
        MPI_Comm_free(&comm);
    }
    if (rank == 0 && n > 1)
        printf("comm_lifetimes: %lld bytes and %lld MiB of addresses more\n",
               held().heap - before.heap,
               (held().addresses - before.addresses) >> 20);
}

/* With the shim's private ones they are more than the library has. */
static void all_at_once(int n)
{
    MPI_Comm *comm = malloc((size_t)n * sizeof(*comm) + 1);

    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        use(comm[i], 3);
    }
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    free(comm);
}

/* Several at once: freed oldest first, newest first, and a duplicate after its
 * parent. */
static void in_any_order(void)
{
    enum { N = 12 };
    MPI_Comm comm[N];

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++) {
            MPI_Comm_dup(i % 3 == 2 ? comm[i - 1] : MPI_COMM_WORLD, &comm[i]);
            use(comm[i], 4);
        }
        for (int i = 0; i < N; i++)
            MPI_Comm_free(&comm[turn ? i : N - 1 - i]);
    }
}

/* Attribute callbacks must not run for private communicators. */
static void own_attributes(void)
{
    MPI_Comm comm, copy;
    int key;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &copies);
    use(comm, 8);
    check(copies == 0, "attribute callbacks run", copies);
    MPI_Comm_dup(comm, &copy);
    check(copies == 1, "attribute callbacks run at a duplicate", copies);
    use(copy, 8);
    MPI_Comm_free(&comm);
    use(copy, 2);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&key);
}

static int at_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key;
    (void)value;
    (void)extra;
    use(comm, 8);
    return MPI_SUCCESS;
}

/* Callbacks of a communicator being freed still call collectives on it, before
 * and after the shim's state is freed. The next communicator may get the same
 * handle with another order of ranks. */
static void own_callbacks(void)
{
    MPI_Comm comm;
    int key;

    for (int first = 0; first < 2; first++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_free, &key, NULL);
        if (first)
            MPI_Comm_set_attr(comm, key, NULL);
        use(comm, 8);
        if (!first)
            MPI_Comm_set_attr(comm, key, NULL);
        if (first)
            MPI_Comm_disconnect(&comm);
        else
            MPI_Comm_free(&comm);
        MPI_Comm_free_keyval(&key);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        for (int i = 0; i < 8; i++) {
            int x = rank;

            MPI_Bcast(&x, 1, MPI_INT, 0, comm);
            check(x == size - 1, "bcast after callbacks", x);
        }
        MPI_Comm_free(&comm);
    }
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

static int class_of(int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    return class;
}

/* Wrong arguments on all ranks: the library reports the error, once. */
static void own_errors(void)
{
    MPI_Errhandler handler, got;
    MPI_Comm comm;
    int x = 1, y = 1;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    use(comm, 8);
    check(class_of(MPI_Bcast(&x, 1, MPI_INT, size, comm)) == MPI_ERR_ROOT,
          "class of a wrong root", 0);
    check(class_of(MPI_Bcast(&x, -1, MPI_INT, 0, comm)) == MPI_ERR_COUNT,
          "class of a wrong count", 0);
    check(class_of(MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, comm))
              == MPI_ERR_TYPE, "class of a wrong type", 0);
    check(class_of(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm))
              == MPI_ERR_OP, "class of a wrong operation", 0);
    check(handled == 4, "errors handled", handled);
    MPI_Comm_get_errhandler(comm, &got);
    check(got == handler, "the error handler is still the own one", 0);
    use(comm, 2);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* Wrong calls of one rank, before the ranks of a communicator agree: they must
 * not count as calls of all ranks. */
static void errors_of_one(void)
{
    MPI_Comm comm;
    int x = 1, y = 1;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rank == 0) {
        check(class_of(MPI_Bcast(&x, -1, MPI_INT, 0, comm)) == MPI_ERR_COUNT,
              "class of one rank's wrong count", 0);
        check(class_of(MPI_Bcast(&x, 1, MPI_INT, size, comm)) == MPI_ERR_ROOT,
              "class of one rank's wrong root", 0);
        check(class_of(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm))
                  == MPI_ERR_OP, "class of one rank's wrong operation", 0);
    }
    use(comm, 8);
    MPI_Comm_free(&comm);
}

static void between_groups(void)
{
    MPI_Comm half, inter, merged;
    int x = rank == 0 ? 5 : 0, upper = rank >= size / 2;

    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 3,
                         &inter);
    for (int i = 0; i < 8; i++) {
        MPI_Bcast(&x, 1, MPI_INT, upper ? 0 : rank == 0 ? MPI_ROOT
                                                        : MPI_PROC_NULL,
                  inter);
        check(!upper || x == 5, "bcast between groups", x);
    }
    MPI_Intercomm_merge(inter, upper, &merged);
    use(merged, 8);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_disconnect(&merged);
}

/* The application's own callback in MPI_Finalize. */
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    use(MPI_COMM_WORLD, 8);
    if (rank == 0)
        printf("comm_lifetimes: finalize wrong=%d\n", check_wrong);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Comm left;
    int key, level, ret;

    MPI_Init_thread(&argc, &argv, argc > 3 ? MPI_THREAD_MULTIPLE
                                           : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    use(MPI_COMM_WORLD, 8);
    short_lived(argc > 1 ? atoi(argv[1]) : 10);
    all_at_once(argc > 2 ? atoi(argv[2]) : 10);
    in_any_order();
    own_attributes();
    if (SEES_FREE)
        own_callbacks();
    own_errors();
    errors_of_one();
    between_groups();
    MPI_Comm_dup(MPI_COMM_WORLD, &left); /* never freed */
    use(left, 8);
    ret = check_done("comm_lifetimes");
    MPI_Finalize();
    return ret != 0;
}

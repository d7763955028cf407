/* SPDX-License-Identifier: BSD-3-Clause */
/* faults.c - fault injection for the MPI library, preloaded into chorale-runner
 * by shell tests. The faulty collective is MPI_Scan.
 *
 * FAULT   die     the rank is killed in call AFTER and all later ones
 *         hang    the rank never returns from that call
 *         spoil   its result is wrong from that call on
 *         tail    its calls take 1 ms, one in five takes 20 ms: at random, so
 *                 that no periodic behaviour of the runner can miss them
 *         final   the rank never returns from MPI_Finalize
 *         fallen  the rank is killed in MPI_Finalize
 *         slow    the program's own messages take 0.5 s per MiB
 *         busy    they take 50 ms per MiB until the rank's first call
 *         far     the rank's sends take 3 ms more, and messages of 1 MiB of the
 *                 rank before the last take 50 ms
 *         root    from call AFTER on, the result of MPI_Bcast is wrong if the
 *                 faulty rank is not the root
 *         first   the rank's first AFTER calls take 2 s more
 *         alone   no rank waits in MPI_Barrier for the faulty one
 *         late    the rank receives every AFTERth common start 60 ms late
 *         slip    the rank leaves each barrier of the program itself 20 ms late
 *         apart   exchanges of 256 KiB in both directions, and sums of integers
 *                 in place, take 150 ms
 *         shared  such exchanges take 20 ms, and only one rank of all can
 *                 exchange at a time: LINK
 * FAULTY  the rank, by PMI_RANK; default 1
 * LINK    a lock file that represents the link of all messages
 * ONCE    a file: the fault happens only if the file can be created */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define EVERY 5
#define SHORT 1e-3 /* s, duration of a call */
#define LONG (20 * SHORT)
#define FIRST 2
#define TAG 7

static long calls;

static int is(const char *fault)
{
    const char *is = getenv("FAULT");

    return is != NULL && strcmp(is, fault) == 0;
}

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static int faulty(void)
{
    return number("PMI_RANK", number("OMPI_COMM_WORLD_RANK", -1)) ==
           number("FAULTY", 1);
}

static int before_last(void)
{
    int rank = -1, size = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return rank == size - 2;
}

static int happens(void)
{
    const char *once = getenv("ONCE");
    int file;

    if (once == NULL)
        return 1;
    file = open(once, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        abort();
    return found;
}

static void idle(double seconds)
{
    struct timespec t = { (time_t)seconds,
                          (long)(1e9 * (seconds - (double)(time_t)seconds)) };

    nanosleep(&t, NULL);
}

static int out_of_turn(const char *fault, long *times)
{
    return is(fault) && faulty() && ++*times % number("AFTER", 1) == 0;
}

static void die_or_hang(const char *die, const char *hang)
{
    if (is(die) && happens())
        raise(SIGKILL);
    while (is(hang) && happens())
        pause();
}

int PMPI_Scan(const void *in, void *out, int count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm)
{
    int (*real)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    static unsigned short drawn[3]; /* equal on all ranks */
    int size, rc;

    *(void **)&real = next("PMPI_Scan");
    calls++;
    if (faulty() && calls >= number("AFTER", 1))
        die_or_hang("die", "hang");
    rc = real(in, out, count, type, op, comm);
    if (is("first") && calls <= number("AFTER", 1))
        idle(FIRST);
    if (is("tail"))
        idle(nrand48(drawn) % EVERY == 0 ? LONG : SHORT);
    if (is("spoil") && faulty() && calls >= number("AFTER", 1) &&
        PMPI_Type_size(type, &size) == MPI_SUCCESS && count > 0)
        ((char *)out)[size - 1] ^= 0x40; /* a larger error than rounding */
    return rc;
}

int PMPI_Barrier(MPI_Comm comm)
{
    int (*real)(MPI_Comm), rank, size, out = (int)number("FAULTY", 1), rc = 0;

    *(void **)&real = next("PMPI_Barrier");
    if (!is("alone"))
        return real(comm);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    /* The other ranks meet at the lowest of them, which then releases all. */
    int first = out == 0;
    for (int r = 0; r < size && rank == first; r++)
        if (r != first && r != out)
            rc |= PMPI_Recv(NULL, 0, MPI_BYTE, r, TAG, comm,
                            MPI_STATUS_IGNORE);
    for (int r = 0; r < size && rank == first; r++)
        if (r != first)
            rc |= PMPI_Send(NULL, 0, MPI_BYTE, r, TAG, comm);
    if (rank != first && rank != out)
        rc |= PMPI_Send(NULL, 0, MPI_BYTE, first, TAG, comm);
    if (rank != first)
        rc |= PMPI_Recv(NULL, 0, MPI_BYTE, first, TAG, comm,
                        MPI_STATUS_IGNORE);
    return rc;
}

int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root,
               MPI_Comm comm)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);
    int rank, rc;

    *(void **)&real = next("PMPI_Bcast");
    rc = real(buf, count, type, root, comm);
    if (is("root") && faulty() && ++calls >= number("AFTER", 1) &&
        PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank != root &&
        count > 0)
        *(char *)buf ^= 0x40;
    return rc;
}

/* Common starts are sent as single numbers (sync.c). */
int PMPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Status *status)
{
    int (*real)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    static long times;
    int rc;

    *(void **)&real = next("PMPI_Recv");
    rc = real(buf, count, type, source, tag, comm, status);
    if (count == 1 && type == MPI_DOUBLE && out_of_turn("late", &times))
        idle(0.06);
    return rc;
}

static void pass_link(void)
{
    int file = open(getenv("LINK"), O_CREAT | O_RDWR, 0600);

    if (file < 0 || flock(file, LOCK_EX) != 0)
        return;
    idle(0.02);
    close(file);
}

int PMPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int dest,
                  int tag, void *in, int nin, MPI_Datatype tin, int source,
                  int tag_in, MPI_Comm comm, MPI_Status *status)
{
    int (*real)(const void *, int, MPI_Datatype, int, int, void *, int,
                MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int rc;

    *(void **)&real = next("PMPI_Sendrecv");
    rc = real(out, nout, tout, dest, tag, in, nin, tin, source, tag_in, comm,
              status);
    if (nout == 0 && is("slip") && faulty())
        idle(0.02);
    if (nout == 256 << 10 && is("apart"))
        idle(0.15);
    if (nout == 256 << 10 && is("shared"))
        pass_link();
    return rc;
}

int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
{
    int (*real)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int rc;

    *(void **)&real = next("PMPI_Allreduce");
    rc = real(in, out, count, type, op, comm);
    if (in == MPI_IN_PLACE && type == MPI_INT64_T && op == MPI_SUM &&
        is("apart"))
        idle(0.15);
    return rc;
}

int MPI_Finalize(void)
{
    int (*real)(void);

    *(void **)&real = next("MPI_Finalize");
    if (faulty())
        die_or_hang("fallen", "final");
    return real();
}

int PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm)
{
    int (*real)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int size;

    *(void **)&real = next("PMPI_Send");
    if ((is("slow") || (is("busy") && calls == 0)) &&
        PMPI_Type_size(type, &size) == MPI_SUCCESS)
        idle((is("slow") ? 0.5 : 0.05) * (double)count * size / (1 << 20));
    if (is("far") && faulty())
        idle(3 * SHORT);
    if (is("far") && count == 1 << 20 && before_last())
        idle(0.05);
    return real(buf, count, type, dest, tag, comm);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_selection.c - chorale-selects: find out which algorithm the MPI library
 * runs at given points, by its messages. `chorale generate` runs it with and
 * without a generated selection file and compares.
 *
 *   chorale-selects [--force] POINTS
 *
 * Each line of POINTS holds a collective, the bytes of the operation, and an
 * algorithm of the library or "-". Rank 0 prints:
 * - "@sees 0" first, if the library's messages cannot be seen;
 * - "@point I SENT DATA": hashes, over all ranks, of the messages sent by the
 *   library's own choice and of the received data;
 * - "@forced I SENT DATA", with --force: the same for the algorithm, or
 *   "@forced I - why" if the library refuses it;
 * - "@messages WORD I ON ELSEWHERE" before such a line, with Open MPI: the
 *   messages of all ranks on the communicator of the call, and on others;
 * - "@end" last. */
#include "config.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "algorithms/coll.h"
#include "runners/native/comm_messages.h"
#include "runners/native/native.h"
#include "runners/native/transport_count.h"

struct point {
    enum chorale_coll coll;
    size_t n;
    char name[CHORALE_NATIVE_NAME];
};

struct job {
    struct point *point;
    int count;
    int rank, size;
    int levels, in_blocks;   /* as in struct chorale_native_point */
    unsigned char *send, *recv;
    int *counts, *displs;    /* [size] */
    MPI_Comm lib;            /* for measured calls; others use MPI_COMM_WORLD */
    struct chorale_native *native; /* NULL without --force */
};

/* --- points -------------------------------------------------------------- */

static int read_points(const char *path, struct job *job)
{
    FILE *in = fopen(path, "r");
    char coll[32];
    struct point p;
    int got = 0;

    while (in != NULL &&
           (got = fscanf(in, "%31s %zu %63s", coll, &p.n, p.name)) == 3) {
        struct point *more = realloc(job->point, ((size_t)job->count + 1) *
                                                     sizeof(*more));
        int found = chorale_coll_find(coll);

        if (more != NULL)
            job->point = more;
        if (more == NULL || found < 0)
            break;
        p.coll = (enum chorale_coll)found;
        more[job->count++] = p;
    }
    if (in != NULL)
        fclose(in);
    return in != NULL && got == EOF ? 0 : -1;
}

static int buffers(struct job *job)
{
    size_t most = 0;

    for (int i = 0; i < job->count; i++)
        if (job->point[i].n > most)
            most = job->point[i].n;
    most += (size_t)job->size + 1;
    job->send = malloc(most);
    job->recv = malloc(most);
    job->counts = calloc((size_t)job->size, sizeof(int));
    job->displs = calloc((size_t)job->size, sizeof(int));
    return job->send != NULL && job->recv != NULL && job->counts != NULL &&
                   job->displs != NULL
               ? 0
               : -1;
}

/* --- calls --------------------------------------------------------------- */

/* Distribute n over the ranks; the first n % size ranks get one more. */
static void deal(struct job *job, size_t n)
{
    size_t size = (size_t)job->size;
    int at = 0;

    for (int i = 0; i < job->size; i++) {
        job->counts[i] = (int)(n / size + ((size_t)i < n % size));
        job->displs[i] = at;
        at += job->counts[i];
    }
}

static int call_reduction(struct job *job, const struct point *p,
                          MPI_Comm comm)
{
    const MPI_Datatype type = MPI_UNSIGNED_CHAR;
    int n = (int)p->n, m = n / job->size;

    switch (p->coll) {
    case CHORALE_REDUCE:
        return MPI_Reduce(job->send, job->recv, n, type, MPI_BXOR, 0, comm);
    case CHORALE_ALLREDUCE:
        return MPI_Allreduce(job->send, job->recv, n, type, MPI_BXOR, comm);
    case CHORALE_SCAN:
        return MPI_Scan(job->send, job->recv, n, type, MPI_BXOR, comm);
    case CHORALE_EXSCAN:
        return MPI_Exscan(job->send, job->recv, n, type, MPI_BXOR, comm);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(job->send, job->recv, m, type,
                                        MPI_BXOR, comm);
    default:
        deal(job, p->n);
        return MPI_Reduce_scatter(job->send, job->recv, job->counts, type,
                                  MPI_BXOR, comm);
    }
}

static int call_blocks(struct job *job, const struct point *p, MPI_Comm comm)
{
    const MPI_Datatype type = MPI_BYTE;
    int m = (int)(p->n / (size_t)job->size);

    deal(job, p->coll == CHORALE_ALLTOALLV ? (size_t)m * (size_t)job->size
                                           : p->n);
    switch (p->coll) {
    case CHORALE_GATHER:
        return MPI_Gather(job->send, m, type, job->recv, m, type, 0, comm);
    case CHORALE_GATHERV:
        return MPI_Gatherv(job->send, job->counts[job->rank], type, job->recv,
                           job->counts, job->displs, type, 0, comm);
    case CHORALE_SCATTER:
        return MPI_Scatter(job->send, m, type, job->recv, m, type, 0, comm);
    case CHORALE_SCATTERV:
        return MPI_Scatterv(job->send, job->counts, job->displs, type,
                            job->recv, job->counts[job->rank], type, 0, comm);
    case CHORALE_ALLGATHER:
        return MPI_Allgather(job->send, m, type, job->recv, m, type, comm);
    case CHORALE_ALLGATHERV:
        return MPI_Allgatherv(job->send, job->counts[job->rank], type,
                              job->recv, job->counts, job->displs, type,
                              comm);
    case CHORALE_ALLTOALLV:
        return MPI_Alltoallv(job->send, job->counts, job->displs, type,
                             job->recv, job->counts, job->displs, type, comm);
    default:
        return MPI_Alltoall(job->send, m, type, job->recv, m, type, comm);
    }
}

static int call(struct job *job, const struct point *p, MPI_Comm comm)
{
    if (p->coll == CHORALE_BARRIER)
        return MPI_Barrier(comm);
    if (p->coll == CHORALE_BCAST)
        return MPI_Bcast(job->rank == 0 ? job->send : job->recv, (int)p->n,
                         MPI_BYTE, 0, comm);
    return chorale_coll_info(p->coll)->reduces ? call_reduction(job, p, comm)
                                               : call_blocks(job, p, comm);
}

/* --- results ------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    return hash * UINT64_C(0xff51afd7ed558ccd);
}

static uint64_t add(uint64_t sum, uint64_t value)
{
    return sum + value;
}

/* Rank 0 gets the hash (mix) or sum (add) of all ranks' values in rank order;
 * others get 0. */
static uint64_t of_all(const struct job *job, uint64_t mine,
                       uint64_t (*with)(uint64_t, uint64_t))
{
    uint64_t all = with(0, mine), got;

    if (job->rank > 0) {
        MPI_Send(&mine, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
        return 0;
    }
    for (int r = 1; r < job->size; r++) {
        MPI_Recv(&got, 1, MPI_UINT64_T, r, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        all = with(all, got);
    }
    return all;
}

/* Maximum over all ranks, on all ranks. */
static int most(const struct job *job, int mine)
{
    int got;

    for (int step = 1; step < job->size; step *= 2) {
        MPI_Sendrecv(&mine, 1, MPI_INT, (job->rank + step) % job->size, 2,
                     &got, 1, MPI_INT,
                     (job->rank - step % job->size + job->size) % job->size,
                     2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got > mine)
            mine = got;
    }
    return mine;
}

/* Number of bytes of the result that the call defines on this rank. */
static size_t received(const struct job *job, const struct point *p)
{
    const struct chorale_coll_info *info = chorale_coll_info(p->coll);
    size_t m = p->n / (size_t)job->size;

    switch (p->coll) {
    case CHORALE_BARRIER:
        return 0;
    case CHORALE_REDUCE_SCATTER_BLOCK:
    case CHORALE_SCATTER:
        return m;
    case CHORALE_REDUCE_SCATTER:
    case CHORALE_SCATTERV:
        return (size_t)job->counts[job->rank];
    case CHORALE_EXSCAN:
        return job->rank > 0 ? p->n : 0;
    case CHORALE_REDUCE:
    case CHORALE_GATHER:
    case CHORALE_GATHERV:
        if (job->rank > 0)
            return 0;
        break;
    default:
        break;
    }
    return info->blocks && !info->irregular ? m * (size_t)job->size : p->n;
}

static void print_messages(const struct job *job, const char *word, int i,
                           const struct chorale_comm_messages *seen)
{
    const uint64_t on = of_all(job, (uint64_t)seen->on, add);
    const uint64_t elsewhere = of_all(job, (uint64_t)seen->elsewhere, add);

    if (job->rank == 0)
        printf("@messages %s %d %llu %llu\n", word, i, (unsigned long long)on,
               (unsigned long long)elsewhere);
}

/* Call twice, since the first call may create communicators, and print "@WORD I
 * SENT DATA" or "@WORD I - why". */
static void look(struct job *job, const char *word, int i, MPI_Comm comm)
{
    const struct point *p = &job->point[i];
    const int counts = chorale_comm_messages_open() == 0;
    size_t bytes = p->n + (size_t)job->size;
    struct chorale_comm_messages seen;
    uint64_t sent, data = 0;
    int rc;

    call(job, p, comm);
    for (size_t k = 0; k < bytes; k++)
        job->send[k] = (unsigned char)(k * 7 + (size_t)job->rank * 13 + 1);
    memset(job->recv, 0, bytes);
    most(job, 0);
    if (counts)
        chorale_comm_messages_begin(comm);
    chorale_msghash_begin();
    rc = call(job, p, comm);
    sent = chorale_msghash_end();
    if (counts)
        chorale_comm_messages_end(&seen);
    for (size_t k = 0; k < received(job, p); k++)
        data = mix(data, job->recv[k]);
    rc = most(job, rc != MPI_SUCCESS);
    sent = of_all(job, sent, mix);
    data = of_all(job, data, mix);
    if (counts)
        print_messages(job, word, i, &seen);
    if (job->rank == 0 && rc)
        printf("@%s %d - the library returns an error\n", word, i);
    else if (job->rank == 0)
        printf("@%s %d %016llx %016llx\n", word, i, (unsigned long long)sent,
               (unsigned long long)data);
    fflush(stdout);
}

/* The same with the algorithm forced. */
static void look_forced(struct job *job, int i)
{
    const struct point *p = &job->point[i];
    int place = chorale_native_find(job->native, p->coll, p->name), could;
    const struct chorale_native_point at = {
        .count = p->n, .type_size = 1, .size = job->size,
        .levels = job->levels, .in_blocks = job->in_blocks,
    };
    const char *why = chorale_native_refuses(job->native, p->coll, place, &at);

    if (why == NULL && chorale_native_needs_comm(job->native, p->coll, place)) {
        could = chorale_native_prepare(job->native, p->coll, place) == 0;
        could = !most(job, !could);
        if (chorale_native_make(job->native, p->coll, place, could,
                                job->lib) != MPI_SUCCESS || !could)
            why = "the library does not allow forcing it";
    }
    if (why != NULL) {
        if (job->rank == 0)
            printf("@forced %d - %s\n", i, why);
        fflush(stdout);
        return;
    }
    chorale_native_begin(job->native, p->coll, place);
    look(job, "forced", i,
         chorale_native_comm(job->native, p->coll, place, job->lib));
    chorale_native_end(job->native, p->coll, place);
}

static void work(struct job *job)
{
    if (job->rank == 0 && !chorale_msghash_any())
        printf("@sees 0\n");
    for (int i = 0; i < job->count; i++) {
        look(job, "point", i, job->lib);
        if (job->native != NULL && strcmp(job->point[i].name, "-") != 0)
            look_forced(job, i);
    }
    if (job->rank == 0)
        printf("@end\n");
    fflush(stdout);
}

/* Set levels and in_blocks of the communicator as the library sees it. */
static int find_levels(struct job *job)
{
    int on_node, apart;

    if (chorale_native_topology(job->lib, &on_node, &apart) != MPI_SUCCESS)
        return -1;
    job->levels = most(job, on_node) > 1 &&
                  !most(job, on_node == job->size);
    job->in_blocks = !most(job, apart);
    return 0;
}

static int prepare(struct job *job, int force)
{
    int provided;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return -1;
    if (force)
        job->native = chorale_native_open("");
    MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->size);
    return MPI_Comm_dup(MPI_COMM_WORLD, &job->lib) == MPI_SUCCESS &&
                   MPI_Comm_set_errhandler(job->lib, MPI_ERRORS_RETURN) ==
                       MPI_SUCCESS &&
                   find_levels(job) == 0 && buffers(job) == 0
               ? 0
               : -1;
}

/* Let malloc return zeros. Open MPI's component coll/monitoring does not set the
 * pointers to functions that a communicator lacked before it. When such a
 * communicator is freed, as han's within one, it calls them. Seen in version
 * 5.0.7. */
static void zero_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0xff);
#endif
}

int main(int argc, char **argv)
{
    struct job job = { .lib = MPI_COMM_NULL };
    int force = argc > 1 && strcmp(argv[1], "--force") == 0, bad;

    if (argc != 2 + force || read_points(argv[1 + force], &job) != 0) {
        fprintf(stderr, "chorale-selects: wrong arguments; run `chorale "
                        "generate`, which starts it with a file of points\n");
        return 2;
    }
    if (force)
        chorale_native_allow();
    zero_memory();
    MPI_Init(&argc, &argv);
    bad = most(&job, prepare(&job, force) != 0 ? 1 : 0);
    if (!bad)
        work(&job);
    else if (job.rank == 0)
        fprintf(stderr, "chorale-selects: out of memory, or no MPI_T; "
                "end other programs, or use an MPI library that has MPI_T\n");
    chorale_native_close(job.native);
    free(job.point);
    free(job.send);
    free(job.recv);
    free(job.counts);
    free(job.displs);
    MPI_Finalize();
    return bad ? 3 : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.c - gatherv and scatterv two_level: the messages on each level are
 * those of the algorithm named by `inner` or `outer`. The unit test
 * tests/unit/algorithms/parameters.c checks only schedules.
 *
 * Checked for each algorithm: with which ranks a leader exchanges messages, and
 * whether it waits for each. In a binomial tree these are the ranks 1, 2, 4,
 * ... after it, else all. Only linear_nb has several messages in flight.
 *
 * The linker redirects the catalogue's sends and receives to this file, which
 * records the other rank of each. Run on eight ranks: two nodes of four, then
 * four nodes of two. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "tests/tap.h"

int __real_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);
int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);
int __real_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req);
int __wrap_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req);
int __real_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm);
int __wrap_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm);
int __real_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req);
int __wrap_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req);

enum { RANKS = 8, BLOCK = 30, MOST = RANKS * BLOCK };

/* Messages of this rank with each rank: blocking and nonblocking. */
struct seen {
    int blocking[RANKS], pending[RANKS];
};

static struct seen received, sent;

int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    received.blocking[source]++;
    return __real_PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int __wrap_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req)
{
    received.pending[source]++;
    return __real_PMPI_Irecv(buf, count, type, source, tag, comm, req);
}

int __wrap_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm)
{
    sent.blocking[dest]++;
    return __real_PMPI_Send(buf, count, type, dest, tag, comm);
}

int __wrap_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req)
{
    sent.pending[dest]++;
    return __real_PMPI_Isend(buf, count, type, dest, tag, comm, req);
}

/* --- the call ----------------------------------------------------------- */

struct trial {
    const struct chorale_alg *alg;
    int root, ppn;
    long param[CHORALE_MAX_PARAM];
};

/* Blocks of 3, 6, ... integers with gaps between them. */
static int run(struct chorale_ctx *ctx, const struct trial *t)
{
    int gathers = t->alg->coll == CHORALE_GATHERV;
    int one[BLOCK] = { 0 }, all[MOST] = { 0 }, node[RANKS], err;
    MPI_Count count[RANKS];
    MPI_Aint displ[RANKS];
    struct chorale_call call = {
        .ctx = ctx,
        .sendbuf = gathers ? one : all,
        .recvbuf = gathers ? all : one,
        .sendtype = MPI_INT,
        .recvtype = MPI_INT,
        .root = t->root,
        .param = t->param,
    };

    for (int r = 0; r < RANKS; r++) {
        node[r] = r / t->ppn;
        count[r] = 3 * (r + 1);
        displ[r] = (MPI_Aint)r * BLOCK;
    }
    call.sendcount = call.recvcount = count[ctx->rank];
    call.sendcounts = call.recvcounts = count;
    call.sdispls = call.rdispls = displ;
    memset(&received, 0, sizeof(received));
    memset(&sent, 0, sizeof(sent));
    err = chorale_ctx_set_nodes(ctx, node);
    return err == MPI_SUCCESS ? t->alg->run(&call) : err;
}

/* --- what must have passed ---------------------------------------------- */

/* Leader of a node: the root if it is there, else the first rank. */
static int leader(const struct trial *t, int node)
{
    return t->root / t->ppn == node ? t->root : node * t->ppn;
}

static const char *word(const struct trial *t, int k)
{
    return t->alg->param[k].word[t->param[k]];
}

/* 1 if a leader has messages with the rank `after` places behind it. */
static int is_partner(const char *word, int after)
{
    return strncmp(word, "binomial", 8) != 0 || (after & (after - 1)) == 0;
}

/* Check one other rank of a level: messages of the kind that the algorithm
 * word uses, or no messages. */
static int right_with(const struct seen *s, const char *word, int other,
                      int after)
{
    int partner = is_partner(word, after);
    int pauses = strcmp(word, "linear_nb") != 0;

    return (s->blocking[other] > 0) == (partner && pauses) &&
           (s->pending[other] > 0) == (partner && !pauses);
}

/* Check this rank's messages: with its node if it leads it, with the other
 * leaders if it is the root, and no others. */
static int is_right(const struct trial *t, int rank)
{
    const struct seen *s = t->alg->coll == CHORALE_GATHERV ? &received : &sent;
    int nodes = RANKS / t->ppn, node = rank / t->ppn, right = 1;

    for (int i = 1; i < t->ppn && leader(t, node) == rank; i++)
        right &= right_with(s, word(t, 0),
                            node * t->ppn + (rank % t->ppn + i) % t->ppn, i);
    for (int i = 1; i < nodes && t->root == rank; i++)
        right &= right_with(s, word(t, 1), leader(t, (node + i) % nodes), i);
    for (int r = 0; r < RANKS && leader(t, node) == rank; r++)
        if (r / t->ppn != node && leader(t, r / t->ppn) != r)
            right &= s->blocking[r] + s->pending[r] == 0;
    return right;
}

/* --- all ---------------------------------------------------------------- */

static void check(struct chorale_ctx *ctx, const struct trial *t)
{
    int right = run(ctx, t) == MPI_SUCCESS && is_right(t, ctx->rank), all;

    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (ctx->rank == 0)
        tap_ok(all, "%s %s, nodes of %d, root %d: inner=%s,outer=%s is what "
               "passes", chorale_coll_info(t->alg->coll)->name, t->alg->name,
               t->ppn, t->root, word(t, 0), word(t, 1));
}

static void check_all(struct chorale_ctx *ctx, const struct chorale_alg *alg)
{
    const struct chorale_param *inner = &alg->param[0], *outer = inner + 1;

    for (int ppn = 4; ppn >= 2; ppn /= 2)
        for (long i = inner->min; i <= inner->max; i++)
            for (long o = outer->min; o <= outer->max; o++) {
                struct trial t = { alg, 0, ppn, { i, o } };

                check(ctx, &t);
                t.root = 5;
                check(ctx, &t);
            }
}

int main(int argc, char **argv)
{
    struct chorale_ctx *ctx = NULL;
    MPI_Comm comm;
    int failed = 0, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &size);
    if (size != RANKS || chorale_ctx_new(comm, &ctx) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check_all(ctx, &chorale_gatherv_two_level);
    check_all(ctx, &chorale_scatterv_two_level);
    if (ctx->rank == 0)
        failed = tap_done();
    chorale_ctx_free(ctx);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return failed;
}

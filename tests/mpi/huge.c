/* SPDX-License-Identifier: BSD-3-Clause */
/* huge.c - calls that move more than 2^31 bytes. Variants that send a whole
 * vector or block do so in one MPI call.
 *
 *     huge [--few] [COLLECTIVE [VARIANT]]
 *
 * HUGE_PERCENT=N in the environment: percentage of the machine's memory that
 * the scratch of all ranks may take together; default 50.
 * --few: only the variants in the table `few`. A variant that already runs with
 * fewer ranks, at least two, is not called with more.
 *
 * A buffer's addresses span that many bytes, but its pages all map to the same
 * 16 MiB of memory. A few windows have memory of their own: at both ends, in
 * the middle, and where offsets exceed 2^31. The content of the windows is
 * checked byte by byte; other received data overwrite each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpi.h>

#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/wanted.h"

enum { MAX_RANKS = 8, NWINDOW = 4, WINDOW = 1 << 16, MEBIBYTE = 1 << 20 };

/* Memory to which a whole buffer is mapped. With less memory, cache lines have
 * several addresses at a time, and a pass takes ten times as long. */
enum { UNIT = 16 * MEBIBYTE };

/* Bytes of a block or of a vector. */
#define WHOLE (((size_t)1 << 31) + 8 * (size_t)MEBIBYTE)

/* All collectives; whole vectors, blocks and segments; one message at a time
 * and several at once; with and without reductions. */
static const struct {
    enum chorale_coll coll;
    const char *name;
} few[] = {
    { CHORALE_BCAST, "linear" },
    { CHORALE_BCAST, "scatter_ring_allgather" },
    { CHORALE_BCAST, "double_tree" },
    { CHORALE_REDUCE, "binomial" },
    { CHORALE_ALLREDUCE, "ring" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "pairwise" },
    { CHORALE_REDUCE_SCATTER, "pairwise" },
    { CHORALE_GATHER, "binomial" },
    { CHORALE_GATHERV, "linear_nb" },
    { CHORALE_SCATTER, "linear_nb" },
    { CHORALE_SCATTERV, "linear" },
    { CHORALE_ALLGATHER, "ring" },
    { CHORALE_ALLGATHERV, "ring" },
    { CHORALE_ALLTOALL, "pairwise_shift" },
    { CHORALE_ALLTOALLV, "scattered" },
    { CHORALE_SCAN, "linear" },
    { CHORALE_EXSCAN, "recursive_doubling" },
};

/* --- buffers ------------------------------------------------------------ */

/* Contiguous blocks of equal size. */
struct buffer {
    char *mem;
    size_t bytes, block;
    int n;
};

/* Offset of window w in a block. */
static size_t window_at(const struct buffer *b, int w)
{
    size_t at[NWINDOW] = { 0, b->block / 2, (size_t)1 << 31, b->block };

    if (w == 0)
        return 0;
    if (at[w] + WINDOW > b->block)
        return b->block - WINDOW;
    return at[w] / MEBIBYTE * MEBIBYTE - WINDOW / 2;
}

static void give_up(const char *what)
{
    fprintf(stderr, "huge: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Map the whole buffer onto one unit and the windows onto own memory. */
static void buffer_map(struct buffer *b, int fd)
{
    b->mem = mmap(NULL, b->bytes + MEBIBYTE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->mem == MAP_FAILED)
        give_up("no address space");
    for (size_t at = 0; at < b->bytes; at += UNIT)
        if (mmap(b->mem + at, b->bytes - at < UNIT ? b->bytes - at : UNIT,
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                 fd, 0) == MAP_FAILED)
            give_up("cannot map memory again");
    for (int i = 0; i < b->n; i++)
        for (int w = 0; w < NWINDOW; w++)
            if (mmap(b->mem + (size_t)i * b->block + window_at(b, w), WINDOW,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                     0) == MAP_FAILED)
                give_up("cannot map a window");
}

/* Forbid or allow access to the memory after the buffer's last byte. */
static void fence(const struct buffer *b, const struct buffer *all, int access)
{
    if (b->n < all->n &&
        mprotect(b->mem + b->bytes, MEBIBYTE, access) != 0)
        give_up("cannot fence a buffer in");
}

/* A buffer of n blocks is the beginning of one buffer that is kept, because
 * mapping and faulting in that much takes longer than most calls. Its windows
 * are zeroed. */
static void buffer_init(struct buffer *b, struct buffer *all, size_t block,
                        int n, int fd)
{
    *b = (struct buffer){ .block = block, .n = n, .bytes = block * (size_t)n };
    if (n == 0)
        return;
    if (all->n < n || all->block != block) {
        if (all->n > 0)
            munmap(all->mem, all->bytes + MEBIBYTE);
        *all = *b;
        buffer_map(all, fd);
    }
    b->mem = all->mem;
    for (int i = 0; i < n; i++)
        for (int w = 0; w < NWINDOW; w++)
            memset(b->mem + (size_t)i * block + window_at(b, w), 0, WINDOW);
    fence(b, all, PROT_NONE);
}

static void buffer_release(struct buffer *b, const struct buffer *all)
{
    if (b->n > 0)
        fence(b, all, PROT_READ | PROT_WRITE);
}

/* --- contents ----------------------------------------------------------- */

/* Byte at offset `at` of the block from source to dest. */
static unsigned char byte_of(int source, int dest, size_t at)
{
    unsigned x = (unsigned)(at ^ at >> 16) * 2654435761U +
                 (unsigned)source * 40503U + (unsigned)dest * 2246822519U;

    x ^= x >> 15;
    x *= 2246822519U;
    return (unsigned char)(x >> 24);
}

/* Expected bytes: of one source, or combined over ranks [0, below). */
struct content {
    int source, dest, below;
};

static unsigned char wanted_byte(const struct content *c, size_t at)
{
    unsigned char sum = 0;

    if (c->below == 0)
        return byte_of(c->source, c->dest, at);
    for (int r = 0; r < c->below; r++)
        sum ^= byte_of(r, c->dest, at);
    return sum;
}

static void fill(struct buffer *b, int i, const struct content *c)
{
    for (int w = 0; w < NWINDOW; w++) {
        size_t from = window_at(b, w);

        for (size_t k = from; k < from + WINDOW; k++)
            b->mem[(size_t)i * b->block + k] = (char)wanted_byte(c, k);
    }
}

/* Offset of the first wrong byte of block i, or -1. */
static long first_wrong(const struct buffer *b, int i, const struct content *c)
{
    for (int w = 0; w < NWINDOW; w++) {
        size_t from = window_at(b, w);

        for (size_t k = from; k < from + WINDOW; k++)
            if ((unsigned char)b->mem[(size_t)i * b->block + k] !=
                wanted_byte(c, k))
                return (long)k;
    }
    return -1;
}

/* --- a call ------------------------------------------------------------- */

struct call {
    const struct chorale_alg *alg;
    int rank, size, root;
    struct buffer send, recv;
    MPI_Count count[MAX_RANKS];
    MPI_Aint displ[MAX_RANKS];
};

static int is_scatter(enum chorale_coll coll)
{
    return coll == CHORALE_SCATTER || coll == CHORALE_SCATTERV;
}

static int is_gather(enum chorale_coll coll)
{
    return coll == CHORALE_GATHER || coll == CHORALE_GATHERV;
}

static int is_alltoall(enum chorale_coll coll)
{
    return coll == CHORALE_ALLTOALL || coll == CHORALE_ALLTOALLV;
}

static int scatters_sum(enum chorale_coll coll)
{
    return coll == CHORALE_REDUCE_SCATTER_BLOCK ||
           coll == CHORALE_REDUCE_SCATTER;
}

static int send_blocks(const struct call *c)
{
    enum chorale_coll coll = c->alg->coll;

    if (coll == CHORALE_BCAST)
        return 0;
    if (is_scatter(coll))
        return c->rank == c->root ? c->size : 0;
    return is_alltoall(coll) || scatters_sum(coll) ? c->size : 1;
}

static int recv_blocks(const struct call *c)
{
    enum chorale_coll coll = c->alg->coll;

    if (is_gather(coll))
        return c->rank == c->root ? c->size : 0;
    if (coll == CHORALE_REDUCE)
        return c->rank == c->root;
    if (coll == CHORALE_ALLGATHER || coll == CHORALE_ALLGATHERV)
        return c->size;
    return is_alltoall(coll) ? c->size : 1;
}

/* Content of block i that this rank sends. */
static struct content sent(const struct call *c, int i)
{
    int by_block = is_scatter(c->alg->coll) || is_alltoall(c->alg->coll) ||
                   scatters_sum(c->alg->coll);

    return (struct content){ c->rank, by_block ? i : 0, 0 };
}

/* Content of block i that it receives; below = -1: no data arrives. */
static struct content received(const struct call *c, int i)
{
    switch (c->alg->coll) {
    case CHORALE_BCAST:
        return (struct content){ c->root, 0, 0 };
    case CHORALE_SCATTER:
    case CHORALE_SCATTERV:
        return (struct content){ c->root, c->rank, 0 };
    case CHORALE_ALLTOALL:
    case CHORALE_ALLTOALLV:
        return (struct content){ i, c->rank, 0 };
    case CHORALE_REDUCE:
    case CHORALE_ALLREDUCE:
        return (struct content){ 0, 0, c->size };
    case CHORALE_REDUCE_SCATTER:
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return (struct content){ 0, c->rank, c->size };
    case CHORALE_SCAN:
        return (struct content){ 0, 0, c->rank + 1 };
    case CHORALE_EXSCAN:
        return (struct content){ 0, 0, c->rank > 0 ? c->rank : -1 };
    default:
        return (struct content){ i, 0, 0 };
    }
}

/* Kept mappings of the send and the receive buffer. */
static struct buffer kept[2];

static void call_init(struct call *c, size_t block, int fd)
{
    buffer_init(&c->send, &kept[0], block, send_blocks(c), fd);
    buffer_init(&c->recv, &kept[1], block, recv_blocks(c), fd);
    for (int i = 0; i < c->send.n; i++) {
        struct content content = sent(c, i);

        fill(&c->send, i, &content);
    }
    if (c->alg->coll == CHORALE_BCAST && c->rank == c->root) {
        struct content content = received(c, 0);

        fill(&c->recv, 0, &content);
    }
    for (int i = 0; i < c->size; i++) {
        c->count[i] = (MPI_Count)block;
        c->displ[i] = (MPI_Aint)block * i;
    }
}

static int run(const struct call *c, struct chorale_ctx *ctx,
               const struct chorale_point *pt)
{
    size_t block = pt->msg_size;
    struct chorale_call call = {
        .ctx = ctx,
        .sendbuf = c->send.mem,
        .recvbuf = c->recv.mem,
        .sendcount = (MPI_Count)block,
        .recvcount = (MPI_Count)block,
        .sendtype = MPI_BYTE,
        .recvtype = MPI_BYTE,
        .op = MPI_BXOR,
        .commutative = 1,
        .root = c->root,
        .param = pt->param,
    };

    if (chorale_coll_info(c->alg->coll)->irregular) {
        call.sendcounts = call.recvcounts = c->count;
        call.sdispls = call.rdispls = c->displ;
    }
    return c->alg->run(&call);
}

/* Describe what is wrong after the call; empty if all is right. */
static void judge(const struct call *c, int err, char *wrong, size_t size)
{
    if (err != MPI_SUCCESS)
        snprintf(wrong, size, "rank %d: error %d", c->rank, err);
    for (int s = 0; s < 2 && err == MPI_SUCCESS; s++) {
        const struct buffer *b = s == 0 ? &c->send : &c->recv;

        for (int i = 0; i < b->n; i++) {
            struct content content = s == 0 ? sent(c, i) : received(c, i);
            long at = content.below < 0 ? -1 : first_wrong(b, i, &content);

            if (at >= 0)
                snprintf(wrong, size, "rank %d: %s block %d wrong at byte %ld",
                         c->rank, s == 0 ? "sent" : "received", i, at);
        }
    }
}

/* --- the variants ------------------------------------------------------- */

static struct chorale_point point(const struct chorale_alg *alg, int size,
                                  size_t block)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct chorale_point pt = {
        .comm_size = size,
        .msg_size = block,
        .n = chorale_coll_n(alg->coll, block, size),
        .type_size = 1,
        .commutative = 1,
        .root = info->rooted ? size - 1 : 0,
        .ppn = chorale_alg_by_node(alg) ? 2 : 0,
    };

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    return pt;
}

static long percent(void)
{
    const char *text = getenv("HUGE_PERCENT");
    long value = text != NULL ? strtol(text, NULL, 10) : 50;

    if (value < 1 || value > 100)
        give_up("HUGE_PERCENT is from 1 to 100");
    return value;
}

/* 1 if the scratch of all ranks exceeds that share of the memory. */
static int takes_too_much(const struct chorale_alg *alg,
                          const struct chorale_point *pt)
{
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) *
                    (size_t)sysconf(_SC_PAGESIZE);

    return alg->scratch != NULL &&
           alg->scratch(pt) >
               memory / 100 * (size_t)percent() / (size_t)pt->comm_size;
}

/* Set the point: blocks of WHOLE bytes each or, if that takes too much scratch,
 * all blocks together. Returns 0, or -1 with the reason in *why. */
static int find_point(const struct chorale_alg *alg, int size,
                      struct chorale_point *pt, const char **why)
{
    size_t part = WHOLE / (size_t)size / MEBIBYTE * MEBIBYTE + MEBIBYTE;

    *pt = point(alg, size, WHOLE);
    if (chorale_coll_info(alg->coll)->blocks && takes_too_much(alg, pt))
        *pt = point(alg, size, part);
    *why = chorale_alg_refuses(alg, pt);
    if (*why == NULL && takes_too_much(alg, pt))
        *why = "its scratch exceeds HUGE_PERCENT of memory";
    return *why == NULL ? 0 : -1;
}

static int runs_with_fewer(const struct chorale_alg *alg, int size)
{
    struct chorale_point pt;
    const char *why;

    for (int p = 2; p < size; p++)
        if (find_point(alg, p, &pt, &why) == 0)
            return 1;
    return 0;
}

/* Copy the first failing rank's text to rank 0. */
static void gather_wrong(const struct chorale_ctx *ctx, char *wrong, int size)
{
    char all[MAX_RANKS][128];

    MPI_Gather(wrong, size, MPI_CHAR, all, size, MPI_CHAR, 0, ctx->comm);
    for (int r = 0; ctx->rank == 0 && r < ctx->size && wrong[0] == '\0'; r++)
        memcpy(wrong, all[r], (size_t)size);
}

static void test_at(const struct chorale_alg *alg, struct chorale_ctx *ctx,
                    const struct chorale_point *pt, int fd)
{
    struct call c = { .alg = alg, .rank = ctx->rank, .size = ctx->size,
                      .root = pt->root };
    char wrong[128] = "";
    double begin = MPI_Wtime();
    int node[MAX_RANKS];

    for (int r = 0; r < ctx->size; r++)
        node[r] = r / 2;
    if (chorale_ctx_set_nodes(ctx, pt->ppn > 0 ? node : NULL) != MPI_SUCCESS)
        give_up("no memory");
    call_init(&c, pt->msg_size, fd);
    judge(&c, run(&c, ctx, pt), wrong, sizeof(wrong));
    if (chorale_scratch_mark(ctx) != 0)
        snprintf(wrong, sizeof(wrong), "scratch is not released");
    buffer_release(&c.send, &kept[0]);
    buffer_release(&c.recv, &kept[1]);
    gather_wrong(ctx, wrong, sizeof(wrong));
    if (ctx->rank == 0 &&
        !tap_ok(wrong[0] == '\0', "%s %s: %zu bytes of %zu, %.1f s",
                chorale_coll_info(alg->coll)->name, alg->name, pt->msg_size,
                pt->n, MPI_Wtime() - begin))
        tap_diag("%s", wrong);
}

static void test(const struct chorale_alg *alg, struct chorale_ctx *ctx, int fd)
{
    struct chorale_point pt;
    const char *why;

    if (chorale_coll_info(alg->coll)->dataless ||
        runs_with_fewer(alg, ctx->size))
        return;
    if (find_point(alg, ctx->size, &pt, &why) == 0)
        test_at(alg, ctx, &pt, fd);
    else if (ctx->rank == 0)
        tap_ok(1, "%s %s # SKIP %s", chorale_coll_info(alg->coll)->name,
               alg->name, why);
}

static int is_of_few(const struct chorale_alg *alg)
{
    for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
        if (few[i].coll == alg->coll && strcmp(few[i].name, alg->name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int only_few, fd, status = 0;
    struct chorale_ctx *ctx;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    only_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    argc -= only_few;
    argv += only_few;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fd = memfd_create("huge", 0);
    if (fd < 0 || ftruncate(fd, UNIT) != 0)
        give_up("no memory file");
    if (chorale_ctx_new(comm, &ctx) != MPI_SUCCESS || ctx->size < 2 ||
        ctx->size > MAX_RANKS)
        give_up("it takes 2 to 8 ranks");
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(argc, argv, chorale_algs[i]) &&
            (!only_few || is_of_few(chorale_algs[i])))
            test(chorale_algs[i], ctx, fd);
    if (ctx->rank == 0)
        status = tap_done();
    chorale_ctx_free(ctx);
    MPI_Comm_free(&comm);
    close(fd);
    MPI_Finalize();
    return status;
}

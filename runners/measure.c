/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - one point: verify every candidate, then time them interleaved,
 * round by round in an order drawn anew for each round, so that whatever
 * drifts drifts for all of them. Rank 0 decides after each chunk of rounds
 * which candidates have been seen enough. */
#include "runners/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/order.h"

#define CHUNK_MAX 32         /* rounds between two decisions */
#define CHUNK_SECONDS 0.05
#define NVALUE 6             /* out, in, -in, root out, late, failed */
#define SIM_REPS 2           /* repetitions that must be equal */
#define SIM_EQUAL 1e-6       /* relative: the clock's own rounding */
#define LATE_SHARE 0.2       /* of a chunk: then the lead must grow */
#define SLACK_MAX 0.02
#define BARRIER_DELAY 1e-3   /* s, that one rank comes late to be waited for */

struct state {
    struct chorale_bench *bench;
    const struct chorale_task *task;
    struct chorale_problem prob;
    struct chorale_result *result;
    int *active;             /* candidates still timed, same on all ranks */
    int *order;
    double *local, *global;  /* [CHUNK_MAX * ncand][NVALUE] */
    double *start;           /* [CHUNK_MAX * ncand], rank 0 */
    double *spent;           /* [ncand], rank 0 */
    int *room;               /* [ncand], samples allocated, rank 0 */
    int round;
};

static const struct chorale_cand *cand_of(const struct state *st, int c)
{
    return &st->bench->work.cand[st->task->first + c];
}

/* splitmix64: the same on every rank. */
static uint64_t next_random(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void shuffle(struct state *st)
{
    uint64_t s = (uint64_t)st->bench->work.seed * 0x2545f4914f6cdd1du +
                 (uint64_t)(st->task - st->bench->work.task) * 1000003u +
                 (uint64_t)st->round;
    int n = st->task->ncand;

    for (int i = 0; i < n; i++)
        st->order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(next_random(&s) % (uint64_t)(i + 1)), t = st->order[i];

        st->order[i] = st->order[j];
        st->order[j] = t;
    }
}

static void fail(struct chorale_result *res, enum chorale_status status,
                 const char *reason)
{
    res->status = status;
    snprintf(res->reason, sizeof(res->reason), "%s", reason);
}

/* Roots that the repetitions take in turn. */
static int root_turns(const struct chorale_task *task)
{
    return task->root_policy == CHORALE_ROOT_ROTATE ? 3 : 1;
}

/* `chorale run` learns which candidate is called, should it end the program; 0:
 * none. On real systems only the verified call is announced. */
static void announce(const struct state *st, int64_t cell_id)
{
    if (st->bench->rank == 0) {
        printf("@try %lld\n", (long long)cell_id);
        fflush(stdout);
    }
}

static int is_barrier(const struct state *st)
{
    return chorale_coll_info((enum chorale_coll)st->task->coll)->dataless;
}

/* A barrier's promise: the first to leave is not before the last to come. */
static int left_early(struct chorale_bench *bench, double in, double out,
                      int *early)
{
    double all[2] = { in, -out };
    int rc = chorale_agree_max(bench, all, 2);

    *early = -all[1] + 2 * bench->clock.residual + 1e-9 < all[0];
    return rc;
}

/* What all ranks sent in the call, added up. */
static int add_stats(struct chorale_bench *bench, struct chorale_stat *sum)
{
    double v[4] = { (double)bench->stat.messages,
                    (double)bench->stat.bytes_sent,
                    (double)bench->stat.bytes_reduced,
                    (double)bench->stat.waits };
    int rc = chorale_agree_sum(bench, v, 4);

    *sum = (struct chorale_stat){ (long long)v[0], (long long)v[1],
                                  (long long)v[2], (long long)v[3] };
    return rc;
}

/* Run once on a fresh pattern from one root, compare, and count what was sent;
 * every rank learns the verdict. */
static int verify_root(struct state *st, int c, int turn)
{
    struct chorale_bench *bench = st->bench;
    struct chorale_result *res = &st->result[c];
    /* status, the rank that says why, so that the maximum finds one of them;
     * seconds */
    double all[3] = { CHORALE_RUN_OK, -1, 0 };
    int rc;
    int round = 3 * c + turn + 1; /* no pattern is seen twice */
    int root = chorale_task_root(st->task, bench->size, turn);
    double in, out;
    int early = 0;
    char why[160] = "";

    chorale_verify_fill(bench, &st->prob, root, round);
    rc = chorale_sync_barrier(bench);
    if (rc != MPI_SUCCESS)
        return rc;
    memset(&bench->stat, 0, sizeof(bench->stat));
    bench->ctx->stat = &bench->stat;
    if (is_barrier(st) && bench->rank == round % bench->size)
        chorale_clock_wait(bench, chorale_clock_now(bench) + BARRIER_DELAY);
    in = chorale_clock_now(bench);
    rc = chorale_provider_call(bench, &st->prob, cand_of(st, c), root);
    out = chorale_clock_now(bench);
    all[2] = out - in;
    bench->ctx->stat = NULL;
    if (rc == MPI_SUCCESS && is_barrier(st))
        rc = left_early(bench, in, out, &early);
    if (rc == MPI_SUCCESS && early) {
        all[0] = CHORALE_RUN_INVALID;
        snprintf(why, sizeof(why), "a rank left before the last one came");
    } else if (rc != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int len;

        PMPI_Error_string(rc, text, &len);
        all[0] = CHORALE_RUN_FAILED;
        snprintf(why, sizeof(why), "MPI error: %.140s", text);
    } else if (chorale_verify_check(bench, &st->prob, root, round, why,
                                    sizeof(why)) != 0) {
        all[0] = CHORALE_RUN_INVALID;
    }
    if (all[0] != (double)CHORALE_RUN_OK)
        all[1] = bench->rank;
    rc = chorale_agree_max(bench, all, 3);
    if (rc == MPI_SUCCESS && turn == 0)
        res->first_call = all[2];
    if (rc == MPI_SUCCESS)
        rc = add_stats(bench, &res->stat);
    if (rc == MPI_SUCCESS && all[1] >= 0) {
        rc = PMPI_Bcast(why, sizeof(why), MPI_CHAR, (int)all[1],
                        bench->world);
        for (char *p = why; *p != '\0'; p++)
            if (*p == '\n')
                *p = ' ';
        fail(res, (enum chorale_status)(int)all[0], why);
    }
    return rc;
}

/* From every root that will be timed. */
static int verify(struct state *st, int c)
{
    int rc = MPI_SUCCESS;

    announce(st, cand_of(st, c)->cell_id);
    for (int turn = 0; turn < root_turns(st->task) && rc == MPI_SUCCESS &&
                       st->result[c].status == CHORALE_RUN_OK; turn++)
        rc = verify_root(st, c, turn);
    return rc;
}

/* One timed repetition; slot < 0: not recorded. */
static void repeat(struct state *st, int c, int slot)
{
    struct chorale_bench *bench = st->bench;
    int root = chorale_task_root(st->task, bench->size, st->round), late, rc;
    double start, in, out;

#ifdef CHORALE_SIM
    announce(st, cand_of(st, c)->cell_id);
#endif
    start = chorale_sync_start(bench, &late);
    in = chorale_clock_now(bench);
    rc = chorale_provider_call(bench, &st->prob, cand_of(st, c), root);
    out = chorale_clock_now(bench);
    if (slot >= 0) {
        double *v = st->local + (size_t)slot * NVALUE;

        v[0] = out;
        v[1] = in;
        v[2] = -in;
        v[3] = bench->rank == root ? out : -INFINITY;
        v[4] = late;
        v[5] = rc != MPI_SUCCESS;
        st->start[slot] = start;
    }
}

static int keep(struct state *st, int c, int slot, int root)
{
    struct chorale_result *res = &st->result[c];
    const double *v = st->global + (size_t)slot * NVALUE;
    double start = st->bench->work.set.barrier_sync ? -v[2] : st->start[slot];

    if (res->nsample == st->room[c]) {
        int room = st->room[c] > 0 ? 2 * st->room[c] : 64;
        struct chorale_sample *grown =
            realloc(res->sample, (size_t)room * sizeof(*grown));

        if (grown == NULL)
            return -1;
        res->sample = grown;
        st->room[c] = room;
    }
    res->sample[res->nsample++] = (struct chorale_sample){
        .seconds = v[0] - start,
        .first_in = -v[2] - start,
        .last_in = v[1] - start,
        .root_out = v[3] - start,
        .root = root,
        .late = v[4] > 0,
    };
    st->spent[c] += v[0] - start;
    return 0;
}

/* Rank 0: why candidate c needs no more rounds, or NULL. */
static const char *enough(const struct state *st, int c)
{
    const struct chorale_settings *set = &st->bench->work.set;
    const struct chorale_result *res = &st->result[c];
    struct chorale_summary s;
    double x[4096];
    size_t n = (size_t)res->nsample;

    if (st->spent[c] >= set->cell_seconds && n >= 3)
        return "time";
    if (res->nsample < set->nrep_min)
        return NULL;
    if (res->nsample >= set->nrep_max)
        return "nrep";
    if (n > sizeof(x) / sizeof(x[0]))
        n = sizeof(x) / sizeof(x[0]);
    for (size_t i = 0; i < n; i++)
        x[i] = res->sample[i].seconds;
    chorale_summarise(x, n, &s);
    return s.hi - s.lo <= set->target_width * s.median ? "width" : NULL;
}

/* After a chunk: gather its values on rank 0, decide, tell everyone which
 * candidates go on and how many rounds the next chunk has. */
static int chunk_end(struct state *st, int nslot, const int *slot_cand,
                     const int *slot_round, int *nround)
{
    struct chorale_bench *bench = st->bench;
    int n = st->task->ncand, nlate = 0, failed = 0;
    double round_seconds = 0;
    int rc = chorale_sync_end(bench);

    if (rc == MPI_SUCCESS)
        rc = PMPI_Reduce(st->local, st->global, nslot * NVALUE, MPI_DOUBLE,
                         MPI_MAX, 0, bench->world);
    if (rc != MPI_SUCCESS)
        return rc;
    if (bench->rank == 0) {
        for (int s = 0; s < nslot; s++) {
            const double *v = st->global + (size_t)s * NVALUE;
            int c = slot_cand[s];

            nlate += v[4] > 0;
            if (v[5] > 0)
                fail(&st->result[c], CHORALE_RUN_FAILED,
                     "MPI error while it was timed");
            else if (keep(st, c, s,
                          chorale_task_root(st->task, bench->size,
                                            slot_round[s])) != 0)
                failed = 1;
        }
        if (nlate > LATE_SHARE * nslot && bench->slack < SLACK_MAX)
            bench->slack *= 1.5;
        for (int c = 0; c < n; c++) {
            struct chorale_result *res = &st->result[c];

            if (!st->active[c])
                continue;
            res->stop_reason = enough(st, c);
            st->active[c] = res->status == CHORALE_RUN_OK &&
                            res->stop_reason == NULL && !failed;
            if (res->nsample > 0)
                round_seconds += st->spent[c] / res->nsample + bench->slack;
        }
        *nround = round_seconds > 0 ? (int)(CHUNK_SECONDS / round_seconds) : 1;
        if (*nround < 1)
            *nround = 1;
        if (*nround > CHUNK_MAX)
            *nround = CHUNK_MAX;
    }
    rc = PMPI_Bcast(st->active, n, MPI_INT, 0, bench->world);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Bcast(nround, 1, MPI_INT, 0, bench->world);
    return rc;
}

static int any_active(const struct state *st)
{
    for (int c = 0; c < st->task->ncand; c++)
        if (st->active[c])
            return 1;
    return 0;
}

/* nround rounds of all active candidates; returns the slots used. */
static int rounds(struct state *st, int nround, int *slot_cand,
                  int *slot_round)
{
    int nslot = 0;

    for (int r = 0; r < nround; r++, st->round++) {
        shuffle(st);
        for (int i = 0; i < st->task->ncand; i++) {
            int c = st->order[i];

            if (!st->active[c])
                continue;
            slot_cand[nslot] = c;
            slot_round[nslot] = st->round;
            repeat(st, c, nslot++);
        }
    }
    return nslot;
}

#ifdef CHORALE_SIM
/* In simulation: nothing varies but the root, so two repetitions of each
 * root decide, and they must be equal. The verified call has been the
 * warm-up. */
static void judge_simulated(struct state *st, int nroot)
{
    for (int c = 0; c < st->task->ncand; c++) {
        struct chorale_result *res = &st->result[c];

        if (res->nsample != SIM_REPS * nroot)
            continue;
        res->stop_reason = "equal";
        for (int i = 0; i < nroot; i++)
            if (fabs(res->sample[i].seconds - res->sample[i + nroot].seconds) >
                SIM_EQUAL * res->sample[i].seconds)
                res->stop_reason = "unequal";
    }
}

static int time_simulated(struct state *st, int *slot_cand, int *slot_round)
{
    int nroot = root_turns(st->task), nslot, nround, rc;

    nslot = rounds(st, SIM_REPS * nroot, slot_cand, slot_round);
    rc = chunk_end(st, nslot, slot_cand, slot_round, &nround);
    if (rc == MPI_SUCCESS && st->bench->rank == 0)
        judge_simulated(st, nroot);
    return rc;
}
#else
static void warm_up(struct state *st, int nround)
{
    for (st->round = 0; st->round < nround; st->round++)
        for (int c = 0; c < st->task->ncand; c++)
            if (st->active[c])
                repeat(st, c, -1);
    st->round = 0;
}

static int time_real(struct state *st, int *slot_cand, int *slot_round)
{
    int nround = 1, rc = MPI_SUCCESS;

    warm_up(st, st->bench->work.set.nwarmup);
    while (rc == MPI_SUCCESS && any_active(st)) {
        int nslot = rounds(st, nround, slot_cand, slot_round);

        rc = chunk_end(st, nslot, slot_cand, slot_round, &nround);
    }
    return rc;
}
#endif

static int time_all(struct state *st)
{
    size_t slots = (size_t)st->task->ncand * CHUNK_MAX;
    int *slot_cand = calloc(slots, sizeof(int));
    int *slot_round = calloc(slots, sizeof(int));
    int lacking = slot_cand == NULL || slot_round == NULL;
    int rc = PMPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX,
                            st->bench->world);

    if (rc == MPI_SUCCESS && lacking)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
#ifdef CHORALE_SIM
        rc = time_simulated(st, slot_cand, slot_round);
#else
        rc = time_real(st, slot_cand, slot_round);
#endif
    free(slot_cand);
    free(slot_round);
    return rc;
}

/* One more call of each candidate with PAPI's counters on, outside the
 * timing. */
static int read_counters(struct state *st)
{
    struct chorale_bench *bench = st->bench;
    int npapi = chorale_counters_count(bench), rc = MPI_SUCCESS;

    for (int c = 0; npapi > 0 && c < st->task->ncand && rc == MPI_SUCCESS;
         c++) {
        struct chorale_result *res = &st->result[c];
        int status = (int)res->status;

        rc = PMPI_Bcast(&status, 1, MPI_INT, 0, bench->world);
        if (rc != MPI_SUCCESS || status != CHORALE_RUN_OK)
            continue;
        rc = chorale_sync_barrier(bench);
        bench->ctx->stat = &bench->stat; /* PAPI sees it */
        chorale_counters_start(bench);
        chorale_provider_call(bench, &st->prob, cand_of(st, c),
                              chorale_task_root(st->task, bench->size, 0));
        chorale_counters_stop(bench, res->counter);
        bench->ctx->stat = NULL;
        if (rc == MPI_SUCCESS)
            rc = PMPI_Allreduce(MPI_IN_PLACE, res->counter, npapi, MPI_DOUBLE,
                                MPI_SUM, bench->world);
    }
    return rc;
}

static void fail_memory(const struct chorale_bench *bench,
                        struct chorale_result *res, double need)
{
    fail(res, CHORALE_RUN_INAPPLICABLE, "");
    snprintf(res->reason, sizeof(res->reason),
             "memory: needs %.0f bytes a node, --max-memory is %.0f", need,
             bench->work.set.max_memory);
}

/* Which candidates may be timed: refusals first, then verification. */
static int admit(struct state *st)
{
    double most = st->bench->work.set.max_memory;
    double buffers = chorale_problem_memory(st->bench, st->task);
    int rc = MPI_SUCCESS;

    for (int c = 0; c < st->task->ncand && rc == MPI_SUCCESS; c++) {
        const struct chorale_cand *cand = cand_of(st, c);
        struct chorale_result *res = &st->result[c];
        double need = buffers + chorale_problem_scratch(st->bench, st->task,
                                                        cand);
        const char *no = NULL;

        if (cand->alg >= 0) {
            memcpy(st->prob.pt.param, cand->param, sizeof(cand->param));
            no = chorale_alg_refuses(chorale_algs[cand->alg], &st->prob.pt);
        }
        if (no != NULL)
            fail(res, CHORALE_RUN_INAPPLICABLE, no);
        else if (need > most)
            fail_memory(st->bench, res, need);
        else
            rc = verify(st, c);
        st->active[c] = res->status == CHORALE_RUN_OK;
    }
    announce(st, 0);
    return rc;
}

static int state_init(struct state *st)
{
    size_t n = (size_t)st->task->ncand, slots = n * CHUNK_MAX;

    st->active = calloc(n, sizeof(int));
    st->order = calloc(n, sizeof(int));
    st->room = calloc(n, sizeof(int));
    st->spent = calloc(n, sizeof(double));
    st->start = calloc(slots, sizeof(double));
    st->local = calloc(slots * NVALUE, sizeof(double));
    st->global = calloc(slots * NVALUE, sizeof(double));
    return st->active != NULL && st->order != NULL && st->room != NULL &&
                   st->spent != NULL && st->start != NULL &&
                   st->local != NULL && st->global != NULL
               ? 0
               : -1;
}

static void state_free(struct state *st)
{
    free(st->active);
    free(st->order);
    free(st->room);
    free(st->spent);
    free(st->start);
    free(st->local);
    free(st->global);
}

int chorale_measure(struct chorale_bench *bench,
                    const struct chorale_task *task,
                    struct chorale_result *result)
{
    struct state st = { .bench = bench, .task = task, .result = result };
    double need = chorale_problem_memory(bench, task);
    int npapi = chorale_counters_count(bench), rc, short_of_memory = 0;

    st.prob.op = MPI_OP_NULL;
    for (int c = 0; c < task->ncand; c++) {
        memset(&result[c], 0, sizeof(result[c]));
        if (npapi > 0)
            result[c].counter = calloc((size_t)npapi, sizeof(double));
        short_of_memory |= npapi > 0 && result[c].counter == NULL;
        if (need > bench->work.set.max_memory)
            fail_memory(bench, &result[c], need);
    }
    if (need > bench->work.set.max_memory)
        return MPI_SUCCESS;
    short_of_memory |= state_init(&st) != 0;
    rc = PMPI_Allreduce(MPI_IN_PLACE, &short_of_memory, 1, MPI_INT, MPI_MAX,
                        bench->world);
    if (rc == MPI_SUCCESS && (short_of_memory ||
                              chorale_problem_init(bench, task, &st.prob))) {
        for (int c = 0; c < task->ncand; c++)
            fail(&result[c], CHORALE_RUN_INAPPLICABLE,
                 "memory: the buffers could not be allocated");
    } else if (rc == MPI_SUCCESS) {
        rc = admit(&st);
        if (rc == MPI_SUCCESS && any_active(&st))
            rc = time_all(&st);
        if (rc == MPI_SUCCESS)
            rc = read_counters(&st);
    }
    chorale_problem_free(&st.prob);
    state_free(&st);
    return rc;
}

void chorale_result_free(struct chorale_result *result)
{
    free(result->sample);
    free(result->counter);
    result->sample = NULL;
    result->counter = NULL;
}

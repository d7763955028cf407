/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c - serves calls of collectives.
 *
 * The state of a communicator is an attribute of it. At first the attribute's
 * value is the number of covered calls, without any allocation. From the
 * agreed call on it is a struct chorale_state, or LIBRARY if the communicator
 * is left to the library for good. Calls after that take no lock. */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "algorithms/dispatch/vector_args.h"
#include "algorithms/dispatch/comm/check_args.h"
#include "algorithms/dispatch/select.h"
#include "algorithms/dispatch/dispatch.h"
#include "algorithms/dispatch/comm/freed_comms.h"
#include "algorithms/dispatch/comm/fast_path.h"
#include "algorithms/dispatch/comm/context_reclaim.h"
#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/dispatch/base/node_id.h"
#include "algorithms/dispatch/slow_path.h"
#include "algorithms/dispatch/base/init_rendezvous.h"
#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/base/warn.h"
#include "algorithms/dispatch/comm/comm_state.h"
#include "algorithms/dispatch/trace/trace.h"
#include "algorithms/dispatch/comm/type_watch.h"
#include "algorithms/dispatch/comm/usage_report.h"

/* Attribute values: odd numbers count calls; states are aligned, hence even. */
#define LIBRARY INTPTR_MAX

/* State of the process: written once under the lock, then only read. */
static struct {
    pthread_mutex_t lock;
    atomic_int started;      /* the fields below are valid */
    atomic_int stopped;      /* for good: MPI_Finalize, or the start failed */
    atomic_int warned;       /* that ranks disagree */
    atomic_int after;
    int together;            /* all ranks meet in MPI_Finalize to report
                              * usage */
    int one_thread;          /* no rank has MPI_THREAD_MULTIPLE */
    struct chorale_tuning tuning;
    int state_key, last_key;
    int wish;                /* chorale_trace_wish() of a program with
                              * libchorale */
} core = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .after = CHORALE_AFTER_DEFAULT };

/* Only rank 0 prints problems that all ranks find. */
static void warn(const char *line)
{
    int rank;

    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
        chorale_warn("chorale: %s", line);
}

static int no_copy(MPI_Comm comm, int key, void *extra, void *in, void *out,
                   int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

/* A communicator with this attribute is freed, or its value is replaced. */
static int on_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    atomic_fetch_add(&chorale_epoch, CHORALE_EPOCH_STEP);
    if (((intptr_t)value & 1) == 0)
        chorale_state_free(value);
    return MPI_SUCCESS;
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while MPI still
 * works: the time to free what MPI_COMM_WORLD holds. */
static int on_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    chorale_trace_finish();
    chorale_dispatch_stop();
    return MPI_SUCCESS;
}

void chorale_dispatch_stop(void)
{
    void *value;
    int found;

    if (!atomic_load(&core.started) || atomic_exchange(&core.stopped, 1))
        return;
    atomic_fetch_add(&chorale_epoch, CHORALE_EPOCH_STEP);
    chorale_usage_print(core.together, core.tuning.set.verbose);
    /* Also the states of communicators that the application never frees. */
    for (MPI_Comm comm = chorale_state_newest(); comm != MPI_COMM_NULL;
         comm = chorale_state_newest())
        if (PMPI_Comm_delete_attr(comm, core.state_key) != MPI_SUCCESS)
            break;
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, core.state_key, &value, &found)
            == MPI_SUCCESS && found)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, core.state_key);
    PMPI_Comm_free_keyval(&core.state_key);
    chorale_types_stop();
    chorale_memory_stop();
    chorale_world_dup_free();
}

/* 1 between MPI_Init and MPI_Finalize. */
static int mpi_is_up(void)
{
    int up, down;

    return PMPI_Initialized(&up) == MPI_SUCCESS && up
        && PMPI_Finalized(&down) == MPI_SUCCESS && !down;
}

static int make_keys(void)
{
    if (PMPI_Comm_create_keyval(no_copy, on_free, &core.state_key, NULL)
            != MPI_SUCCESS
        || !chorale_types_start())
        return 0;
    if (PMPI_Comm_create_keyval(no_copy, on_finalize, &core.last_key, NULL)
            != MPI_SUCCESS
        || PMPI_Comm_set_attr(MPI_COMM_SELF, core.last_key, &core)
               != MPI_SUCCESS)
        return 0;
    /* The key stays valid until the attribute is deleted. */
    PMPI_Comm_free_keyval(&core.last_key);
    return 1;
}

/* Call with the lock held. */
static int start_locked(const char *path)
{
    int ok = 1;

    if (atomic_load(&core.started) || atomic_load(&core.stopped))
        return path == NULL && atomic_load(&core.started) ? 0 : -1;
    if (!mpi_is_up())
        return -1;
    if (!make_keys()) {
        atomic_store(&core.stopped, 1);
        return -1;
    }
    chorale_call_args_init();
    chorale_tuning_load(&core.tuning, path, warn, &ok);
    if (core.tuning.set.verbose) {
        char line[512];

        if (core.tuning.table->system[0] != '\0')
            snprintf(line, sizeof(line), "table %.60s of %.100s%s",
                     core.tuning.table->digest[0] != '\0'
                         ? core.tuning.table->digest
                         : "(none)",
                     core.tuning.table->system,
                     core.tuning.idle ? " chooses nothing" : "");
        else
            snprintf(line, sizeof(line), "table built in%s: name a tuned one "
                     "with CHORALE_DISPATCH",
                     core.tuning.idle ? " chooses nothing" : "");
        warn(line);
    }
    atomic_store_explicit(&core.started, 1, memory_order_release);
    return ok ? 0 : -1;
}

int chorale_dispatch_use(const char *path)
{
    int ret;

    if (!chorale_pmpi_ready())
        return -1;
    pthread_mutex_lock(&core.lock);
    ret = start_locked(path);
    pthread_mutex_unlock(&core.lock);
    return ret;
}

static int is_started(void)
{
    if (atomic_load_explicit(&core.stopped, memory_order_acquire))
        return 0;
    if (atomic_load_explicit(&core.started, memory_order_acquire))
        return 1;
    chorale_dispatch_use(NULL);
    return atomic_load(&core.started) && !atomic_load(&core.stopped);
}

/* Private communicators that this rank allows. */
static int private_comms_limit(void)
{
    return core.tuning.idle ? 0 : core.tuning.set.max_comms;
}

/* Make chorale_world_dup() and find the nodes. It is kept only if other
 * communicators can be made from it: it counts towards room, the largest
 * number that a rank allows. */
static void find_world_nodes(int traces, int room)
{
    if (traces || room > 0) {
        chorale_world_dup_make();
        chorale_node_id_find();
    }
    if (room < 2)
        chorale_world_dup_free();
}

void chorale_dispatch_init(void)
{
    int mine[5], largest[5], level;

    if (!chorale_pmpi_ready() || !is_started())
        return;
    mine[0] = core.tuning.set.after;
    mine[1] = chorale_trace_wish(core.tuning.set.secure, "", warn);
    mine[2] = core.tuning.set.verbose;
    mine[3] = PMPI_Query_thread(&level) != MPI_SUCCESS
              || level == MPI_THREAD_MULTIPLE;
    mine[4] = private_comms_limit();
    if (!chorale_world_max(mine, largest, 5))
        return;
    atomic_store(&core.after, largest[0]);
    core.together = largest[2];
    core.one_thread = !largest[3];
    find_world_nodes(largest[1], largest[4]);
    chorale_trace_join(largest[1]);
}

/* For a program linked with libchorale, which has no hook in MPI_Init: each
 * rank starts its trace at its first call. All ranks meet at their first call
 * on MPI_COMM_WORLD, where they also find their nodes. */
static void join_at_first_call(MPI_Comm comm)
{
    static atomic_int began, joined;
    int mine[2], largest[2];

    if (!atomic_exchange(&began, 1)) {
        const char *suffix = chorale_pmpi_symbol("chorale_shim_ran") != NULL
                                 ? ".libchorale" : "";

        core.wish = chorale_trace_wish(core.tuning.set.secure, suffix, warn);
        chorale_trace_alone();
    }
    if (comm != MPI_COMM_WORLD || atomic_exchange(&joined, 1))
        return;
    mine[0] = core.wish;
    mine[1] = private_comms_limit();
    if (PMPI_Allreduce(mine, largest, 2, MPI_INT, MPI_MAX, comm)
        != MPI_SUCCESS)
        return;
    find_world_nodes(largest[0], largest[1]);
    chorale_trace_join(largest[0]);
}

void chorale_dispatch_at_once(MPI_Comm comm)
{
    atomic_store(&core.after, 1);
    if (is_started())
        join_at_first_call(comm);
}

/* One line per process, for the first communicator concerned. */
static void warn_disagreement(const char *why)
{
    if (why != NULL && !atomic_exchange(&core.warned, 1))
        chorale_warn("chorale: a communicator is left to the library: %s", why);
}

static unsigned long long epoch_now(void)
{
    return atomic_load_explicit(&chorale_epoch, memory_order_acquire)
         & ~(unsigned long long)CHORALE_EPOCH_TRACED;
}

/* Make comm current for the next calls of this thread. Cached calls of types
 * that have ended are dropped first; every end of a type brings calls back
 * here. */
static struct chorale_state *keep_last(MPI_Comm comm,
                                       unsigned long long epoch,
                                       struct chorale_state *st)
{
    if (st != NULL)
        chorale_cache_prune(st);
    chorale_last_comm_set(comm, epoch, st);
    return st;
}

/* All communicators of this process are left to the library for good. */
static int pass_all(void)
{
    chorale_last_comm = (struct chorale_last_comm){ .epoch = epoch_now(),
                                          .pass = UINT_MAX };
    return 0;
}

static void leave(MPI_Comm comm)
{
    PMPI_Comm_set_attr(comm, core.state_key, (void *)LIBRARY);
}

/* Set comm up. If all ranks learn here of a GPU runtime, earlier communicators
 * are left to the library, too, unless other threads may be using them. */
static struct chorale_state *set_up(MPI_Comm comm)
{
    const char *why;
    int gpu;
    struct chorale_state *st = chorale_state_new(&core.tuning, comm, &why,
                                                 &gpu);

    warn_disagreement(why);
    if (gpu && core.one_thread)
        chorale_state_free_all(MPI_GROUP_NULL, leave);
    return st;
}

/* The state of a communicator at this covered call; NULL: left to the library.
 * *rc is an error if comm is invalid; an error handler has received it. */
static struct chorale_state *find_state(MPI_Comm comm, enum chorale_coll coll,
                                        const struct chorale_call *call,
                                        const struct chorale_ints *ints,
                                        int *rc)
{
    const unsigned long long epoch = epoch_now();
    struct chorale_state *st;
    void *value;
    intptr_t ncall = 1;
    int found;

    if (chorale_last_comm.epoch == epoch && chorale_last_comm.mask != 0
        && chorale_last_comm.comm == (chorale_word)comm)
        return chorale_last_comm.state;
    if (chorale_last_comm_switch((chorale_word)comm, epoch))
        return chorale_last_comm.state;
    *rc = PMPI_Comm_get_attr(comm, core.state_key, &value, &found);
    if (*rc != MPI_SUCCESS)
        return NULL;
    if (found && ((intptr_t)value & 1) == 0)
        return keep_last(comm, epoch, value);
    if (found && (intptr_t)value == LIBRARY)
        return keep_last(comm, epoch, NULL);
    if (!core.tuning.set.check && !chorale_call_args_valid(comm, coll, call,
                                                           ints))
        return NULL; /* a wrong call; CHORALE_CHECK would report it */
    if (found)
        ncall = ((intptr_t)value - 1) / 2 + 1;
    if (ncall < atomic_load(&core.after)) {
        PMPI_Comm_set_attr(comm, core.state_key, (void *)(2 * ncall + 1));
        return NULL;
    }
    st = set_up(comm);
    PMPI_Comm_set_attr(comm, core.state_key,
                       st != NULL ? (void *)st : (void *)LIBRARY);
    return st;
}

static int checks(struct chorale_state *st, enum chorale_coll coll,
                  const struct chorale_call *call,
                  const struct chorale_ints *ints)
{
    struct chorale_call wide = *call;

    if (ints != NULL && chorale_coll_info(coll)->irregular)
        chorale_arrays_take(st, coll, &wide, ints);
    return chorale_check_call(st, coll, &wide);
}

/* End of a call that failed: the variant returned rc, or a message was longer
 * than its buffer. Calls comm's error handler and returns the error code. */
static __attribute__((noinline, cold)) int
fail(struct chorale_state *st, MPI_Comm comm, struct chorale_scratch *own,
     int rc)
{
    if (rc == MPI_SUCCESS)
        rc = st->truncated;
    else
        st->unfinished = 1;
    st->truncated = MPI_SUCCESS;
    chorale_scratch_release(st->ctx, 0);
    chorale_memory_back(st->ctx, &st->share, own);
    PMPI_Comm_call_errhandler(comm, rc);
    return rc;
}

/* Run the chosen variant. Returns MPI's error code. */
static int run(struct chorale_state *st, const struct chorale_chosen *chosen,
               MPI_Comm comm, struct chorale_call *call)
{
    struct chorale_scratch *own;
    int rc;

    st->ctx->tag = CHORALE_TAG + (int)chosen->plan->alg->coll;
    call->ctx = st->ctx;
    call->param = chosen->plan->param;
    call->commutative = chosen->commutative;
    own = chorale_memory_lend(st->ctx, &st->share);
    rc = chosen->plan->alg->run(call);
    if ((rc | st->truncated) != MPI_SUCCESS)
        return fail(st, comm, own, rc);
    chorale_memory_back(st->ctx, &st->share, own);
    return MPI_SUCCESS;
}

int chorale_dispatch_cached(enum chorale_coll coll, MPI_Comm comm,
                            struct chorale_call *call)
{
    return run(chorale_last_comm.state, chorale_last_comm.recall->ran[coll],
               comm, call);
}

enum chorale_path chorale_dispatch_arrays(enum chorale_coll coll,
                                          MPI_Comm comm,
                                          struct chorale_call *call,
                                          const struct chorale_ints *ints,
                                          int *rc)
{
    struct chorale_state *st = chorale_last_comm.state;
    const struct chorale_chosen *ran;

    if (chorale_choice_uses_sum(coll)
            ? !chorale_arrays_cached_sum(st, coll, call, ints)
            : !chorale_arrays_cached(st, coll, call, ints))
        return CHORALE_ASK;
    ran = st->recall.ran[coll];
    if (ran->passes)
        return CHORALE_PASS;
    *rc = run(st, ran, comm, call);
    return CHORALE_AGAIN;
}

int chorale_dispatch(enum chorale_coll coll, MPI_Comm comm,
                     struct chorale_call *call,
                     const struct chorale_ints *ints, int *rc)
{
    const struct chorale_plan *plan;
    struct chorale_state *st;

    if (!chorale_pmpi_ready())
        return pass_all();
    if (comm == MPI_COMM_NULL || chorale_freeing_comm((chorale_word)comm))
        return 0;
    chorale_trace_call(coll, comm, call, ints);
    if (!is_started())
        return 0;
    *rc = MPI_SUCCESS;
    st = find_state(comm, coll, call, ints, rc);
    if (*rc != MPI_SUCCESS)
        return 1;
    if (st == NULL
        || (st->tuning->set.check && !checks(st, coll, call, ints)))
        return 0;
    plan = chorale_choice_cached(st, coll, call);
    if (plan == NULL)
        plan = chorale_call_choose(st, coll, call, ints);
    if (chorale_last_comm.state == st)
        chorale_last_comm.pass = st->pass;
    if (plan == NULL || plan->alg == NULL)
        return 0;
    if (ints != NULL && chorale_coll_info(coll)->irregular)
        chorale_arrays_take(st, coll, call, ints);
    chorale_trace_ran(plan);
    *rc = run(st, st->recall.ran[coll], comm, call);
    return 1;
}

/* 1 if private communicators may exist. Equal on all ranks of
 * MPI_COMM_WORLD. */
static int holds(void)
{
    return core.one_thread && chorale_world_dup() != MPI_COMM_NULL;
}

int chorale_dispatch_reclaim(MPI_Comm comm, int needs)
{
    return holds() ? chorale_context_reclaim(comm, needs, leave) : MPI_SUCCESS;
}

void chorale_dispatch_reclaim_group(MPI_Group group)
{
    if (holds())
        chorale_context_reclaim_group(group, leave);
}

int chorale_dispatch_last(enum chorale_coll coll, MPI_Comm comm,
                          size_t msg_size, char *text, size_t size)
{
    const struct chorale_chosen *ran;
    const struct chorale_plan *plan;
    const struct chorale_state *st;
    char params[256] = "";
    void *value;
    int found;

    if (size > 0)
        text[0] = '\0';
    if (!chorale_pmpi_ready() || comm == MPI_COMM_NULL || !is_started())
        return -1;
    if (core.tuning.idle) {
        snprintf(text, size, "%s library", core.tuning.table->digest);
        return 0;
    }
    if (PMPI_Comm_get_attr(comm, core.state_key, &value, &found)
            != MPI_SUCCESS
        || !found || ((intptr_t)value & 1) != 0)
        return -1;
    st = value;
    ran = st->recall.ran[coll];
    if (ran == NULL || ran->plan == NULL
        || (!st->memo[coll].always && ran->msg_size != msg_size)
        || (ran != &st->memo[coll].last /* the entry was overwritten */
            && ran->pattern >> CHORALE_COLL_SHIFT != coll))
        return -1;
    plan = ran->plan;
    if (plan->alg != NULL)
        chorale_alg_params_format(plan->alg, plan->param, params,
                                  sizeof(params));
    snprintf(text, size, "%s %s%s%s", core.tuning.table->digest,
             plan->alg != NULL ? plan->alg->name : "library",
             params[0] != '\0' ? ":" : "", params);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_state.c - sets up a communicator for the catalogue's variants.
 *
 * Every step that can fail on one rank alone precedes an agreement of all
 * ranks. So no rank runs a variant while its partners call the library. */
#include "config.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/dispatch/base/node_id.h"
#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/table/shape.h"
#include "algorithms/dispatch/comm/comm_state.h"
#include "algorithms/fnv1a.h"

/* Number of this process's states. MPI libraries have a few thousand contexts;
 * CHORALE_MAX_COMMS leaves most of them to the application. */
static atomic_int nprivate;

/* List of this process's states. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chorale_state *last;
static int nlisted, most_listed;

/* Number of libraries loaded so far (dlpi_adds) when no GPU runtime was found;
 * 0: not known. */
static atomic_ullong clean_at;

/* A rank's contribution to the agreement if it has a GPU runtime; else 0 or
 * 1. */
enum { BESIDE_GPU = -1 };

enum { CLEAN = 2 }; /* result of the search: no library was loaded since */

/* 1 if a runtime is loaded that has a device here. The libraries alone tell
 * nothing: MPI's own, such as UCX and hwloc, load them on any node.
 *
 * Level Zero is recognised by its driver. hwloc loads libze_loader.so into
 * every process, but the loader allocates no memory itself, and any display
 * adapter has a file in /dev/dri. */
static int is_gpu_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char *const gpu[][2] = { /* runtime, device file */
        { "libcuda.so", "/dev/nvidiactl" },
        { "libcudart.so", "/dev/nvidiactl" },
        { "libcuda.so", "/dev/nvmap" }, /* NVIDIA's systems on a chip */
        { "libcudart.so", "/dev/nvmap" },
        { "libcuda.so", "/dev/dxg" }, /* Linux on Windows */
        { "libcudart.so", "/dev/dxg" },
        { "libamdhip64.so", "/dev/kfd" },
        { "libhsa-runtime64.so", "/dev/kfd" },
        { "libze_intel_gpu", "/dev/dri" }, /* also its _legacy1 */
    };
    unsigned long long *adds = data;

    if (*adds == 0 && size >= offsetof(struct dl_phdr_info, dlpi_subs)) {
        *adds = info->dlpi_adds;
        if (*adds == atomic_load(&clean_at))
            return CLEAN;
    }
    for (size_t i = 0; i < sizeof(gpu) / sizeof(gpu[0]); i++)
        if (info->dlpi_name != NULL && strstr(info->dlpi_name, gpu[i][0]) &&
            access(gpu[i][1], F_OK) == 0)
            return 1;
    return 0;
}

/* 1 if buffers may be in GPU memory. Checked at each set-up, as a runtime may
 * be loaded at any time. */
static int gpu_possible(const struct chorale_tuning *tuning)
{
    unsigned long long adds = 0;
    int found;

    if (tuning->set.host_buffers)
        return 0;
    found = dl_iterate_phdr(is_gpu_runtime, &adds);
    if (found == 0)
        atomic_store(&clean_at, adds);
    return found == 1;
}

/* 1 if all ranks of group are in other. *first: the rank of group that comes
 * first in other. Works in pieces without allocating, so that all ranks get
 * the same answer. */
static int is_within(MPI_Group group, MPI_Group other, int *first)
{
    enum { PIECE = 64 };
    int from[PIECE], to[PIECE], inside = 1, least = INT_MAX, size;

    if (PMPI_Group_size(group, &size) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < size && inside; i += PIECE) {
        const int n = size - i < PIECE ? size - i : PIECE;

        for (int k = 0; k < n; k++)
            from[k] = i + k;
        inside = PMPI_Group_translate_ranks(group, n, from, other, to)
                 == MPI_SUCCESS;
        for (int k = 0; k < n && inside; k++) {
            inside = to[k] != MPI_UNDEFINED;
            if (inside && to[k] < least) {
                least = to[k];
                *first = i + k;
            }
        }
    }
    return inside;
}

/* 1 if all ranks of group are in MPI_COMM_WORLD; *first as in is_within(). */
static int inside_world(MPI_Group group, int *first)
{
    MPI_Group world;
    int inside;

    if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return 0;
    inside = is_within(group, world, first);
    PMPI_Group_free(&world);
    return inside;
}

int chorale_group_in_world(MPI_Group group)
{
    int first;

    return inside_world(group, &first);
}

/* The same for the group of a communicator. */
static int comm_inside_world(MPI_Comm comm, int *first)
{
    MPI_Group group;
    int inside;

    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return 0;
    inside = inside_world(group, first);
    PMPI_Group_free(&group);
    return inside;
}

/* Values of which the ranks agree on the minimum. */
struct least {
    size_t share;
    uint64_t parent;
};

/* 1 if value is equal on all ranks and *all_ok_p is 1. One reduction gives the
 * minimum of value and of its complement, hence also its maximum; and the
 * minima of ok and *least. *all_ok_p is 0 on an error of MPI. */
static int agree(MPI_Comm comm, uint64_t value, int ok, int *all_ok_p,
                 struct least *least)
{
    unsigned long long mine[5] = { value, ~value,
                                   (unsigned long long)(ok + 1),
                                   least->share, least->parent };
    unsigned long long all[5];

    if (PMPI_Allreduce(mine, all, 5, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm)
        != MPI_SUCCESS)
        all[2] = 1;
    else
        *least = (struct least){ (size_t)all[3], all[4] };
    *all_ok_p = (int)all[2] - 1;
    return *all_ok_p == 1 && all[0] == ~all[1];
}

static int agree_on(MPI_Comm comm, uint64_t value, int ok, int *all_ok_p)
{
    struct least none = { 0, 0 };

    return agree(comm, value, ok, all_ok_p, &none);
}

static int find_shape(struct chorale_state *st, MPI_Comm comm, uint64_t *node)
{
    const uint64_t mine = chorale_node_id();

    if (PMPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, node,
                       (int)sizeof(mine), MPI_BYTE, comm) != MPI_SUCCESS)
        return 0;
    st->shape = chorale_shape_of(node, st->size, node + st->size);
    return 1;
}

/* Parent of the private communicator. The ranks agree on the smallest value. */
enum parent {
    NOTHING,                 /* contexts may run out; the error would reach the
                              * application's handler */
    ITS_OWN,                 /* the application's communicator */
    OUR_WORLD                /* below MPI_THREAD_MULTIPLE: MPICH 4.0.2 confuses
                              * communicators that several threads make from
                              * one parent */
};

static uint64_t parent_of(const struct chorale_state *st)
{
    if (chorale_world_dup() != MPI_COMM_NULL && !st->share.own)
        return OUR_WORLD;
    return chorale_context_count() < CHORALE_CONTEXT_FAR ? ITS_OWN : NOTHING;
}

/* Make the private communicator from the group: duplication would run the
 * application's attribute callbacks. The parent is chorale_world_dup() if all
 * ranks have it. An error for lack of contexts is then returned instead of
 * reaching the application's error handler. */
static int make_comm(struct chorale_state *st, MPI_Comm comm, int own)
{
    MPI_Group group;
    int rc;

    if (chorale_world_dup_yielded()
        || PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return 0;
    rc = chorale_comm_from_group(own ? chorale_world_dup() : comm, group,
                                 &st->comm);
    if (rc != MPI_SUCCESS)
        st->comm = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    if (rc != MPI_SUCCESS || chorale_ctx_new(st->comm, &st->ctx) != MPI_SUCCESS)
        return 0;
    st->ctx->reserve = st->reserve;
    st->ctx->truncated = &st->truncated;
    return 1;
}

static void state_list_append(struct chorale_state *st)
{
    pthread_mutex_lock(&lock);
    st->before = last;
    if (last != NULL)
        last->after = st;
    last = st;
    st->listed = 1;
    if (++nlisted > most_listed)
        most_listed = nlisted;
    pthread_mutex_unlock(&lock);
}

static void state_list_remove(struct chorale_state *st)
{
    pthread_mutex_lock(&lock);
    if (st->before != NULL)
        st->before->after = st->after;
    if (st->after != NULL)
        st->after->before = st->before;
    if (last == st)
        last = st->before;
    nlisted -= st->listed;
    pthread_mutex_unlock(&lock);
}

int chorale_state_count(void)
{
    int held;

    pthread_mutex_lock(&lock);
    held = nlisted;
    pthread_mutex_unlock(&lock);
    return held;
}

static atomic_int alive; /* of the application, as far as the shim sees them */

void chorale_context_made(void)
{
    atomic_fetch_add(&alive, 1);
}

void chorale_context_freed(void)
{
    int now = atomic_load(&alive);

    while (now > 0 && !atomic_compare_exchange_weak(&alive, &now, now - 1))
        ;
}

int chorale_context_count(void)
{
    return atomic_load(&alive) + chorale_state_count();
}

int chorale_state_peak(void)
{
    int most;

    pthread_mutex_lock(&lock);
    most = most_listed;
    pthread_mutex_unlock(&lock);
    return most;
}

MPI_Comm chorale_state_newest(void)
{
    MPI_Comm comm;

    pthread_mutex_lock(&lock);
    comm = last != NULL ? last->parent : MPI_COMM_NULL;
    pthread_mutex_unlock(&lock);
    return comm;
}

/* 1 if all ranks of the state are in group. */
static int belongs_to(const struct chorale_state *st, MPI_Group group)
{
    MPI_Group its;
    int within, first;

    if (PMPI_Comm_group(st->comm, &its) != MPI_SUCCESS)
        return 0;
    within = is_within(its, group, &first);
    PMPI_Group_free(&its);
    return within;
}

int chorale_state_free_all(MPI_Group group, void (*leave)(MPI_Comm comm))
{
    struct chorale_state *before;
    int n = 0;

    for (struct chorale_state *st = last; st != NULL; st = before) {
        before = st->before;
        if (group == MPI_GROUP_NULL || belongs_to(st, group)) {
            leave(st->parent);
            n++;
        }
    }
    return n;
}

void chorale_state_free(struct chorale_state *st)
{
    if (st == NULL)
        return;
    state_list_remove(st);
    chorale_ctx_free(st->ctx);
    /* MPICH 4.2 aborts if messages wait in a communicator that is freed. */
    if (st->comm != MPI_COMM_NULL && !st->unfinished)
        PMPI_Comm_free(&st->comm);
    atomic_fetch_sub(&nprivate, 1);
    free(st->seen);
    free(st->check);
    free(st->check_bytes);
    free(st->room);
    chorale_memory_unreserve(st->reserve);
    chorale_memory_give_back(&st->share);
    free(st);
}

/* Bit per collective with arrays of counts. */
static unsigned irregular_colls(void)
{
    unsigned set = 0;

    for (int coll = 0; coll < CHORALE_NCOLL; coll++)
        if (chorale_coll_info((enum chorale_coll)coll)->irregular)
            set |= 1u << coll;
    return set;
}

/* Allocate everything that calls will need. Returns 1, or 0 without memory. */
static int allocate_rooms(struct chorale_state *st,
                          const struct chorale_tuning *tuning)
{
    const size_t size = (size_t)st->size;

    if (tuning->set.check || (tuning->serves & irregular_colls())) {
        st->room = calloc(4 * size, sizeof(*st->room));
        if (st->room == NULL)
            return 0;
    }
    if (tuning->set.check) {
        st->check = calloc(size + 1, sizeof(*st->check));
        st->check_bytes = calloc(2 * size, sizeof(*st->check_bytes));
        if (st->check == NULL || st->check_bytes == NULL)
            return 0;
    }
    if (!tuning->idle)
        chorale_memory_take(&st->share, tuning->set.max_scratch);
    st->reserve = tuning->idle
                      ? NULL : chorale_memory_reserve(st->share.bytes);
    return tuning->idle || st->reserve != NULL;
}

static struct chorale_state *allocate(const struct chorale_tuning *tuning,
                                      int rank, int size)
{
    struct chorale_state *st = aligned_alloc(_Alignof(struct chorale_state),
                                             sizeof(*st));

    if (st == NULL)
        return NULL;
    memset(st, 0, sizeof(*st));
    atomic_fetch_add(&nprivate, 1);
    st->tuning = tuning;
    st->comm = MPI_COMM_NULL;
    st->rank = rank;
    st->size = size;
    if (!allocate_rooms(st, tuning)) {
        chorale_state_free(st);
        return NULL;
    }
    if (tuning->set.verbose && rank == 0) /* if it fails, choices are not
                                           * printed */
        st->seen = calloc(CHORALE_NCOLL, (size_t)tuning->table->nchoice + 2);
    return st;
}

/* FNV-1a hash of the placement that a choice or a variant may depend on:
 * shape, ranks per node, and which ranks share a node. */
static uint64_t placement(const struct chorale_state *st, const int *id)
{
    const int word[] = { (int)st->shape, st->ppn };

    return chorale_fnv1a(chorale_fnv1a(CHORALE_FNV1A_START, word, sizeof(word)),
                         id, (size_t)st->size * sizeof(*id));
}

/* Pass the node of each rank to the variants. Not with CHORALE_DETERMINISTIC,
 * where another placement must give the same results. *placed: out, the digest
 * that the ranks must agree on. */
static int set_nodes(struct chorale_state *st, const uint64_t *node,
                     uint64_t *placed)
{
    int *id, rc = MPI_ERR_NO_MEM;

    if (st->tuning->set.deterministic) {
        st->shape = CHORALE_SHAPE_UNKNOWN;
        return 1;
    }
    id = calloc((size_t)st->size, sizeof(*id));

    if (id != NULL) {
        st->ppn = chorale_shape_nodes(node, st->size, node + st->size, id);
        rc = chorale_ctx_set_nodes(st->ctx, id);
        *placed = placement(st, id);
    }
    free(id);
    return rc == MPI_SUCCESS;
}

/* 1 if this rank may hold another private communicator, already counted in
 * nprivate, besides chorale_world_dup(). */
static int has_room(const struct chorale_tuning *tuning)
{
    return atomic_load(&nprivate) + 1 <= tuning->set.max_comms;
}

/* The collective steps. Returns NULL, or the reason why comm is left to the
 * library, on all ranks; "" if there is nothing to print. */
static const char *set_up(const struct chorale_tuning *tuning, MPI_Comm comm,
                          struct chorale_state *st, uint64_t *node,
                          int *gpu_p)
{
    int ok = st != NULL && node != NULL && !tuning->set.secure
             && has_room(tuning), all_ok;
    uint64_t placed = 0;
    struct least least = { st != NULL ? st->share.bytes : 0,
                           st != NULL ? parent_of(st) : NOTHING };
    int agreed = agree(comm, tuning->digest,
                       gpu_possible(tuning) ? BESIDE_GPU : ok, &all_ok,
                       &least);

    *gpu_p = all_ok == BESIDE_GPU;
    if (!agreed)
        return all_ok > 0
                   ? "tables, settings or versions of Chorale differ "
                     "between the ranks; set the same CHORALE_ variables "
                     "on all of them"
                   : "a rank cannot take part (CHORALE_MAX_COMMS is reached, "
                     "or a GPU runtime is loaded without "
                     "CHORALE_HOST_BUFFERS=1, or it runs set-user-id, or "
                     "memory ran out)";
    if (tuning->idle)
        return "";
    if (least.parent == NOTHING)
        return "no private communicator is made: the program has so many that "
               "the library may run out of them, and the program's error "
               "handler would be called";
    chorale_memory_settle(&st->share, least.share);
    ok = find_shape(st, comm, node);
    ok = make_comm(st, comm, least.parent == OUR_WORLD) && ok;
    ok = ok && set_nodes(st, node, &placed);
    if (agree_on(comm, placed, ok, &all_ok))
        return NULL;
    return all_ok == 1
               ? "its ranks do not agree on which of them share a node"
               : "no private communicator could be made; if the program has "
                 "many, set a smaller CHORALE_MAX_COMMS";
}

struct chorale_state *chorale_state_new(const struct chorale_tuning *tuning,
                                        MPI_Comm comm, const char **why,
                                        int *gpu_p)
{
    struct chorale_state *st;
    uint64_t *node;
    int inter, rank, size, world, teller = 0;

    *why = NULL;
    *gpu_p = 0;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter
        || PMPI_Comm_size(comm, &size) != MPI_SUCCESS || size < 2
        || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS
        || !comm_inside_world(comm, &teller))
        return NULL;
    st = allocate(tuning, rank, size);
    node = calloc(2 * (size_t)size, sizeof(*node));
    *why = set_up(tuning, comm, st, node, gpu_p);
    if (PMPI_Comm_size(MPI_COMM_WORLD, &world) != MPI_SUCCESS || size < world)
        *gpu_p = 0;
    free(node);
    if (*why == NULL) {
        st->parent = comm;
        state_list_append(st);
        return st;
    }
    if (**why == '\0' || rank != teller || tuning->set.secure)
        *why = NULL;
    chorale_state_free(st);
    return NULL;
}

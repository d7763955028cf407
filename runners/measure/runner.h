/* SPDX-License-Identifier: BSD-3-Clause */
/* runner.h - types and functions shared by the parts of the measuring program.
 * One launch measures the pending points of one system, comm_size, placement,
 * part and number of siblings. They may be of several campaigns that measure in
 * the same way (CHORALE_CAMPAIGN_WAY, db/store.h).
 *
 * The same sources are compiled against the MPI library (chorale-runner) and
 * against SimGrid's SMPI with -DCHORALE_SIM (chorale-runner-sim). In the latter
 * all ranks live in one process, so mutable variables at file scope are shared
 * by all ranks: use them only on purpose. Only rank 0 uses the database.
 */
#ifndef CHORALE_RUNNERS_MEASURE_RUNNER_H
#define CHORALE_RUNNERS_MEASURE_RUNNER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "db/store.h"
#include "runners/measure/clock.h"
#include "runners/native/native.h"
#include "runners/measure/stop_rule.h"

/* How the ranks start a repetition together (sync.c). */
enum chorale_sync {
    CHORALE_SYNC_ROUNDTIME,  /* at a common time, announced for each */
    CHORALE_SYNC_WINDOW,     /* at a row of common times, announced once */
    CHORALE_SYNC_BARRIER,    /* after a barrier, each rank by its own clock */
    CHORALE_NSYNC
};
extern const char *const chorale_sync_names[CHORALE_NSYNC];

/* How to measure: the columns of campaign that the runner needs. */
struct chorale_settings {
    struct chorale_stop stop;/* stopping rule */
    int nwarmup;
    int batch;               /* calls in a repetition; 0: by the resolution */
    double max_memory;       /* limit of buffers on a node, bytes */
    int sync;                /* enum chorale_sync, if the clocks are good */
    double tau;              /* simulated time of reductions, s/byte */
    char counters[CHORALE_COUNTERS_MAX]; /* PAPI event names,
                              * comma-separated */
};

enum chorale_provider {
    CHORALE_PROVIDER_LIBRARY, /* the library's default */
    CHORALE_PROVIDER_NATIVE, /* an algorithm of the library, forced */
    CHORALE_PROVIDER_CHORALE,
    CHORALE_PROVIDER_TABLE   /* the preloaded shim with its table */
};

/* One candidate of a point: a pending cell. Flat data, broadcast as bytes. */
struct chorale_cand {
    int64_t cell_id;
    int provider;            /* enum chorale_provider */
    int alg;                 /* index in chorale_algs; -1: the library's; for
                              * a table the algorithm that it should run */
    char name[CHORALE_NATIVE_NAME]; /* native: the algorithm, NAME:PARAMS */
    int place;               /* native: index of the algorithm; -1: unknown */
    long param[CHORALE_MAX_PARAM];
};

enum chorale_root_policy {
    CHORALE_ROOT_NONE,
    CHORALE_ROOT_FIRST,
    CHORALE_ROOT_MIDDLE,
    CHORALE_ROOT_LAST,
    CHORALE_ROOT_ROTATE      /* first, middle, last in turn */
};

/* Placement of the data before a repetition (buffers.c). */
enum chorale_buffers {
    CHORALE_BUFFERS_WARM,    /* in the same memory as before */
    CHORALE_BUFFERS_ROTATE,  /* in the least recently used of several copies,
                              * together larger than the last-level cache */
    CHORALE_BUFFERS_COLD     /* flushed from the caches */
};

/* Arrival pattern: which ranks enter late (arrival.c). */
enum chorale_arrival {
    CHORALE_ARRIVAL_SYNC,
    CHORALE_ARRIVAL_FIRST,   /* rank 0, by the whole skew */
    CHORALE_ARRIVAL_LAST,    /* the last rank, by the whole skew */
    CHORALE_ARRIVAL_RANDOM,  /* each rank by a random share, new each round */
    CHORALE_ARRIVAL_ASCENDING/* rank r by r / (P - 1) of the skew */
};

enum chorale_metric { CHORALE_METRIC_DURATION, CHORALE_METRIC_THROUGHPUT };

/* One point: its candidates are cand[first ... first + ncand - 1]. */
struct chorale_task {
    int coll;                /* enum chorale_coll */
    int dtype, op;           /* rows of dtypes.h; op -1: no reduction */
    int root_policy;
    int buffers, arrival, metric;
    double late_by;          /* skew, as a factor of the library's duration */
    double late_seconds;     /* skew in s if late_by is 0 */
    int64_t msg_size;        /* m, bytes, a multiple of the type's size */
    int first, ncand;
    int band, place;         /* sort keys (pending_cells.c) */
    int batch;               /* calls in a repetition of earlier launches; 0: no
                              * earlier launch (batch_lookup.c) */
};

struct chorale_worklist {
    struct chorale_settings set;
    struct chorale_task *task;
    int ntask;
    struct chorale_cand *cand;
    int ncand;
    int64_t launch_id, seed, campaign_seed;
    char launch_uuid[CHORALE_UUID_SIZE];
    int ordinal, comm_size, ppn, siblings;
    char shape[16];          /* as planned */
    char part[128];          /* cell.part in schema.sql */
};

/* Callback on rank 0 after each stored transaction (groups.c). */
typedef enum chorale_err chorale_stored_fn(void *arg,
                                           struct chorale_store *store,
                                           struct chorale_errmsg *msg);

/* Returns nonzero if the launch should end early. Must not block. */
typedef int chorale_ending_fn(void *arg);

/* Measurements by distance in ranks (hop_latency.c). */
enum { CHORALE_DISTANCES = 24 };
enum { CHORALE_NWAY = 6 };   /* message lengths in lower_bound.c */
enum { CHORALE_DISTANCE_RANKS = 256 }; /* simulated: more take too long */
struct chorale_distance {
    int places;
    double alpha;            /* s of an empty message from rank 0 */
    double kappa;            /* ways of sharing the network when all ranks send
                              * this far at once; NAN: unknown */
    double pairs;            /* the same when ranks r and r xor places
                              * exchange */
};

/* Times of single operations in the memory of a node (memory_times.c). */
enum {
    CHORALE_MEMORY_MESSAGE,  /* from rank 0 to rank 1 */
    CHORALE_MEMORY_EXCHANGE, /* ranks 0 and 1 send to each other at once */
    CHORALE_MEMORY_COPY,     /* all ranks copy in their own memory at once */
    CHORALE_NMEMORY
};
enum { CHORALE_MEMORY_SIZES = 21 };
extern const char *const chorale_memory_kinds[CHORALE_NMEMORY];
struct chorale_memory_time {
    int kind;
    size_t bytes;
    double seconds;          /* until the last rank has finished */
};

/* Memory reused from point to point; all of its pages have been touched. */
struct chorale_kept {
    char *memory;
    size_t bytes;
    int written;             /* the kernel has written each page */
};

/* State of one running program, or of one of its groups of ranks. */
struct chorale_bench {
    MPI_Comm ranks;          /* MPI_COMM_WORLD, or its ranks reordered by */
    const char *turned;      /* "SEED:ORDINAL" (node_order.h); may be NULL */
    MPI_Comm world;          /* all ranks: the runner's own traffic */
    int world_rank, world_size;
    MPI_Comm lib;            /* measured communicator of the library: all ranks,
                              * or one of work.siblings communicators */
    int rank, size;          /* in lib */
    int sibling;             /* index of lib; only sibling 0 is measured, the
                              * others make the same calls */
    int ppn;                 /* ranks per node, placed in blocks; 0: one node
                              * or another placement */
    int node_size;           /* most ranks on any node; in simulation all */
    int levels_known, levels, in_blocks; /* chorale_nodes_levels(); 0 until a
                              * candidate needs them */
    struct chorale_ctx *ctx; /* for Chorale's variants, on lib */
    struct chorale_ctx *sync;/* the runner's own messages, on world */
    struct chorale_stat stat;
    struct chorale_clock clock;
    double slack;            /* time from announcement to common start, s */
    double floor_alpha, floor_beta; /* lower_bound.c: s, s/byte; rank 0 */
    double floor_least;      /* s/byte of the fastest message length */
    /* Times from which these are computed, s; 0: not measured yet. */
    double floor_way[CHORALE_NWAY], floor_once[CHORALE_NWAY];
    double floor_ports;      /* ports of a rank; 0: not measured, taken as 1 */
    double copy_beta;        /* memcpy_speed.c: s/byte of the slowest rank; 0:
                              * not measured */
    double window;           /* common time of the next window; 0: it must be
                              * announced (sync.c) */
    int *node;               /* node of each rank of world; NULL in simulation,
                              * where all ranks read one clock */
    int announce;            /* 1: print the cell of every repetition */
    int served;              /* 1: the library's default is called by the names
                              * that a preloaded shim interposes */
    int oversubscribed;      /* 1: some node has more ranks than processors, or
                              * than a CPU quota is worth */
    int bound;               /* 1: refuse to measure unbound ranks */
    struct chorale_worklist work;
    struct chorale_counters *counters;
    struct chorale_native *native; /* NULL: no algorithm can be forced */
    struct chorale_distance distance[CHORALE_DISTANCES]; /* rank 0 */
    int ndistance;           /* 0: not measured */
    struct chorale_memory_time memory[CHORALE_NMEMORY * CHORALE_MEMORY_SIZES];
    int nmemory;             /* 0: not measured */
    int memory_late;         /* 1: since it took too long */
    double distance_mirror;  /* kappa when r and P - 1 - r exchange */
    double copy_own;         /* copy_beta of this rank */
    int straggler;           /* rank 0: some node is slower than the others */
    int mixed_cpus;          /* rank 0: nodes have different processors */
    int watches_load;        /* 1: record what other programs use */
    struct chorale_load *load; /* rank 0: their processor time, or NULL */
    int loaded;              /* rank 0: 1 if other programs took more than
                              * CHORALE_LOAD_LIMIT in the present interval
                              * (other_load.c) */
    chorale_stored_fn *stored; /* for a launch with several groups, or NULL */
    void *stored_arg;
    chorale_ending_fn *ending; /* rank 0: end early? NULL: never */
    void *ending_arg;
    double ending_looked;    /* time of its last call */
    int ends;                /* its last answer */
    int64_t calling;         /* cell of the next repetition, or 0 */
    struct chorale_kept copies, flush; /* buffers.c: reused by all points */
    size_t copies_at;        /* offset in copies where the next point begins */
};

/* Buffers and arguments of one point (buffers.c). memory and flush belong to
 * the bench, which reuses them for the next point. */
struct chorale_problem {
    const struct chorale_task *task;
    struct chorale_point pt;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Count count;         /* elements of one block, or of this rank's */
    /* Irregular collectives: element count and displacement of each block, in
     * the types of the catalogue and of the library. Send and receive layouts
     * of alltoallv are equal, because chorale_ramp() is symmetric. */
    MPI_Count *counts;
    MPI_Aint *displs;
    int *int_counts, *int_displs;
    char *send, *recv;       /* the copy in use */
    size_t send_bytes, recv_bytes;
    char *memory;            /* all copies */
    size_t stride;           /* bytes of one copy */
    int ncopy, copy;         /* number of copies; the one in use */
    char *flush;             /* memory written to flush the caches, or NULL */
    size_t flush_bytes;
};

/* Result of one candidate. */
enum chorale_status {
    CHORALE_RUN_OK,
    CHORALE_RUN_INVALID,
    CHORALE_RUN_INAPPLICABLE,
    CHORALE_RUN_FAILED
};

struct chorale_sample {
    double seconds;
    double first_in, last_in, root_out; /* NAN: no common clock */
    int root, late;
};

struct chorale_result {
    enum chorale_status status;
    char reason[160];
    const char *stop_reason;
    int sync;                /* enum chorale_sync of its repetitions */
    int batch;               /* calls in a repetition */
    int separated;           /* 1: barriers separated the calls of a batch */
    double separator;        /* s of one such barrier, subtracted; 0 also if it
                              * is shorter than a clock step */
    double clock_error;      /* s */
    double skew;             /* s, of the arrival pattern */
    int suspicious;          /* 1: faster than messages can be */
    int clock_lost;          /* 1: the clock was too bad for the whole point */
    double first_call;       /* s, of the first verified call */
    int nsample;             /* valid on rank 0 only */
    struct chorale_sample *sample;
    int naside;              /* samples that do not count: started by a rejected
                              * clock, or timed again */
    struct chorale_sample *aside;
    int counted;             /* 1: stat and counter are valid */
    struct chorale_stat stat;/* of one call: sums over all ranks; rounds:
                              * maximum */
    double *counter;         /* PAPI values of one call, summed over all ranks;
                              * NAN: not available */
};

/* own_collectives.c: the runner's own traffic, made of point-to-point messages:
 * the library's collectives are not used. In simulation all but the first take
 * no simulated time (shared_memory.c). Each function is collective and returns
 * an MPI error code. */
/* Dissemination barrier of the ranks of ctx: no rank leaves before all have
 * entered.
 * Source  Hensgen, Finkel, Manber, IJPP 17(1), 1988. */
int chorale_p2p_barrier(struct chorale_ctx *ctx);
int chorale_p2p_bcast(struct chorale_bench *bench, void *buf, size_t bytes,
                      int root);
/* Gather `bytes` bytes of each rank in all[size * bytes] of rank 0; all is
 * ignored on other ranks. */
int chorale_p2p_gather(struct chorale_bench *bench, const void *mine,
                       void *all, size_t bytes);
/* Set value[n] to the maxima, or sums, of itself and other[n]. */
static inline void chorale_values_combine(double *value, const double *other,
                                          int n, int sum)
{
    for (int i = 0; i < n; i++) {
        if (sum)
            value[i] += other[i];
        else if (other[i] > value[i])
            value[i] = other[i];
    }
}

/* Reduce value[n] to the maxima, or sums, on rank 0; the values of other ranks
 * are overwritten. room[n] is scratch. */
int chorale_p2p_reduce(struct chorale_bench *bench, double *value, int n,
                       int sum, double *room);
/* Maxima, or sums, of n <= CHORALE_AGREE_MAX values on all ranks; and the
 * maximum of one int. */
enum { CHORALE_AGREE_MAX = 8 };
int chorale_p2p_allreduce(struct chorale_bench *bench, double *value, int n,
                          int sum);
int chorale_p2p_max(struct chorale_bench *bench, int *value);
/* shared_memory.c, in simulation only: prepare for this number of ranks, before
 * the first of these collectives, and a barrier that takes no simulated time.
 * Returns an MPI error code. */
int chorale_shared_open(int size);
void chorale_shared_barrier(void);

/* 1 in simulation. */
int chorale_simulated(void);

/* Common time now, s; reads the local clock only. Wait until common time t;
 * returns the last reading. */
double chorale_now_common(const struct chorale_bench *bench);
double chorale_wait_common(const struct chorale_bench *bench, double t);

/* sync.c: start a repetition together; collective. window: longest duration of
 * the repetition, s (CHORALE_SYNC_WINDOW). *late_p: 1 if the start had passed
 * on arrival, or a barrier failed; *in_p: the time at which this rank started.
 * Returns the common start time; with CHORALE_SYNC_BARRIER that is *in_p, and 0
 * if the announcement failed. */
double chorale_sync_start(struct chorale_bench *bench, enum chorale_sync how,
                          double window, double *in_p, int *late_p);
/* End the row of windows: the next start is announced. Not collective, but all
 * ranks must call it. */
void chorale_sync_restart(struct chorale_bench *bench);
/* Return when all ranks have finished the last repetition; collective. Traffic
 * of the runner before that would share links with a rank that is still
 * busy. */
int chorale_sync_end(struct chorale_bench *bench);
/* Measure how much slack a common start needs; 0 in simulation. Collective; the
 * first of these calls. */
int chorale_sync_calibrate(struct chorale_bench *bench);
/* Barriers of all ranks. The first is chorale_p2p_barrier(), so it takes time
 * in simulation too; the second takes no simulated time. */
int chorale_sync_separate(struct chorale_bench *bench);
int chorale_sync_barrier(struct chorale_bench *bench);

/* node_map.c: find the node of each rank; sets node, node_size, ppn and
 * oversubscribed. Collective; lib must exist. Returns an MPI error code. */
int chorale_nodes_find(struct chorale_bench *bench);

/* other_load.c: set bench->loaded by an interval of about a second. Call
 * it outside timed repetitions. Collective; in simulation it has no effect.
 * Returns an MPI error code. */
int chorale_load_look(struct chorale_bench *bench);

/* How the library sees the nodes of bench->lib: set bench->levels to 1 if each
 * sibling has several nodes, at least one with several of its ranks, and
 * bench->in_blocks to 1 if the ranks of each node are consecutive. Collective;
 * the first call creates a communicator, later ones only return. Returns an MPI
 * error code. */
int chorale_nodes_levels(struct chorale_bench *bench);

/* mpi_dtypes.c: MPI handles. chorale_op_new() makes an op that takes tau s/byte
 * of simulated time; chorale_op_free() frees it. The plain op is MPI's own and
 * takes no simulated time. */
MPI_Datatype chorale_dtype_handle(int dtype);
MPI_Op chorale_op_plain(int op);
int chorale_op_new(int op, int dtype, double tau, MPI_Op *op_p);
void chorale_op_free(MPI_Op *op);

/* buffers.c: allocate and describe the buffers of a point; collective. Returns
 * an MPI error code. why[size]: why the point cannot be measured, or "". */
int chorale_problem_init(struct chorale_bench *bench,
                         const struct chorale_task *task,
                         struct chorale_problem *prob, char *why,
                         size_t size);
void chorale_problem_free(struct chorale_bench *bench,
                          struct chorale_problem *prob);
/* Free the memory that was kept for the next point. */
void chorale_buffers_release(struct chorale_bench *bench);
/* Call before each repetition: selects the next copy, or flushes the caches.
 * Local. */
void chorale_problem_prepare(struct chorale_problem *prob);
/* Root of a round under the point's root policy. */
int chorale_task_root(const struct chorale_task *task, int size, int ppn,
                      int round);
/* Bytes of block i of a problem; *offset: its offset in a buffer of all
 * blocks. */
size_t chorale_problem_block(const struct chorale_problem *prob, int i,
                             size_t *offset);
/* Upper bound of the bytes of buffers that the point needs on a node, and of
 * the scratch buffers that a candidate adds. */
double chorale_problem_memory(const struct chorale_bench *bench,
                              const struct chorale_task *task);
double chorale_problem_scratch(const struct chorale_bench *bench,
                               const struct chorale_task *task,
                               const struct chorale_cand *cand);

/* verify.c: fill the buffers with the pattern of a round, and check the result
 * on this rank: 0, or -1 with the first difference in why[size]. */
void chorale_verify_fill(const struct chorale_bench *bench,
                         struct chorale_problem *prob, int root, int round);
int chorale_verify_check(const struct chorale_bench *bench,
                         const struct chorale_problem *prob, int root,
                         int round, char *why, size_t size);

/* memcpy_speed.c: set bench->copy_beta; collective. No effect in simulation. */
int chorale_copying_measure(struct chorale_bench *bench);

/* memory_times.c: fill bench->memory and set bench->nmemory. Collective.
 * nmemory is 0 in simulation, with more ranks than processors, with siblings,
 * if ranks 0 and 1 are on different nodes, if the clock's steps are longer than
 * messages, without memory, or if the machine needs more than three seconds,
 * which sets bench->memory_late. Returns an MPI error code. */
int chorale_memory_measure(struct chorale_bench *bench);

/* hop_latency.c: fill bench->distance; collective. Skipped with fewer than 3
 * ranks, with more ranks than processors, with siblings, and in simulation with
 * more than CHORALE_DISTANCE_RANKS ranks. */
int chorale_distance_measure(struct chorale_bench *bench);

/* lower_bound.c: measure how fast messages are; collective. When called again,
 * the faster time of each length counts, since other load only makes messages
 * slower. chorale_floor() gives on rank 0 the time below which no candidate of
 * a point can be, s; 0: unknown. */
int chorale_floor_measure(struct chorale_bench *bench);
double chorale_floor(const struct chorale_bench *bench,
                     const struct chorale_task *task);
/* 1 if a median is below that bound, or, if separated, not above 0. separated:
 * it is of a batch with barriers between the calls; separator: s of each
 * barrier, or 0. In such a batch a rank's next call starts only after its data
 * have arrived and one message has come back. The measured time of the barrier
 * alone does not include that message. */
int chorale_median_below_floor(const struct chorale_bench *bench,
                               const struct chorale_task *task, double median,
                               int separated, double separator);

/* provider.c: find the native algorithms among the candidates. */
void chorale_provider_open(struct chorale_bench *bench);
/* Call once for each candidate of a point; collective. *why_p: why it cannot be
 * called, or NULL. Returns an MPI error code. */
int chorale_provider_admit(struct chorale_bench *bench,
                           struct chorale_problem *prob,
                           const struct chorale_cand *cand,
                           const char **why_p);
/* Call before and after the calls of a candidate, outside the timed part. */
void chorale_provider_begin(struct chorale_bench *bench,
                            const struct chorale_task *task,
                            const struct chorale_cand *cand);
void chorale_provider_end(struct chorale_bench *bench,
                          const struct chorale_task *task,
                          const struct chorale_cand *cand);
/* Call directly before and after a call of a candidate that chorale_provider_
 * confirm() judges, not in the timed part. */
void chorale_provider_watch(struct chorale_bench *bench,
                            const struct chorale_task *task,
                            const struct chorale_cand *cand);
void chorale_provider_unwatch(struct chorale_bench *bench,
                              const struct chorale_cand *cand);
/* Call after a candidate has run; collective. Checks that the shim handled the
 * call by the launch's table, or the library by the forced algorithm's
 * component. *why_p: why the result is not of the planned
 * call, or NULL. ran[size]: what the shim ran instead of the planned choice, or
 * "". Returns an MPI error code. */
int chorale_provider_confirm(struct chorale_bench *bench,
                             const struct chorale_problem *prob,
                             const struct chorale_cand *cand,
                             const char **why_p, char *ran, size_t size);
/* One call of a candidate. Returns an MPI error code. */
int chorale_provider_call(struct chorale_bench *bench,
                          const struct chorale_problem *prob,
                          const struct chorale_cand *cand, int root);

/* measure.c: measure all candidates of one point, interleaved; fills
 * result[ncand]. Collective. Returns an MPI error code. */
int chorale_point_measure(struct chorale_bench *bench,
                          const struct chorale_task *task,
                          struct chorale_result *result);
void chorale_result_free(struct chorale_result *result);

/* counters.c: publish Chorale's own events and look up the requested ones;
 * collective. Rank 0 reports unavailable events on stderr, in lines that begin
 * with CHORALE_NOTE. Returns an MPI error code. */
#define CHORALE_NOTE "chorale-runner: note: "
int chorale_counters_open(struct chorale_bench *bench);
void chorale_counters_close(struct chorale_bench *bench);
/* Without MPI: print the events of the list that this process cannot count, one
 * a line with the reason, and what to do about it. Returns 0, or -1 if out of
 * memory. */
int chorale_counters_print(const char *list, FILE *out);
int chorale_counters_count(const struct chorale_bench *bench);
const char *chorale_counters_name(const struct chorale_bench *bench, int i);
/* Number of turns (start and stop) needed to count all events of processes, or
 * of nodes; the same on all ranks. */
int chorale_counters_turns(const struct chorale_bench *bench, int node_wide);
/* Call around the calls of one turn. Events of nodes: collective over a node,
 * by messages, because the counted call may be a forced barrier. own: Chorale's
 * events in between; value[count]: PAPI's events of that turn. Both return an
 * MPI error code. */
int chorale_counters_start(struct chorale_bench *bench, int node_wide,
                           int turn);
int chorale_counters_stop(struct chorale_bench *bench, int node_wide,
                          int turn, struct chorale_stat *own, double *value);
/* Divide the events of nodes by the number of calls. */
void chorale_counters_scale(const struct chorale_bench *bench, int calls,
                            double *value);
/* Combine over all ranks; collective: sums, for rounds the maximum, and whether
 * any rank failed. NAN: not available. Returns an MPI error code. */
int chorale_counters_add(struct chorale_bench *bench,
                         struct chorale_stat *own, double *value,
                         int *failed);

/* launch.c, on rank 0: 1 if the launch should end early. Calls `ending` at most
 * four times a second. */
int chorale_launch_ends(struct chorale_bench *bench);

/* pending_cells.c, on rank 0: load the cells that are pending in that
 * launch. */
enum chorale_err chorale_worklist_load(struct chorale_store *store,
                                       const char *launch_uuid,
                                       struct chorale_worklist *work,
                                       struct chorale_errmsg *msg);
/* Broadcast rank 0's list to all ranks; collective. */
int chorale_worklist_share(struct chorale_bench *bench);
/* batch_lookup.c, on rank 0: set batch of each task from the first run of its
 * point in any launch of any part. Medians of batches of different lengths are
 * not comparable. */
enum chorale_err chorale_worklist_recall(struct chorale_store *store,
                                         struct chorale_worklist *work,
                                         struct chorale_errmsg *msg);
void chorale_worklist_free(struct chorale_worklist *work);

/* record.c, on rank 0: store a point in one transaction. */
enum chorale_err chorale_record_point(struct chorale_store *store,
                                      const struct chorale_bench *bench,
                                      const struct chorale_task *task,
                                      const struct chorale_result *result,
                                      struct chorale_errmsg *msg);
enum chorale_err chorale_record_finish(struct chorale_store *store,
                                       const struct chorale_bench *bench,
                                       struct chorale_errmsg *msg);

/* environment.c: fill the table environment (environment.h). Collective; store
 * on rank 0 only. CHORALE_ENV: the ranks are not placed as planned. */
enum chorale_err chorale_environment_record(struct chorale_store *store,
                                            struct chorale_bench *bench,
                                            int argc, char **argv,
                                            struct chorale_errmsg *msg);
/* Collective. CHORALE_ENV: some rank is not bound to a core. */
enum chorale_err chorale_environment_bound(struct chorale_bench *bench,
                                           struct chorale_errmsg *msg);
enum chorale_err chorale_environment_after(struct chorale_store *store,
                                           struct chorale_bench *bench,
                                           struct chorale_errmsg *msg);

#endif

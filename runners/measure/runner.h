/* SPDX-License-Identifier: BSD-3-Clause */
/* runner.h - what the parts of the measuring program share. One launch of it
 * measures every pending point of one comm_size of one campaign.
 *
 * The same sources are compiled against the MPI library (chorale-runner) and
 * against SimGrid's SMPI with -DCHORALE_SIM (chorale-runner-sim), where all
 * ranks live in one process: no mutable state at file scope is shared by
 * accident, and only rank 0 touches the database.
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

struct chorale_cut;
struct chorale_tail;

/* How repetitions start together (sync.c). */
enum chorale_sync {
    CHORALE_SYNC_ROUNDTIME,  /* at a time announced before each */
    CHORALE_SYNC_WINDOW,     /* at fixed intervals, announced for many */
    CHORALE_SYNC_BARRIER,    /* after a barrier; ranks time themselves */
    CHORALE_NSYNC
};
extern const char *const chorale_sync_names[CHORALE_NSYNC];

/* How to measure: the campaign's row, without what only launchers need. */
struct chorale_settings {
    struct chorale_stop stop;/* when a cell has been seen enough */
    int nwarmup;
    int batch;               /* calls a repetition; 0: by the resolution */
    double max_memory;       /* bytes of buffers on a node */
    int sync;                /* enum chorale_sync, where clocks allow */
    double tau;              /* s/byte charged to reductions, simulated */
    char counters[CHORALE_COUNTERS_MAX]; /* PAPI event names,
                              * comma-separated */
};

enum chorale_provider {
    CHORALE_PROVIDER_LIBRARY, /* what it does by itself */
    CHORALE_PROVIDER_NATIVE, /* an algorithm of its own, forced */
    CHORALE_PROVIDER_CHORALE,
    CHORALE_PROVIDER_TABLE   /* what the preloaded shim runs by its table */
};

/* One candidate of a point: a pending cell. Plain data, broadcast as bytes. */
struct chorale_cand {
    int64_t cell_id;
    int provider;            /* enum chorale_provider */
    int alg;                 /* index in chorale_algs, -1: the library's; of
                              * a table what it should run there */
    char name[CHORALE_NATIVE_NAME]; /* native: the algorithm */
    int place;               /* native: its place, -1: there is none */
    long param[CHORALE_MAX_PARAM];
};

enum chorale_root_policy {
    CHORALE_ROOT_NONE,
    CHORALE_ROOT_FIRST,
    CHORALE_ROOT_MIDDLE,
    CHORALE_ROOT_LAST,
    CHORALE_ROOT_ROTATE      /* first, middle, last in turn */
};

/* Where the data lie before a repetition (buffers.c). */
enum chorale_buffers {
    CHORALE_BUFFERS_WARM,    /* where they were */
    CHORALE_BUFFERS_ROTATE,  /* in the copy unused for longest, of more than
                              * the last-level cache together */
    CHORALE_BUFFERS_COLD     /* flushed from the caches */
};

/* Who comes late (arrival.c). */
enum chorale_arrival {
    CHORALE_ARRIVAL_SYNC,
    CHORALE_ARRIVAL_LAST,    /* the last rank, by the whole skew */
    CHORALE_ARRIVAL_RANDOM,  /* each by a part of it, other ones each time */
    CHORALE_ARRIVAL_ASCENDING/* rank r by r / (P - 1) of it */
};

enum chorale_metric { CHORALE_METRIC_DURATION, CHORALE_METRIC_THROUGHPUT };

/* One point: its candidates are cand[first ... first + ncand - 1]. */
struct chorale_task {
    int coll;                /* enum chorale_coll */
    int dtype, op;           /* rows of kinds.h; op -1: none */
    int root_policy;
    int buffers, arrival, metric;
    double late_by;          /* skew, as a factor of the library's duration */
    int64_t msg_size;        /* m, bytes, a multiple of the type's size */
    int first, ncand;
    int band, place;         /* the order: pending_cells.c */
    int batch;               /* calls a repetition had in earlier launches;
                              * 0: there are none (batch_lookup.c) */
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
    char part[128];          /* of which cells: schema.sql, cell.part */
};

/* Rank 0, after each transaction that it has stored: groups.c. */
typedef enum chorale_err chorale_stored_fn(void *arg,
                                           struct chorale_store *store,
                                           struct chorale_errmsg *msg);

/* Nonzero: a launch is asked to end early. Does not wait. */
typedef int chorale_ending_fn(void *arg);

/* hop_latency.c: of ranks so many places apart. */
enum { CHORALE_DISTANCES = 24 };
enum { CHORALE_NWAY = 6 };   /* lengths of messages in lower_bound.c */
enum { CHORALE_DISTANCE_RANKS = 256 }; /* simulated, more take too long */
struct chorale_distance {
    int places;
    double alpha;            /* s, of an empty message from rank 0 */
    double kappa;            /* ways of sharing when all send so far at once;
                              * NAN: not known */
    double pairs;            /* the same where ranks r and r xor places
                              * exchange */
};

/* One running program, or a group of its ranks. */
/* Memory that is kept from one point to the next, all of it touched. */
struct chorale_kept {
    char *memory;
    size_t bytes;
};

struct chorale_bench {
    MPI_Comm ranks;          /* MPI_COMM_WORLD, or its ranks in the order of */
    const char *turned;      /* "SEED:ORDINAL", or NULL: node_order.h */
    MPI_Comm world;          /* of all ranks: the runner's own traffic */
    int world_rank, world_size;
    MPI_Comm lib;            /* what the provider library runs on: all ranks,
                              * or those of one of work.siblings
                              * communicators */
    int rank, size;          /* in lib */
    int sibling;             /* which of them; the first is measured, the
                              * others only call as it does */
    int ppn;                 /* ranks a node, placed in blocks; 0: one node,
                              * or no such placement */
    int node_size;           /* ranks whose memory is one: of this node, in
                              * simulation all */
    struct chorale_ctx *ctx; /* what our variants run on */
    struct chorale_ctx *sync;/* the runner's own messages, on world */
    struct chorale_stat stat;
    struct chorale_clock clock;
    double slack;            /* lead of the common start, s */
    double floor_alpha, floor_beta; /* lower_bound.c: s, s/byte; rank 0 */
    double floor_least;      /* s/byte, of the length that takes the least */
    /* Of which they are made, s; 0: not yet. */
    double floor_way[CHORALE_NWAY], floor_once[CHORALE_NWAY];
    double floor_ports;      /* of a rank; 0: not measured, one */
    double copy_beta;        /* memcpy_speed.c: s/byte, slowest rank; 0: none */
    double window;           /* when the next window opens, common time; 0:
                              * it is to be announced (sync.c) */
    int *node;               /* of each rank of world; in simulation one:
                              * they read one clock */
    int announce;            /* name the cell of every repetition */
    int served;              /* the library's default goes by the names that a
                              * preloaded shim interposes */
    int oversubscribed;      /* more ranks than processors on some node */
    int bound;               /* measure only where each rank has a core */
    struct chorale_worklist work;
    struct chorale_counters *counters;
    struct chorale_native *native; /* NULL: nothing can be forced */
    void *sim_barrier;       /* SimGrid's, in simulation */
    double *sim_row;         /* there: [world_size][CHORALE_AGREE_MAX] */
    struct chorale_distance distance[CHORALE_DISTANCES]; /* rank 0 */
    int ndistance;           /* 0: not measured */
    double distance_mirror;  /* kappa where r and P - 1 - r exchange */
    double copy_own;         /* memcpy_speed.c: as copy_beta, of this rank */
    int straggler;           /* rank 0: some node is slower than the others, */
    int mixed_cpus;          /* or has other processors (preflight.c) */
    chorale_stored_fn *stored; /* of a launch with several groups, or NULL */
    void *stored_arg;
    chorale_ending_fn *ending; /* rank 0: is it to end early? NULL: never */
    void *ending_arg;
    double ending_looked;    /* when it was asked last */
    int ends;                /* it is */
    const char *published;   /* the copy that has a tail: launch.h; or NULL */
    const char *beside;      /* what files of a point under way are beside, */
    int place;               /* whose: cut.h; NULL: there are none */
    struct chorale_cut *cut; /* rank 0's, or NULL */
    volatile int64_t *mark;  /* likewise: says which cell is called (sync.c) */
    int64_t calling;         /* what begins with the next start: db/mark.h */
    struct chorale_kept copies, flush; /* buffers.c: of all points in turn */
    size_t copies_at;        /* where in copies the next point begins */
};

/* Buffers and arguments of one point (buffers.c). memory and flush are of the
 * bench, which keeps them for the next point. */
struct chorale_problem {
    const struct chorale_task *task;
    struct chorale_point pt;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Count count;         /* elements of one block; of this rank's */
    /* Irregular collectives: elements of each block and where it begins, for
     * the catalogue and for the library. chorale_ramp() is symmetric, so what
     * alltoallv sends and receives is laid out alike. */
    MPI_Count *counts;
    MPI_Aint *displs;
    int *int_counts, *int_displs;
    char *send, *recv;       /* the copy in use */
    size_t send_bytes, recv_bytes;
    char *memory;            /* of all copies */
    size_t stride;           /* bytes of one */
    int ncopy, copy;
    char *flush;             /* to push the rest out of the caches */
    size_t flush_bytes;
};

/* What came of one candidate. */
enum chorale_status {
    CHORALE_RUN_OK,
    CHORALE_RUN_INVALID,
    CHORALE_RUN_INAPPLICABLE,
    CHORALE_RUN_FAILED
};

struct chorale_sample {
    double seconds;
    double first_in, last_in, root_out; /* NAN: no common clock could tell */
    int root, late;
};

struct chorale_result {
    enum chorale_status status;
    char reason[160];
    const char *stop_reason;
    int sync;                /* enum chorale_sync: how it was started */
    int batch;               /* calls a repetition */
    int separated;           /* a barrier was between two of them */
    double separator;        /* s of it, subtracted: 0 too where the clock
                              * took no step in it */
    double clock_error;      /* s */
    double skew;             /* s, of the arrival pattern */
    int suspicious;          /* faster than a message can be */
    int clock_lost;          /* the clock was too bad, for the whole point */
    double first_call;       /* s, of the verified call */
    int nsample;             /* valid on rank 0 only */
    struct chorale_sample *sample;
    int naside;              /* those that do not count: started by a clock
                              * that was refused, or timed once more */
    struct chorale_sample *aside;
    int counted;             /* stat and counter are of a call */
    struct chorale_stat stat;/* of one call, of all ranks: sums, the most
                              * rounds */
    double *counter;         /* PAPI values of one call, of all ranks; NAN:
                              * not available */
};

/* own_collectives.c: the runner's own traffic, of messages only: no collective of the
 * library is called. Each is collective and returns an MPI error code. */
/* Dissemination barrier of the ranks of ctx: none leaves before all have
 * entered.
 * Source  Hensgen, Finkel, Manber, IJPP 17(1), 1988. */
int chorale_own_barrier(struct chorale_ctx *ctx);
int chorale_own_bcast(struct chorale_bench *bench, void *buf, size_t bytes,
                      int root);
/* Rank 0 gets bytes of each rank in all[size * bytes], read there only. */
int chorale_own_gather(struct chorale_bench *bench, const void *mine,
                       void *all, size_t bytes);
/* Rank 0's value[n] become the maxima, or sums, over all ranks; those of the
 * others are spoilt. room[n] is scratch. */
int chorale_own_reduce(struct chorale_bench *bench, double *value, int n,
                       int sum, double *room);
/* Every rank learns the maxima, or sums, of n <= CHORALE_AGREE_MAX values;
 * the largest value. */
int chorale_own_all(struct chorale_bench *bench, double *value, int n,
                    int sum);
int chorale_own_most(struct chorale_bench *bench, int *value);

/* Common time now [s]; local clock read only. Return at common time t:
 * with the last reading. */
double chorale_now_common(const struct chorale_bench *bench);
double chorale_wait_common(const struct chorale_bench *bench, double t);

/* sync.c: start together; collective. window: seconds that the repetition may
 * take (CHORALE_SYNC_WINDOW). *late_p: the start was past on arrival; *in_p:
 * this rank's time of leaving. Returns the common start time. */
double chorale_sync_start(struct chorale_bench *bench, enum chorale_sync how,
                          double window, double *in_p, int *late_p);
/* The next start begins a new row of windows; collective. */
void chorale_sync_restart(struct chorale_bench *bench);
/* Return when all have left the last repetition: traffic of the program's own
 * before that would share the links with a rank that is still busy. */
int chorale_sync_end(struct chorale_bench *bench);
/* Learn how much lead a common start needs. */
int chorale_sync_calibrate(struct chorale_bench *bench);
/* Every rank learns the maximum, or the sum, of each of n <= CHORALE_AGREE_MAX
 * values. In simulation no message is sent. */
enum { CHORALE_AGREE_MAX = 8 };
int chorale_agree_max(struct chorale_bench *bench, double *value, int n);
int chorale_agree_sum(struct chorale_bench *bench, double *value, int n);
/* Barrier of all ranks: chorale_own_barrier(), with messages also in
 * simulation, where the other barrier takes no time. */
int chorale_sync_separate(struct chorale_bench *bench);
int chorale_sync_barrier(struct chorale_bench *bench);

/* node_map.c: which rank is on which node; sets node, node_size, ppn and
 * oversubscribed; collective, lib is there. Returns an MPI error code. */
int chorale_nodes_find(struct chorale_bench *bench);
/* How the library itself sees them in bench->lib: several nodes, on some of
 * which are several ranks (of any sibling's); neighbours in rank. Collective,
 * makes a communicator. Returns an MPI error code. */
int chorale_nodes_levels(struct chorale_bench *bench, int *levels,
                         int *in_blocks);

/* mpi_dtypes.c: handles. The op of a simulated reduction charges tau; freed by
 * chorale_op_free. The plain one is MPI's own and charges nothing. */
MPI_Datatype chorale_dtype_handle(int dtype);
MPI_Op chorale_op_plain(int op);
int chorale_op_new(int op, int dtype, double tau, MPI_Op *op_p);
void chorale_op_free(MPI_Op *op);

/* buffers.c: allocate and describe; collective. Returns an MPI error code; why
 * says why the point cannot be, or is empty. */
int chorale_problem_init(struct chorale_bench *bench,
                         const struct chorale_task *task,
                         struct chorale_problem *prob, char *why,
                         size_t size);
void chorale_problem_free(struct chorale_bench *bench,
                          struct chorale_problem *prob);
/* Give back what is kept for the next point. */
void chorale_buffers_release(struct chorale_bench *bench);
/* Before each repetition: the next copy, or cold caches. Not collective. */
void chorale_problem_prepare(struct chorale_problem *prob);
/* Root of that repetition under the point's root policy. */
int chorale_task_root(const struct chorale_task *task, int size, int ppn,
                      int round);
/* Bytes of block i of a problem, and where it begins in a buffer of all. */
size_t chorale_problem_block(const struct chorale_problem *prob, int i,
                             size_t *offset);
/* Bytes of buffers that the point needs on a node, at most; and of scratch
 * that a candidate adds. */
double chorale_problem_memory(const struct chorale_bench *bench,
                              const struct chorale_task *task);
double chorale_problem_scratch(const struct chorale_bench *bench,
                               const struct chorale_task *task,
                               const struct chorale_cand *cand);

/* verify.c: fill with the pattern of round, check the result at this rank:
 * 0, or -1 with the first difference described. */
void chorale_verify_fill(const struct chorale_bench *bench,
                         struct chorale_problem *prob, int root, int round);
int chorale_verify_check(const struct chorale_bench *bench,
                         const struct chorale_problem *prob, int root,
                         int round, char *why, size_t size);

/* memcpy_speed.c: bench->copy_beta; collective. Nothing in simulation. */
int chorale_copying_measure(struct chorale_bench *bench);

/* hop_latency.c: bench->distance; collective. Not with fewer than 3 ranks, with
 * more than there are processors, or beside others. */
int chorale_distance_measure(struct chorale_bench *bench);

/* lower_bound.c: how fast messages are; collective. Measured again, the quicker way
 * of each length counts: other load only makes it slower. (Of their difference
 * that is not so.) Then rank 0 knows what no candidate of a point can be
 * faster than [s], 0: unknown. */
int chorale_floor_measure(struct chorale_bench *bench);
double chorale_floor(const struct chorale_bench *bench,
                     const struct chorale_task *task);
/* Is a median faster than that, or, separated, next to nothing? separated: it
 * is of a batch with barriers between its calls; separator: s of each, or 0.
 * There the calls of a rank follow each other when the data have come and one
 * message has come back, which the separator's own time does not cover. */
int chorale_floor_below(const struct chorale_bench *bench,
                        const struct chorale_task *task, double median,
                        int separated, double separator);

/* provider.c: look up the native algorithms that are candidates. */
void chorale_provider_open(struct chorale_bench *bench);
/* Once for each candidate of a point, collective; *why_p: why it cannot be
 * called, or NULL. Returns an MPI error code. */
int chorale_provider_admit(struct chorale_bench *bench,
                           struct chorale_problem *prob,
                           const struct chorale_cand *cand,
                           const char **why_p);
/* Around the calls of a candidate; not to be timed. */
void chorale_provider_begin(struct chorale_bench *bench,
                            const struct chorale_task *task,
                            const struct chorale_cand *cand);
void chorale_provider_end(struct chorale_bench *bench,
                          const struct chorale_task *task,
                          const struct chorale_cand *cand);
/* After a candidate was called: did the shim step in, by the table that the
 * launch is of? Collective. *why_p: why it is not what was to be measured, or
 * NULL; ran[size]: what it ran instead of the planned choice, or "". Returns
 * an MPI error code. */
int chorale_provider_confirm(struct chorale_bench *bench,
                             const struct chorale_problem *prob,
                             const struct chorale_cand *cand,
                             const char **why_p, char *ran, size_t size);
/* One call of a candidate. Returns an MPI error code. */
int chorale_provider_call(struct chorale_bench *bench,
                          const struct chorale_problem *prob,
                          const struct chorale_cand *cand, int root);

/* measure.c: all candidates of one point, interleaved. result[ncand] is
 * filled; collective. Returns an MPI error code. */
int chorale_measure(struct chorale_bench *bench,
                    const struct chorale_task *task,
                    struct chorale_result *result);
void chorale_result_free(struct chorale_result *result);

/* counters.c: see counters.h. Publish our own events, find those that are
 * asked for; collective. What is not available is said on stderr by rank 0,
 * in lines that begin with CHORALE_NOTE. Returns an MPI error code. */
#define CHORALE_NOTE "chorale-runner: note: "
int chorale_counters_open(struct chorale_bench *bench);
void chorale_counters_close(struct chorale_bench *bench);
/* Without MPI: those of the list that this process cannot count, one in a
 * line with the reason, and what to do about it if anything. 0, or -1: out of
 * memory. */
int chorale_counters_print(const char *list, FILE *out);
int chorale_counters_count(const struct chorale_bench *bench);
const char *chorale_counters_name(const struct chorale_bench *bench, int i);
/* How many starts and stops count everything of the processes, or of the
 * nodes; the same on all ranks. */
int chorale_counters_turns(const struct chorale_bench *bench, int node_wide);
/* Around the calls of one turn. Nodes' events: collective over a node, by
 * messages, as what is counted may be a forced barrier. own: our events
 * between the two; value [count]: PAPI's of that turn. Each returns an MPI
 * error code. */
int chorale_counters_start(struct chorale_bench *bench, int node_wide,
                           int turn);
int chorale_counters_stop(struct chorale_bench *bench, int node_wide,
                          int turn, struct chorale_stat *own, double *value);
/* What calls had together, to what one had: the nodes' events. */
void chorale_counters_scale(const struct chorale_bench *bench, int calls,
                            double *value);
/* Over all ranks, collective: sums, of rounds the most; whether any failed.
 * NAN: not available. Returns an MPI error code. */
int chorale_counters_add(struct chorale_bench *bench,
                         struct chorale_stat *own, double *value,
                         int *failed);

/* launch.c, on rank 0: is it to end early? Asked at most once a second. */
int chorale_launch_ends(struct chorale_bench *bench);

/* launch.c, on rank 0: is it to end early? Looks once a second at most. */
int chorale_launch_ends(struct chorale_bench *bench);

/* pending_cells.c, on rank 0: what is pending in that launch. */
enum chorale_err chorale_worklist_load(struct chorale_store *store,
                                       const char *launch_uuid,
                                       struct chorale_worklist *work,
                                       struct chorale_errmsg *msg);
/* Give every rank rank 0's list; collective. */
int chorale_worklist_share(struct chorale_bench *bench);
/* batch_lookup.c, on rank 0: sets batch of each task by the first run of its point
 * in any launch, of any part: medians of batches of different lengths, or of
 * single calls, cannot be compared. */
enum chorale_err chorale_worklist_recall(struct chorale_store *store,
                                         struct chorale_worklist *work,
                                         struct chorale_errmsg *msg);
void chorale_worklist_free(struct chorale_worklist *work);

/* record.c, on rank 0. */
enum chorale_err chorale_record_point(struct chorale_store *store,
                                      const struct chorale_bench *bench,
                                      const struct chorale_task *task,
                                      const struct chorale_result *result,
                                      struct chorale_errmsg *msg);
/* What would be recorded if the point ended there: to cut alone (db/tail.h).
 * Nobody is told of what cannot be. */
void chorale_record_cut(struct chorale_store *store, struct chorale_tail *cut,
                        const struct chorale_bench *bench,
                        const struct chorale_task *task,
                        const struct chorale_result *result);
enum chorale_err chorale_record_finish(struct chorale_store *store,
                                       const struct chorale_bench *bench,
                                       struct chorale_errmsg *msg);

/* environment.c: rows of the environment table (environment.h says which);
 * collective, store on rank 0 only. CHORALE_ENV: the ranks are placed
 * otherwise than planned. And what is to be said at the end. */
enum chorale_err chorale_environment_record(struct chorale_store *store,
                                            struct chorale_bench *bench,
                                            int argc, char **argv,
                                            struct chorale_errmsg *msg);
/* Collective. CHORALE_ENV: some rank is not bound. */
enum chorale_err chorale_environment_bound(struct chorale_bench *bench,
                                           struct chorale_errmsg *msg);
enum chorale_err chorale_environment_after(struct chorale_store *store,
                                           struct chorale_bench *bench,
                                           struct chorale_errmsg *msg);

#endif

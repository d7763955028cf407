/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.h - one call of a collective: run by the catalogue if table,
 * settings and all ranks agree, else the caller's to pass on. The core of
 * the shim and of libchorale. Thread-safe as MPI is: calls on different
 * communicators may come from different threads at once. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_DISPATCH_H
#define CHORALE_ALGORITHMS_DISPATCH_DISPATCH_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/fast_path.h"

/* Run one call on the application's communicator comm.
 *
 * call  arguments as in alg.h; ctx, param and commutative are filled in here
 * ints  arrays of counts and displacements that are not in call, or NULL
 * rc    out: the MPI error code, already given to comm's error handler
 *
 * Returns 1 if it was run; 0 if it is the library's: pass it on unchanged. */
int chorale_dispatch(enum chorale_coll coll, MPI_Comm comm,
                     struct chorale_call *call,
                     const struct chorale_ints *ints, int *rc);

/* Run a call that chorale_shim_look() (shim.h) found to be like an earlier one
 * which a variant ran. Returns as *rc above. */
int chorale_dispatch_again(enum chorale_coll coll, MPI_Comm comm,
                           struct chorale_call *call);

/* A call with arrays, as above, on the communicator of this thread's last call
 * (fast_path.h): CHORALE_AGAIN, it was like an earlier one, whose variant has run
 * it, *rc as above; CHORALE_PASS, it is the library's; CHORALE_ASK: call
 * chorale_dispatch(). */
enum chorale_way chorale_dispatch_arrays(enum chorale_coll coll,
                                         MPI_Comm comm,
                                         struct chorale_call *call,
                                         const struct chorale_ints *ints,
                                         int *rc);

/* At which covered call of a communicator its ranks agree; the same on all
 * ranks of the job. Collective over MPI_COMM_WORLD; to be called once, right
 * after MPI was initialised, on all ranks or on none (then it is 4): the
 * largest of the ranks' settings holds. If one has CHORALE_VERBOSE, they all
 * meet again in MPI_Finalize (usage_report.h). */
void chorale_dispatch_started(void);

/* Before a call of all ranks of comm, or of group, that makes a communicator of
 * them: what is ours is given back if it is needed (context_reclaim.h). Does nothing
 * where nothing can be ours, and where a rank has MPI_THREAD_MULTIPLE. Returns
 * MPI's code: an error if comm is none. */
int chorale_dispatch_make(MPI_Comm comm, int needs);
void chorale_dispatch_make_group(MPI_Group group);

/* For programs that check: what the last call of coll on comm ran, if it had
 * blocks of msg_size bytes: "DIGEST library" or "DIGEST variant:params", with
 * the digest of the table in force. Not collective. Returns 0; -1: the
 * communicator is the library's, or no such call came here (text is ""). */
int chorale_dispatch_last(enum chorale_coll coll, MPI_Comm comm,
                          size_t msg_size, char *text, size_t size);

/* Agree at the first call, whatever the settings say, and trace if they ask
 * for it. Before each call of libchorale, on its communicator. */
void chorale_dispatch_at_once(MPI_Comm comm);

/* Use the table at path, NULL: what the environment says. Before the first
 * call, after MPI_Init. Returns 0; -1: bad table (a line is on stderr), or
 * too late, or no MPI library that fits: all is left to the library. */
int chorale_dispatch_use(const char *path);

/* Give back what MPI_COMM_WORLD holds for us; later calls are all the
 * library's. Happens by itself in MPI_Finalize. */
void chorale_dispatch_stop(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.h - serves one call of a collective by a variant, if table,
 * settings and all ranks allow it; else the caller passes it to the library.
 * The core of the shim and of libchorale. Thread-safe as MPI is: several
 * threads may make calls on different communicators at once. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_DISPATCH_H
#define CHORALE_ALGORITHMS_DISPATCH_DISPATCH_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/fast_path.h"

/* Serve one call on the application's communicator comm.
 *
 * call  arguments as in alg.h; ctx, param and commutative are set here
 * ints  arrays of counts and displacements that are not in call, or NULL
 * rc    out: MPI's error code, already passed to comm's error handler
 *
 * Returns 1 if the call was served; 0 if the caller must pass it to the
 * library unchanged. */
int chorale_dispatch(enum chorale_coll coll, MPI_Comm comm,
                     struct chorale_call *call,
                     const struct chorale_ints *ints, int *rc);

/* Serve a call that chorale_shim_look() (shim.h) found to be like an earlier
 * one served by a variant. Returns MPI's error code, as *rc above. */
int chorale_dispatch_cached(enum chorale_coll coll, MPI_Comm comm,
                            struct chorale_call *call);

/* Serve a call with arrays on this thread's current communicator
 * (fast_path.h). Returns one of:
 * - CHORALE_AGAIN: like an earlier call; its variant has served it, *rc is
 *   set;
 * - CHORALE_PASS: pass it to the library;
 * - CHORALE_ASK: not cached; call chorale_dispatch(). */
enum chorale_path chorale_dispatch_arrays(enum chorale_coll coll,
                                          MPI_Comm comm,
                                          struct chorale_call *call,
                                          const struct chorale_ints *ints,
                                          int *rc);

/* Start on all ranks: agree on the covered call at which communicators are set
 * up (the largest CHORALE_AFTER), on tracing and on other settings. Collective
 * over MPI_COMM_WORLD. Call it once, right after MPI_Init, on all ranks; if it
 * is never called, CHORALE_AFTER is 4. If any rank has CHORALE_VERBOSE, all
 * ranks meet again in MPI_Finalize (usage_report.h). */
void chorale_dispatch_init(void);

/* Before a call of all ranks of comm, or of group, that makes communicators:
 * give private ones back if needed (context_reclaim.h). Does nothing without
 * private communicators, or if a rank has MPI_THREAD_MULTIPLE. Returns MPI's
 * error code: an error if comm is invalid. */
int chorale_dispatch_reclaim(MPI_Comm comm, int needs);
void chorale_dispatch_reclaim_group(MPI_Group group);

/* For checks: the choice of the last call of coll on comm, if its blocks had
 * msg_size bytes. text: out, "DIGEST library" or "DIGEST variant:params", with
 * the digest of the table in use. Not collective. Returns 0; or -1 with an
 * empty text if the communicator is left to the library or has had no such
 * call. */
int chorale_dispatch_last(enum chorale_coll coll, MPI_Comm comm,
                          size_t msg_size, char *text, size_t size);

/* Set communicators up at their first call, whatever CHORALE_AFTER is, and
 * start a trace if the environment asks for it. libchorale calls it before
 * each call, with its communicator. */
void chorale_dispatch_at_once(MPI_Comm comm);

/* Use the table at path; NULL: the table that the environment or the site
 * names. Call it after MPI_Init and before the first collective. Returns 0, or
 * -1 if:
 * - the table cannot be used: rank 0 prints one line on stderr, and calls go to
 *   the library;
 * - no matching MPI library is loaded: chorale_dispatch() serves no call;
 * - it is too early or MPI was finalised: no effect;
 * - it is too late: the earlier table stays in use. */
int chorale_dispatch_use(const char *path);

/* Free everything held in MPI; later calls go to the library. MPI_Finalize
 * does this, too. */
void chorale_dispatch_stop(void);

#endif

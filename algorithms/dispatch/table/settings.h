/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - environment variables of the shim and libchorale.
 *
 *   CHORALE_DISPATCH=FILE        absolute path of the dispatch table, a shared
 *                                object
 *   CHORALE_SITE=FOLDER          absolute path of the site's tables (site.h),
 *                                used if CHORALE_DISPATCH is not set
 *   CHORALE_ANY_SYSTEM=1         use a table that was measured on another
 *                                system
 *   CHORALE_DISABLE=bcast,...    leave these collectives to the library
 *   CHORALE_FORCE=bcast=binomial:segsize=8K,...
 *                                use this variant instead of the table's
 *                                choice; "library" is a variant, too. Also
 *                                applies to operations of the application, if
 *                                the variant keeps their order
 *   CHORALE_AFTER=4              serve a communicator from its 4th covered
 *                                call on
 *   CHORALE_MAX_COMMS=256        private communicators that a process may
 *                                hold, until the application needs their
 *                                contexts. One of them is over
 *                                MPI_COMM_WORLD, so 1 has the effect of 0
 *   CHORALE_VERBOSE=1            print each choice at its first use
 *   CHORALE_HOST_BUFFERS=1       no buffer is in GPU memory, although a GPU
 *                                runtime is loaded (comm_state.h)
 *   CHORALE_MAX_SCRATCH=64M      bytes of scratch memory that variants may
 *                                use in a process, all threads together
 *                                (scratch_pool.h); suffixes K, M, G
 *   CHORALE_CHECK=1              compare the arguments of all ranks before
 *                                each call; a call where they differ goes to
 *                                the library
 *   CHORALE_DETERMINISTIC=1      results have the same bits in every run with
 *                                the same number of ranks, on any placement
 *
 * CHORALE_CHECK and CHORALE_DETERMINISTIC set CHORALE_AFTER to 1. trace.h has
 * CHORALE_TRACE and CHORALE_TRACE_SIGNAL. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SETTINGS_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SETTINGS_H

#include "algorithms/alg.h"
#include "algorithms/coll.h"

#define CHORALE_AFTER_DEFAULT 4
#define CHORALE_MAX_COMMS_DEFAULT 256
#define CHORALE_MAX_SCRATCH_DEFAULT ((size_t)64 << 20)

/* The choice for a call: a variant and its parameters. alg NULL: the
 * library. */
struct chorale_plan {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
};

struct chorale_settings {
    int secure;              /* set-user-id process: all variables are
                              * ignored */
    int verbose;
    int host_buffers;
    int any_system, check, deterministic;
    int after;               /* >= 1 */
    int max_comms;           /* >= 0 */
    unsigned disabled;       /* bit per collective */
    unsigned forced;         /* bit per collective: force[] is valid */
    struct chorale_plan force[CHORALE_NCOLL];
    const char *dispatch;    /* path; NULL: not set */
    const char *site;        /* folder of the site's tables */
    size_t max_scratch;      /* bytes */
};

/* Read the environment. Invalid words are ignored; each is reported by one
 * line to warn(), which may be NULL. */
void chorale_settings_read(struct chorale_settings *set,
                           void (*warn)(const char *line));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - what the environment tells the shim and libchorale.
 *
 *   CHORALE_DISPATCH=FILE        the dispatch table, a shared object; the
 *                                absolute path
 *   CHORALE_SITE=FOLDER          where the site's tables are (site.h), if that
 *                                is not set; absolute as well
 *   CHORALE_ANY_SYSTEM=1         use a table although it was measured elsewhere
 *   CHORALE_DISABLE=bcast,...    leave these collectives to the library
 *   CHORALE_FORCE=bcast=binomial:segsize=8K,...
 *                                this variant, whatever the table says;
 *                                "library" is a variant too; also for
 *                                operations of the application, if it keeps
 *                                their order
 *   CHORALE_AFTER=4              step in at a communicator's 4th covered call
 *   CHORALE_MAX_COMMS=256        communicators of a process that may be ours,
 *                                until the application needs them; one is
 *                                the world of our own, so 1 is as good as 0
 *   CHORALE_VERBOSE=1            say what is chosen
 *   CHORALE_HOST_BUFFERS=1       no buffer is in GPU memory, although a GPU
 *                                runtime is loaded (comm_state.h)
 *   CHORALE_MAX_SCRATCH=64M      the most memory that variants may take for
 *                                themselves in a process, with all of its
 *                                threads (scratch_pool.h); K, M, G
 *   CHORALE_CHECK=1              compare the arguments of the ranks before each
 *                                call; one that differs is the library's
 *   CHORALE_DETERMINISTIC=1      results have the same bits in every run with
 *                                as many ranks, however they are placed
 *
 * The last two step in at a communicator's first covered call.
 */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SETTINGS_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SETTINGS_H

#include "algorithms/alg.h"
#include "algorithms/coll.h"

#define CHORALE_AFTER_DEFAULT 4
#define CHORALE_MAX_COMMS_DEFAULT 256
#define CHORALE_MAX_SCRATCH_DEFAULT ((size_t)64 << 20)

/* What a call runs: a variant and its parameters. alg NULL: the library. */
struct chorale_plan {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
};

struct chorale_settings {
    int secure;              /* set-user-id: read nothing, do nothing */
    int verbose;
    int host_buffers;
    int any_system, check, deterministic;
    int after;               /* >= 1 */
    int max_comms;           /* >= 0 */
    unsigned disabled;       /* bit per collective */
    unsigned forced;         /* bit per collective: force[] counts */
    struct chorale_plan force[CHORALE_NCOLL];
    const char *dispatch;    /* NULL: not set */
    const char *site;        /* the folder */
    size_t max_scratch;      /* bytes */
};

/* Read the environment. A word that makes no sense is left out with one line
 * to warn(), which may be NULL. */
void chorale_settings_read(struct chorale_settings *set,
                           void (*warn)(const char *line));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.c - create communicators for the runner. */
#include "runners/measure/comm_create.h"

#include <limits.h>

#ifdef CHORALE_SIM
#include <xbt/config.h>

static const char longest_free[] = "smpi/send-is-detached-thresh";

/* All simulated ranks are one process: number of ranks inside these functions,
 * and the threshold of the campaign's network model. */
static int making, planned;
#endif

static void begin(void)
{
#ifdef CHORALE_SIM
    if (making++ == 0) {
        planned = sg_cfg_get_int(longest_free);
        sg_cfg_set_int(longest_free, INT_MAX);
    }
#endif
}

static void end(void)
{
#ifdef CHORALE_SIM
    if (--making == 0)
        sg_cfg_set_int(longest_free, planned);
#endif
}

int chorale_comm_dup(MPI_Comm from, MPI_Comm *to)
{
    int rc;

    begin();
    rc = PMPI_Comm_dup(from, to);
    end();
    return rc;
}

int chorale_comm_split(MPI_Comm from, int color, int key, MPI_Comm *to)
{
    int rc;

    begin();
    rc = PMPI_Comm_split(from, color, key, to);
    end();
    return rc;
}

int chorale_comm_split_node(MPI_Comm from, int key, MPI_Comm *to)
{
    int rc;

    begin();
    rc = PMPI_Comm_split_type(from, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL,
                              to);
    end();
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_create.c - create communicators for the runner. */
#include "config.h"

#include "runners/measure/comm_create.h"

#ifdef CHORALE_SIM
#include <dlfcn.h>
#include <limits.h>
#include <xbt/config.h>

static const char longest_free[] = "smpi/send-is-detached-thresh";

/* All simulated ranks are one process: number of ranks that may search, and the
 * threshold of the campaign's network model. */
static int searching, planned;

/* Switch the short search on or off, if node_search.c is preloaded. */
static void shorten(int on)
{
    int *flag = dlsym(RTLD_DEFAULT, "chorale_node_search");

    if (flag != NULL)
        *flag = on;
}
#endif

static void begin(void)
{
#ifdef CHORALE_SIM
    if (searching++ == 0) {
        planned = sg_cfg_get_int(longest_free);
        sg_cfg_set_int(longest_free, INT_MAX);
        shorten(1);
    }
#endif
}

static void end(void)
{
#ifdef CHORALE_SIM
    if (--searching == 0) {
        sg_cfg_set_int(longest_free, planned);
        shorten(0);
    }
#endif
}

int chorale_comm_dup(MPI_Comm from, MPI_Comm *to)
{
#ifdef CHORALE_SIM
    *to = from;
    return MPI_SUCCESS;
#else
    return PMPI_Comm_dup(from, to);
#endif
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

int chorale_comm_cart(MPI_Comm from, int dims, const int *length,
                      const int *period, MPI_Comm *to)
{
#ifdef CHORALE_SIM
    (void)dims;
    (void)length;
    (void)period;
    return chorale_comm_dup(from, to);
#else
    return PMPI_Cart_create(from, dims, length, period, 1, to);
#endif
}

int chorale_comm_search(MPI_Comm comm)
{
#ifdef CHORALE_SIM
    int word = 0, rc;

    begin();
    rc = PMPI_Bcast(&word, 1, MPI_INT, 0, comm);
    end();
    return rc;
#else
    (void)comm;
    return MPI_SUCCESS;
#endif
}

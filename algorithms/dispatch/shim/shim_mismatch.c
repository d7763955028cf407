/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_mismatch.c - prints a line if the shim cannot work: in a program of
 * another MPI library, or if the launcher of another one makes each process a
 * program of one rank. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "algorithms/dispatch/base/launched.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/base/warn.h"
#include "algorithms/dispatch/shim/shim.h"
#include "algorithms/mpi_name.h"

/* Whether the user asks for an effect of the shim. A table of the site alone is
 * no such request, nor is "0", which turns CHORALE_VERBOSE off. */
static int is_asked(void)
{
    static const char *const name[] = { "CHORALE_DISPATCH", "CHORALE_FORCE",
                                        "CHORALE_TRACE", "CHORALE_VERBOSE" };

    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        const char *text = getenv(name[i]);

        if (text != NULL && text[0] != '\0' && strcmp(text, "0") != 0)
            return getauxval(AT_SECURE) == 0;
    }
    return 0;
}

void chorale_shim_mismatch(void)
{
    const char *other = chorale_pmpi_other();
    char theirs[CHORALE_MPI_NAME], ours[CHORALE_MPI_NAME];
    int size = 0;

    if (!is_asked() || chorale_launched_rank() > 0) /* rank 0 or unknown */
        return;
    chorale_mpi_name(chorale_pmpi_family, ours);
    if (other != NULL) {
        chorale_mpi_name(other, theirs);
        chorale_warn("chorale: the program uses %.60s, but this shim was built "
                     "for %s: no call is served or traced; build Chorale for "
                     "the program's library", theirs, ours);
        return;
    }
    if (chorale_pmpi_ready() &&
        PMPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS && size == 1 &&
        chorale_launched_ranks(size) > 1)
        chorale_warn("chorale: %ld processes were started, but each is alone "
                     "in MPI_COMM_WORLD; use the launcher of the program's "
                     "library%s%s", chorale_launched_ranks(size),
                     ours[0] != '\0' ? ", " : "", ours);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* node_search.c - preloaded into simulations: a shorter search for the ranks of
 * a node. SimGrid's Comm::init_smp() finds them, and whether all nodes have as
 * many, by two allgathers on a ring. Each sends P (P - 1) messages. Bruck's
 * algorithm gathers the same in P ceil(lg P) messages.
 *
 * This library defines SimGrid's function for the ring. It calls SimGrid's
 * function for Bruck's algorithm while the runner lets the library search
 * (runners/measure/comm_create.c), and the ring at all other times. In versions
 * of SimGrid with other names for these functions it has no effect. */
#include <dlfcn.h>
#include <stddef.h>

#define ARGUMENTS "EPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"
#define RING "_ZN7simgrid4smpi15allgather__ring" ARGUMENTS
#define BRUCK "_ZN7simgrid4smpi16allgather__bruck" ARGUMENTS

typedef int allgather_fn(const void *send, int send_count, void *send_type,
                         void *recv, int recv_count, void *recv_type,
                         void *comm);

/* 1 while ranks search: set by the runner. */
extern int chorale_node_search;
int chorale_node_search;

allgather_fn chorale_allgather_ring __asm__(RING);

/* Find the next definition. ISO C has no cast from object to function
 * pointers. */
static allgather_fn *find(const char *name)
{
    allgather_fn *found;

    *(void **)&found = dlsym(RTLD_NEXT, name);
    return found;
}

int chorale_allgather_ring(const void *send, int send_count, void *send_type,
                           void *recv, int recv_count, void *recv_type,
                           void *comm)
{
    static allgather_fn *ring, *bruck;
    allgather_fn *gather;

    if (ring == NULL) {
        ring = find(RING);
        bruck = find(BRUCK);
    }
    gather = chorale_node_search && bruck != NULL ? bruck : ring;
    return gather(send, send_count, send_type, recv, recv_count, recv_type,
                  comm);
}

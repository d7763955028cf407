/* SPDX-License-Identifier: BSD-3-Clause */
/* last_comm.c - per-thread cache of recently used communicators. */
#include "config.h"

#include <limits.h>

#include "algorithms/dispatch/comm/call_cache.h"

_Thread_local struct chorale_last_comm chorale_last_comm;
atomic_ullong chorale_epoch = CHORALE_EPOCH_STEP;

enum { NOTHER = 6 };

/* The communicators that this thread used last, and their states. Kept small:
 * a library that is loaded late gets little thread-local memory. */
static _Thread_local struct {
    _Alignas(CHORALE_LINE) unsigned long long epoch; /* of all entries */
    chorale_word comm[NOTHER];
    struct chorale_state *state[NOTHER];
    unsigned next;           /* entry to overwrite next */
} others CHORALE_TLS;

static void set_current_comm(chorale_word comm, unsigned long long epoch,
                             struct chorale_state *st)
{
    struct chorale_last_comm *fast = &chorale_last_comm;

    fast->epoch = epoch;
    fast->comm = comm;
    fast->mask = CHORALE_HANDLE;
    fast->in_place = MPI_IN_PLACE;
    fast->state = st;
    fast->recall = st != NULL ? &st->recall : NULL;
    fast->pass = st != NULL ? st->pass : UINT_MAX;
    fast->rank = st != NULL ? st->rank : -1;
    fast->size = st != NULL ? st->size : 0;
}

void chorale_last_comm_set(MPI_Comm comm, unsigned long long epoch,
                           struct chorale_state *st)
{
    const chorale_word word = (chorale_word)comm;

    if (others.epoch != epoch)
        for (int i = 0; i < NOTHER; i++)
            others.comm[i] = 0; /* not a valid handle */
    others.epoch = epoch;
    others.comm[others.next] = word;
    others.state[others.next] = st;
    others.next = (others.next + 1) % NOTHER;
    set_current_comm(word, epoch, st);
}

int chorale_last_comm_switch(chorale_word comm, unsigned long long epoch)
{
    if (others.epoch != epoch)
        return 0;
    for (int i = 0; i < NOTHER; i++)
        if (((others.comm[i] ^ comm) & CHORALE_HANDLE) == 0
            && others.comm[i] != 0) {
            set_current_comm(comm, epoch, others.state[i]);
            return 1;
        }
    return 0;
}

void chorale_last_comm_clear(void)
{
    chorale_last_comm.epoch = 0;
    others.epoch = 0;
}

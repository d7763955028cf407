/* SPDX-License-Identifier: BSD-3-Clause */
/* freed_comms.c - per-thread stack of communicators being freed. */
#include "config.h"

#include "algorithms/dispatch/comm/freed_comms.h"

static _Thread_local struct chorale_freeing *innermost CHORALE_TLS;

void chorale_freeing_begin(struct chorale_freeing *frame, chorale_word comm)
{
    frame->comm = comm;
    frame->outer = innermost;
    innermost = frame;
    chorale_last_comm_clear();
}

void chorale_freeing_end(const struct chorale_freeing *frame)
{
    innermost = frame->outer;
}

int chorale_freeing_comm(chorale_word comm)
{
    const struct chorale_freeing *frame = innermost;

    while (frame != NULL && frame->comm != comm)
        frame = frame->outer;
    return frame != NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* freed_comms.c - per-thread stack of communicators being freed. */
#include "config.h"

#include "algorithms/dispatch/comm/freed_comms.h"

static _Thread_local struct chorale_dying *innermost CHORALE_TLS;

void chorale_dying_begin(struct chorale_dying *frame, chorale_word comm)
{
    frame->comm = comm;
    frame->outer = innermost;
    innermost = frame;
    chorale_fast_forget();
}

void chorale_dying_end(const struct chorale_dying *frame)
{
    innermost = frame->outer;
}

int chorale_is_dying(chorale_word comm)
{
    const struct chorale_dying *frame = innermost;

    while (frame != NULL && frame->comm != comm)
        frame = frame->outer;
    return frame != NULL;
}

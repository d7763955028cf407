/* SPDX-License-Identifier: BSD-3-Clause */
/* group_rows.c - transfer work and results between ranks.
 *
 * A TAG_ROWS message has packed rows (row_pack.h). A group's last message,
 * TAG_END, has its error code and, unless 0, the error's text. */
#include "runners/launch/group_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runners/launch/launch.h"
#include "runners/launch/row_pack.h"

enum { TAG_WORK = 1, TAG_ROWS, TAG_END, TAG_ENDING };

/* Sleep between two tests, so that measuring ranks are not disturbed: 1 ms, and
 * 20 ms from the 21st time on. *naps: number of sleeps. */
static void nap(int *naps)
{
    long ms = *naps < 20 ? 1 : 20;

    ++*naps;
    nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

int chorale_idle_wait(MPI_Request *request)
{
    int done = 0, naps = 0, rc;

    while ((rc = PMPI_Test(request, &done, MPI_STATUS_IGNORE)) ==
               MPI_SUCCESS &&
           !done)
        nap(&naps);
    return rc;
}

/* --- the plan --------------------------------------------------------- */

enum chorale_err chorale_work_load(struct chorale_store *store,
                                   const char *uuid, int away,
                                   struct chorale_work *plan,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_launch_load(store, uuid, &plan->work, msg);

    if (err != CHORALE_OK || !away)
        return err;
    plan->known = chorale_rowbuf_new();
    return plan->known != NULL
               ? chorale_rowbuf_add_plan(plan->known, store, &plan->work, msg)
               : chorale_fail_memory(msg, NULL);
}

static int give(struct chorale_channel *channel, int to, const void *buf,
                size_t bytes)
{
    return PMPI_Send(buf, (int)bytes, MPI_BYTE, to, TAG_WORK, channel->comm);
}

int chorale_work_send(struct chorale_channel *channel, int to,
                      const struct chorale_work *plan)
{
    const struct chorale_worklist *work = &plan->work;
    int rc = give(channel, to, work, sizeof(*work));

    if (rc == MPI_SUCCESS)
        rc = give(channel, to, work->task,
                  (size_t)work->ntask * sizeof(*work->task));
    if (rc == MPI_SUCCESS)
        rc = give(channel, to, work->cand,
                  (size_t)work->ncand * sizeof(*work->cand));
    return rc == MPI_SUCCESS
               ? give(channel, to, plan->known->bytes.byte,
                      plan->known->bytes.len)
               : rc;
}

void chorale_work_free(struct chorale_work *plan)
{
    chorale_worklist_free(&plan->work);
    chorale_rowbuf_free(plan->known);
    plan->known = NULL;
}

static int take(struct chorale_channel *channel, void *buf, size_t bytes)
{
    return PMPI_Recv(buf, (int)bytes, MPI_BYTE, 0, TAG_WORK, channel->comm,
                     MPI_STATUS_IGNORE);
}

static int recv_worklist(struct chorale_channel *channel,
                         struct chorale_worklist *work)
{
    int rc = take(channel, work, sizeof(*work));

    work->task = NULL;
    work->cand = NULL;
    if (rc != MPI_SUCCESS)
        return rc;
    work->task = calloc((size_t)work->ntask + 1, sizeof(*work->task));
    work->cand = calloc((size_t)work->ncand + 1, sizeof(*work->cand));
    if (work->task == NULL || work->cand == NULL)
        return MPI_ERR_NO_MEM;
    rc = take(channel, work->task, (size_t)work->ntask * sizeof(*work->task));
    if (rc == MPI_SUCCESS)
        rc = take(channel, work->cand,
                  (size_t)work->ncand * sizeof(*work->cand));
    return rc;
}

/* Receive the packed plan; the caller frees *byte_p. */
static int recv_plan(struct chorale_channel *channel, char **byte_p, int *len_p)
{
    MPI_Status status;
    int rc = PMPI_Probe(0, TAG_WORK, channel->comm, &status);

    if (rc == MPI_SUCCESS)
        rc = PMPI_Get_count(&status, MPI_BYTE, len_p);
    if (rc != MPI_SUCCESS)
        return rc;
    *byte_p = malloc((size_t)*len_p + 1);
    return *byte_p != NULL ? take(channel, *byte_p, (size_t)*len_p)
                           : MPI_ERR_NO_MEM;
}

enum chorale_err chorale_work_recv(struct chorale_channel *channel,
                                   struct chorale_worklist *work,
                                   struct chorale_store **store_p,
                                   struct chorale_errmsg *msg)
{
    char *byte = NULL;
    int len = 0, rc = recv_worklist(channel, work);
    enum chorale_err err;

    if (rc == MPI_SUCCESS)
        rc = recv_plan(channel, &byte, &len);
    err = chorale_launch_mpi(rc, "taking the plan", msg);
    channel->facts = 0;
    if (err == CHORALE_OK)
        err = chorale_rowbuf_store(store_p, msg);
    if (err == CHORALE_OK)
        err = chorale_rowbuf_unpack(*store_p, byte, len, msg);
    free(byte);
    return err;
}

int chorale_ending_send(struct chorale_channel *channel, int to,
                        MPI_Request *request)
{
    return PMPI_Isend(NULL, 0, MPI_BYTE, to, TAG_ENDING, channel->comm,
                      request);
}

int chorale_ending_recv(struct chorale_channel *channel, int wait, int *ends)
{
    int there = wait;
    int rc = wait ? MPI_SUCCESS
                  : PMPI_Iprobe(0, TAG_ENDING, channel->comm, &there,
                                MPI_STATUS_IGNORE);

    if (rc == MPI_SUCCESS && there)
        rc = PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ENDING, channel->comm,
                       MPI_STATUS_IGNORE);
    *ends = rc == MPI_SUCCESS && there;
    return rc;
}

/* --- rows out --------------------------------------------------------- */

/* Start sending p; sweep() frees it later. */
static enum chorale_err post(struct chorale_channel *channel,
                             struct chorale_rowbuf *p, int tag,
                             struct chorale_errmsg *msg)
{
    if (PMPI_Isend(p->bytes.byte, (int)p->bytes.len, MPI_BYTE, 0, tag,
                   channel->comm, &p->request) != MPI_SUCCESS) {
        chorale_rowbuf_free(p);
        return chorale_fail(msg, CHORALE_ENV, "group: MPI cannot send its rows "
                            "to rank 0; `chorale doctor` tests the MPI "
                            "library");
    }
    p->next = channel->sent;
    channel->sent = p;
    return CHORALE_OK;
}

/* Free completed sends. */
static void sweep(struct chorale_channel *channel)
{
    struct chorale_rowbuf **at = &channel->sent;

    while (*at != NULL) {
        struct chorale_rowbuf *p = *at;
        int done = 0;

        if (PMPI_Test(&p->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
            done) {
            *at = p->next;
            chorale_rowbuf_free(p);
        } else {
            at = &p->next;
        }
    }
}

enum chorale_err chorale_rows_send(struct chorale_channel *channel,
                                   struct chorale_store *store,
                                   struct chorale_errmsg *msg)
{
    struct chorale_rowbuf *p = chorale_rowbuf_new();
    sqlite3_int64 facts = 0;
    enum chorale_err err;

    sweep(channel);
    if (p == NULL)
        return chorale_fail_memory(msg, NULL);
    err = chorale_store_int(store, "SELECT count(*) FROM environment", 0,
                            &facts, msg);
    if (err == CHORALE_OK)
        err = chorale_rowbuf_add_runs(p, store, facts != channel->facts, msg);
    if (err == CHORALE_OK)
        err = chorale_rowbuf_delete_runs(store, msg);
    if (err != CHORALE_OK) {
        chorale_rowbuf_free(p);
        return err;
    }
    channel->facts = facts;
    return post(channel, p, TAG_ROWS, msg);
}

enum chorale_err chorale_rows_end(struct chorale_channel *channel,
                                  enum chorale_err err,
                                  struct chorale_errmsg *msg)
{
    struct chorale_rowbuf *p = chorale_rowbuf_new();
    struct chorale_errmsg why;
    int naps = 0;

    if (p != NULL) {
        chorale_rowbuf_add_int(p, (int)err);
        if (err != CHORALE_OK)
            chorale_rowbuf_add(p, msg->text, strlen(msg->text));
    }
    if (p == NULL || p->bytes.lacks ||
        post(channel, p, TAG_END, &why) != CHORALE_OK)
        return CHORALE_ENV;
    while (channel->sent != NULL) {
        sweep(channel);
        if (channel->sent != NULL)
            nap(&naps);
    }
    return err;
}

/* --- rows in ---------------------------------------------------------- */

void chorale_stored_report(void)
{
    puts("@stored");
    fflush(stdout);
}

/* Receive a probed message. */
static enum chorale_err recv_group_message(struct chorale_channel *channel,
                                           struct chorale_store *store,
                                           const MPI_Status *status, int *nopen,
                                           struct chorale_errmsg *msg)
{
    int len = 0, code = 0;
    char *byte;
    enum chorale_err err = CHORALE_OK;

    PMPI_Get_count(status, MPI_BYTE, &len);
    byte = malloc((size_t)len + 1);
    if (byte == NULL)
        return chorale_fail_memory(msg, NULL);
    if (PMPI_Recv(byte, len, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
                  channel->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        err = chorale_fail(msg, CHORALE_ENV, "rank 0: MPI cannot receive the "
                           "rows of a group; `chorale doctor` tests the MPI "
                           "library");
    else if (status->MPI_TAG == TAG_ROWS) {
        err = chorale_rowbuf_unpack(store, byte, len, msg);
        if (err == CHORALE_OK)
            chorale_stored_report();
    } else {
        byte[len] = '\0';
        --*nopen;
        memcpy(&code, byte, sizeof(code));
        if (code != 0)
            err = chorale_fail(msg, (enum chorale_err)code, "%.700s",
                               byte + sizeof(code));
    }
    free(byte);
    return err;
}

enum chorale_err chorale_rows_recv(struct chorale_channel *channel,
                                   struct chorale_store *store, int *nopen,
                                   int wait, struct chorale_errmsg *msg)
{
    enum chorale_err first = CHORALE_OK;
    int naps = 0;

    while (*nopen > 0) {
        struct chorale_errmsg why = { "" };
        MPI_Status status;
        int there = 0;
        enum chorale_err err = CHORALE_OK;

        if (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel->comm, &there,
                        &status) != MPI_SUCCESS)
            return chorale_fail(msg, CHORALE_ENV, "rank 0: MPI cannot probe "
                                "for rows of groups; `chorale doctor` tests "
                                "the MPI library");
        if (!there && !wait)
            break;
        if (there)
            err = recv_group_message(channel, store, &status, nopen, &why);
        else
            nap(&naps);
        if (!there && channel->idle != NULL)
            channel->idle(channel->idle_arg);
        if (err != CHORALE_OK && first == CHORALE_OK) {
            first = err;
            *msg = why;
        }
    }
    return first;
}

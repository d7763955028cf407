/* SPDX-License-Identifier: BSD-3-Clause */
/* sent.c - what the MPI library sends: see sent.h. UCX's functions are
 * interposed by this program's own, which the library then calls; it also
 * gives the processor away when a poll finds nothing, as there may be many
 * more ranks than processors. */
#include "config.h"

#include "runners/sent.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Variables of Open MPI: messages and bytes to each rank of MPI_COMM_WORLD. */
enum { COUNT, SIZE, VARIABLES };
static const char *const variable[VARIABLES] = {
    "pml_monitoring_messages_count", "pml_monitoring_messages_size",
};

struct chorale_sent {
    int sees, size;
    int monitored;           /* by Open MPI */
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle[VARIABLES];
    size_t *before[VARIABLES], *after[VARIABLES]; /* [size] */
};

/* One process is one rank, and it has one thread that calls. */
static int counting, through_ucx;
static uint64_t hash;

/* What is interposed; UCX's headers are not needed to build this. */
void *ucp_tag_send_nbx(void *ep, const void *buf, size_t count, uint64_t tag,
                       const void *param);
unsigned ucp_worker_progress(void *worker);

/* Of one message: added up, so that the order does not matter. */
static uint64_t scatter(uint64_t value)
{
    value = (value + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 29;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

/* The next definition of a symbol; ISO C has no cast from object to function
 * pointers, so callers store it through a pointer to a pointer. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *ucp_tag_send_nbx(void *ep, const void *buf, size_t count, uint64_t tag,
                       const void *param)
{
    static void *(*real)(void *, const void *, size_t, uint64_t,
                         const void *);

    if (real == NULL)
        *(void **)&real = next("ucp_tag_send_nbx");
    through_ucx = 1;
    if (counting)
        hash += scatter(count);
    return real(ep, buf, count, tag, param);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    unsigned events;

    if (real == NULL)
        *(void **)&real = next("ucp_worker_progress");
    events = real(worker);
    if (events == 0)
        sched_yield();
    return events;
}

/* --- Open MPI's monitoring ----------------------------------------------- */

static int find(const char *name, int *index_p)
{
    return MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, index_p) ==
               MPI_SUCCESS;
}

static int open_variable(struct chorale_sent *sent, int i)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int index, count = 0;

    return find(variable[i], &index) &&
           MPI_T_pvar_handle_alloc(sent->session, index, &world,
                                   &sent->handle[i], &count) == MPI_SUCCESS &&
           count == sent->size &&
           MPI_T_pvar_start(sent->session, sent->handle[i]) == MPI_SUCCESS;
}

static void open_monitoring(struct chorale_sent *sent)
{
    int index;

    if (!find(variable[COUNT], &index) ||
        MPI_T_pvar_session_create(&sent->session) != MPI_SUCCESS)
        return;
    sent->monitored = open_variable(sent, COUNT) && open_variable(sent, SIZE);
}

static void read_monitoring(struct chorale_sent *sent,
                            size_t *const value[VARIABLES])
{
    for (int i = 0; i < VARIABLES; i++)
        MPI_T_pvar_read(sent->session, sent->handle[i], value[i]);
}

/* --- both ---------------------------------------------------------------- */

struct chorale_sent *chorale_sent_open(void)
{
    struct chorale_sent *sent = calloc(1, sizeof(*sent));
    int bad = sent == NULL;

    if (bad)
        return NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &sent->size);
    for (int i = 0; i < VARIABLES; i++) {
        sent->before[i] = calloc((size_t)sent->size, sizeof(size_t));
        sent->after[i] = calloc((size_t)sent->size, sizeof(size_t));
        bad |= sent->before[i] == NULL || sent->after[i] == NULL;
    }
    if (bad) {
        chorale_sent_close(sent);
        return NULL;
    }
    open_monitoring(sent);
    return sent;
}

void chorale_sent_close(struct chorale_sent *sent)
{
    if (sent == NULL)
        return;
    if (sent->monitored)
        MPI_T_pvar_session_free(&sent->session);
    for (int i = 0; i < VARIABLES; i++) {
        free(sent->before[i]);
        free(sent->after[i]);
    }
    free(sent);
}

int chorale_sent_sees(const struct chorale_sent *sent)
{
    return sent->monitored || through_ucx;
}

void chorale_sent_begin(struct chorale_sent *sent)
{
    if (sent->monitored)
        read_monitoring(sent, sent->before);
    hash = 0;
    counting = 1;
}

uint64_t chorale_sent_end(struct chorale_sent *sent)
{
    counting = 0;
    if (!sent->monitored)
        return hash;
    read_monitoring(sent, sent->after);
    hash = 0;
    for (int r = 0; r < sent->size; r++)
        hash += scatter((uint64_t)r * 1000003 + sent->after[COUNT][r] -
                        sent->before[COUNT][r]) *
                3 +
                scatter((uint64_t)r * 1000003 + sent->after[SIZE][r] -
                        sent->before[SIZE][r]);
    return hash;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* native.c - force algorithms inside the MPI library through control variables.
 *
 * If MPICH cannot run a forced algorithm with the given arguments, it must
 * return an error instead of running another one. Its device collectives must
 * not interfere either. Two more variables ensure that; they are
 * written and restored together with the forced one. Open MPI has no such
 * variables: native_falls.c lists its silent fallbacks, known from its source,
 * and the messages of a call show whether the component that has the algorithm
 * serves it. */
#include "config.h"

#include "runners/native/native.h"
#include "runners/native/native_found.h"

#include <stdlib.h>
#include <string.h>

/* Open MPI's permission to force algorithms: read-only after MPI_Init, but set
 * by an environment variable before. Set without a forced algorithm it changes
 * no choice: tuned still installs its fixed decisions. */
#define ALLOW "coll_tuned_use_dynamic_rules"

/* Key of MPI_Comm_dup_with_info: the component that Open MPI prefers to others
 * whatever their priorities. On several nodes han's is above tuned's since
 * version 5. */
#define PREFERENCE "ompi_comm_coll_preference"

void chorale_native_allow(void)
{
    setenv("OMPI_MCA_" ALLOW, "1", 0);
}

/* --- forcing ---------------------------------------------------------- */

static int allowed(void)
{
    unsigned char value[16]; /* bool; int in one version */

    chorale_variable_read(ALLOW, value);
    return value[0] != 0;
}

static size_t segment_size(enum chorale_coll coll)
{
    unsigned char value[16];
    char name[96];
    int bytes;

    snprintf(name, sizeof(name), "coll_tuned_%s_algorithm_segmentsize",
             chorale_coll_info(coll)->name);
    chorale_variable_read(name, value);
    memcpy(&bytes, value, sizeof(bytes));
    return bytes > 0 ? (size_t)bytes : 0;
}

const char *chorale_native_refuses(const struct chorale_native *native,
                                   enum chorale_coll coll, int place,
                                   const struct chorale_native_point *pt)
{
    struct chorale_native_point at = *pt;
    char base[CHORALE_NATIVE_NAME];

    if (native == NULL || place < 0)
        return "the library has no algorithm of this name";
    if (pt->size < 2)
        return "the library's algorithms take two processes or more";
    if (native->algorithm[coll][place].unset)
        return "the library does not have the value that this launch needs";
    if (!native->by_comm) /* MPICH reports all other cases by an error */
        return !chorale_native_is_hierarchical(native, coll, place) ? NULL
               : !pt->levels
                   ? "smp: the library sees only one node, or only one "
                     "process on each node"
               : coll == CHORALE_SCAN && !pt->in_blocks
                   ? "smp: the ranks of a node are not consecutive"
                   : NULL;
    if (native->algorithm[coll][place].han)
        return pt->levels ? NULL
                          : "the library sees only one node, or only one "
                            "process on each node, so han serves no call";
    if (native->overruled)
        return "rules for the component tuned precede it";
    at.segsize = native->algorithm[coll][place].segsize;
    if (at.segsize == 0)
        at.segsize = segment_size(coll);
    snprintf(base, sizeof(base), "%.*s",
             (int)strcspn(native->algorithm[coll][place].name, ":"),
             native->algorithm[coll][place].name);
    return chorale_native_fallback(coll, base, &at);
}

int chorale_native_is_hierarchical(const struct chorale_native *native,
                                   enum chorale_coll coll, int place)
{
    return native->by_comm
               ? native->algorithm[coll][place].han
               : strcmp(native->algorithm[coll][place].name, "smp") == 0;
}

int chorale_native_needs_comm(const struct chorale_native *native,
                              enum chorale_coll coll, int place)
{
    return native->by_comm &&
           chorale_native_comm(native, coll, place, MPI_COMM_NULL) ==
               MPI_COMM_NULL;
}

int chorale_native_prepare(struct chorale_native *native,
                           enum chorale_coll coll, int place)
{
    struct chorale_native_algorithm *a = &native->algorithm[coll][place];

    if (a->han)
        return 0;
    return allowed() &&
                   MPI_T_cvar_write(native->knob[coll].handle, &a->value) ==
                       MPI_SUCCESS &&
                   (!a->param.open || MPI_T_cvar_write(a->param.handle,
                                                       &a->setting) ==
                                          MPI_SUCCESS)
               ? 0
               : -1;
}

/* Duplicate a communicator so that a component of Open MPI serves it. */
static int dup_for(const char *component, MPI_Comm lib, MPI_Comm *comm)
{
    MPI_Info info;
    int rc = PMPI_Info_create(&info);

    if (rc != MPI_SUCCESS)
        return rc;
    rc = PMPI_Info_set(info, PREFERENCE, component);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_dup_with_info(lib, info, comm);
    PMPI_Info_free(&info);
    return rc == MPI_SUCCESS ? PMPI_Comm_set_errhandler(*comm,
                                                        MPI_ERRORS_RETURN)
                             : rc;
}

int chorale_native_make(struct chorale_native *native, enum chorale_coll coll,
                        int place, int all_could, MPI_Comm lib)
{
    struct chorale_knob *knob = &native->knob[coll];
    struct chorale_knob *param = &native->algorithm[coll][place].param;
    int rc = MPI_SUCCESS;

    if (native->algorithm[coll][place].han) {
        if (native->node == MPI_GROUP_NULL)
            rc = chorale_native_node(lib, &native->node);
        return rc == MPI_SUCCESS ? dup_for("han", lib, &native->han_comm) : rc;
    }
    if (all_could)
        rc = dup_for("tuned", lib, &native->algorithm[coll][place].comm);
    MPI_T_cvar_write(knob->handle, &knob->initial);
    if (param->open)
        MPI_T_cvar_write(param->handle, &param->initial);
    return rc;
}

void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place)
{
    struct chorale_native_algorithm *a;

    if (native == NULL)
        return;
    a = &native->algorithm[coll][place];
    if (a->param.open)
        MPI_T_cvar_write(a->param.handle, &a->setting);
    if (native->by_comm) {
        if (a->han && native->han[coll].open)
            MPI_T_cvar_write(native->han[coll].handle, &a->value);
        return;
    }
    if (chorale_native_is_hierarchical(native, coll,
                                       place) && native->silent >= 0)
        MPI_T_cvar_write(native->fallback.handle, &native->silent);
    else
        MPI_T_cvar_write(native->fallback.handle, &native->fail);
    if (native->device.open)
        MPI_T_cvar_write(native->device.handle, &native->no_device);
    MPI_T_cvar_write(native->knob[coll].handle, &a->value);
}

void chorale_native_end(struct chorale_native *native, enum chorale_coll coll,
                        int place)
{
    struct chorale_native_algorithm *a;

    if (native == NULL)
        return;
    a = &native->algorithm[coll][place];
    if (a->param.open)
        MPI_T_cvar_write(a->param.handle, &a->param.initial);
    if (native->by_comm) {
        if (a->han && native->han[coll].open)
            MPI_T_cvar_write(native->han[coll].handle,
                             &native->han[coll].initial);
        return;
    }
    MPI_T_cvar_write(native->knob[coll].handle, &native->knob[coll].initial);
    if (native->device.open)
        MPI_T_cvar_write(native->device.handle, &native->device.initial);
    MPI_T_cvar_write(native->fallback.handle, &native->fallback.initial);
}

MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib)
{
    return native == NULL || !native->by_comm ? lib
           : native->algorithm[coll][place].han
               ? native->han_comm
               : native->algorithm[coll][place].comm;
}

/* --- proof --------------------------------------------------------------- */

void chorale_native_watch(struct chorale_native *native,
                          enum chorale_coll coll, int place, MPI_Comm lib)
{
    if (native == NULL || !native->by_comm)
        return;
    native->counts = chorale_comm_messages_open() == 0;
    if (native->counts)
        chorale_comm_messages_begin(
            chorale_native_comm(native, coll, place, lib));
}

void chorale_native_unwatch(struct chorale_native *native)
{
    if (native != NULL && native->counts)
        chorale_comm_messages_end(&native->seen);
}

/* 1 if all ranks of a communicator are on this rank's node. */
static int on_node(const struct chorale_native *native, MPI_Comm comm)
{
    MPI_Group all, both;
    int size = 0, here = -1;

    PMPI_Comm_group(comm, &all);
    PMPI_Group_size(all, &size);
    PMPI_Group_intersection(all, native->node, &both);
    PMPI_Group_size(both, &here);
    PMPI_Group_free(&both);
    PMPI_Group_free(&all);
    return here == size;
}

int chorale_native_sent(const struct chorale_native *native,
                        double sent[CHORALE_NSENT])
{
    const struct chorale_comm_messages *seen;
    long between = 0, synchronous = 0;

    if (native == NULL || !native->by_comm)
        return 0;
    seen = &native->seen;
    /* A call that makes communicators sends on its own one as well, and may
     * have freed some of the others. */
    if (native->node != MPI_GROUP_NULL && seen->on == 0)
        for (int i = 0; i < seen->others; i++)
            if (!on_node(native, seen->other[i].comm)) {
                between += seen->other[i].sent;
                synchronous += seen->other[i].synchronous;
            }
    sent[CHORALE_SENT_ON] = (double)seen->on;
    sent[CHORALE_SENT_ELSEWHERE] = (double)seen->elsewhere;
    sent[CHORALE_SENT_BETWEEN] = (double)between;
    sent[CHORALE_SENT_ON_NODE] = (double)(seen->elsewhere - between);
    sent[CHORALE_SENT_SYNCHRONOUS] = (double)synchronous;
    return 1;
}

const char *chorale_native_unproved(const struct chorale_native *native,
                                    enum chorale_coll coll, int place,
                                    const double most[CHORALE_NSENT],
                                    size_t n)
{
    const struct chorale_native_algorithm *a = &native->algorithm[coll][place];

    if (!native->counts)
        return "unproved: the library's messages cannot be counted";
    if (most[CHORALE_SENT_ON] < 1 && most[CHORALE_SENT_ELSEWHERE] < 1)
        return "unproved: the library sends no message in this call";
    if (!a->han)
        return most[CHORALE_SENT_ELSEWHERE] > 0
                   ? "the library's component tuned does not serve this call"
                   : NULL;
    if (most[CHORALE_SENT_ON] > 0)
        return "the library's component han does not serve this call";
    if (a->segsize > 0 && /* a segment is of whole elements: 1/8 larger */
        most[CHORALE_SENT_BETWEEN] <
            (double)(n / (a->segsize + a->segsize / 8)))
        return "unproved: the library sends fewer messages than segments";
    if (a->low && most[CHORALE_SENT_ON_NODE] > 0)
        return "the library's component sm does not serve the ranks of a node";
    if (a->up && most[CHORALE_SENT_SYNCHRONOUS] < 1)
        return "unproved: no message is sent as the component adapt does";
    return NULL;
}

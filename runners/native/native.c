/* SPDX-License-Identifier: BSD-3-Clause */
/* native.c - the algorithms inside the MPI library, forced through its control
 * variables: see native.h.
 *
 * What MPICH cannot do with the arguments given shall be an error and not
 * another algorithm, and its devices shall not interfere: two more variables,
 * written with each forcing one and restored with it. Open MPI offers no such
 * thing: where its algorithms quietly call others is known by their source, and
 * refused (native_falls.c). */
#include "config.h"

#include "runners/native/native.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI's word that algorithms may be forced: read-only from MPI_Init on,
 * but an environment variable before. Set, and with nothing forced, it changes
 * no choice: tuned still installs its fixed decisions. */
#define ALLOW "coll_tuned_use_dynamic_rules"

/* One variable that we write. */
struct knob {
    MPI_T_cvar_handle handle;
    int open;
    int initial;             /* what it was: the library's default, or what
                              * the user set */
};

struct algorithm {
    char name[CHORALE_NATIVE_NAME];
    int value;               /* of the variable */
    MPI_Comm comm;           /* made while it was forced; Open MPI only */
};

struct chorale_native {
    struct knob knob[CHORALE_NCOLL];
    struct algorithm *algorithm[CHORALE_NCOLL];
    int count[CHORALE_NCOLL];
    struct knob device, fallback; /* MPICH */
    int no_device, fail;     /* their values */
    int silent;              /* and that for one that calls its own collective
                              * on nodes, where it does not apply; -1: none */
    int by_comm;             /* Open MPI's way */
};

/* A variable as MPI_T describes it. */
struct variable {
    int index, scope;
    MPI_Datatype type;
    MPI_T_enum items;
    char *text;              /* to be freed */
};

void chorale_native_allow(void)
{
    setenv("OMPI_MCA_" ALLOW, "1", 0);
}

/* --- variables -------------------------------------------------------- */

/* 0, or -1: the library has no such variable. */
static int describe(const char *name, struct variable *var)
{
    int room = 0, verbosity, bind;

    var->text = NULL;
    var->items = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_index(name, &var->index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(var->index, NULL, NULL, &verbosity, &var->type,
                            &var->items, NULL, &room, &bind,
                            &var->scope) != MPI_SUCCESS || room < 1)
        return -1;
    var->text = calloc((size_t)room + 1, 1);
    if (var->text == NULL)
        return -1;
    return MPI_T_cvar_get_info(var->index, NULL, NULL, &verbosity, &var->type,
                               &var->items, var->text, &room, &bind,
                               &var->scope) == MPI_SUCCESS ? 0 : -1;
}

/* To write an int. 0, or -1: it may only be read, or is no int. */
static int open_knob(const struct variable *var, struct knob *knob)
{
    int count = 0;

    if (var->type != MPI_INT || var->scope == MPI_T_SCOPE_CONSTANT ||
        var->scope == MPI_T_SCOPE_READONLY ||
        MPI_T_cvar_handle_alloc(var->index, NULL, &knob->handle, &count) !=
            MPI_SUCCESS)
        return -1;
    knob->open = 1;
    return count == 1 && MPI_T_cvar_read(knob->handle, &knob->initial) ==
                             MPI_SUCCESS ? 0 : -1;
}

static void close_knob(struct knob *knob)
{
    if (knob->open)
        MPI_T_cvar_handle_free(&knob->handle);
    knob->open = 0;
}

/* Value of a variable that stands for a word of its text; -1: none. */
static int word_value(const char *text, const char *word)
{
    static const struct chorale_native_words none;
    char name[CHORALE_NATIVE_NAME];
    size_t length = strlen(word), n;

    for (int i = 0; chorale_native_name(&none, text, i, name); i++) {
        n = strlen(name);
        if (n >= length && strcmp(name + n - length, word) == 0)
            return i;
    }
    return -1;
}

static int open_switch(const char *name, const char *word, struct knob *knob,
                       int *value)
{
    struct variable var;
    int rc = describe(name, &var);

    if (rc == 0)
        *value = word_value(var.text, word);
    if (rc == 0 && *value >= 0)
        rc = open_knob(&var, knob);
    else
        rc = -1;
    free(var.text);
    return rc;
}

/* --- what there is ---------------------------------------------------- */

static void mpich_variable(enum chorale_coll coll, const char *prefix,
                           char name[96])
{
    snprintf(name, 96, "MPIR_CVAR_%s%s_INTRA_ALGORITHM", prefix,
             chorale_coll_info(coll)->name);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
}

/* A name that a database and a command line can carry, and not the library's
 * own choice. */
static int usable(const char *name)
{
    return name[0] != '\0' && strcmp(name, "auto") != 0 &&
           strcmp(name, "ignore") != 0 &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+")] ==
               '\0';
}

static int append(struct chorale_native *native, enum chorale_coll coll,
                  const char *name, int value)
{
    struct algorithm *grown;

    if (!usable(name) || chorale_native_find(native, coll, name) >= 0)
        return 0;
    grown = realloc(native->algorithm[coll],
                    ((size_t)native->count[coll] + 1) * sizeof(*grown));
    if (grown == NULL)
        return -1;
    native->algorithm[coll] = grown;
    grown += native->count[coll]++;
    memset(grown, 0, sizeof(*grown));
    strncpy(grown->name, name, sizeof(grown->name) - 1);
    grown->value = value;
    grown->comm = MPI_COMM_NULL;
    return 0;
}

/* Where the variable has an enumeration, that says it. */
static int list_items(struct chorale_native *native, enum chorale_coll coll,
                      const struct variable *var)
{
    int count = 0, room = 0, rc = 0;

    if (MPI_T_enum_get_info(var->items, &count, NULL, &room) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < count && rc == 0; i++) {
        char name[CHORALE_NATIVE_NAME] = "";
        int value = 0, size = sizeof(name);

        if (MPI_T_enum_get_item(var->items, i, &value, name, &size) ==
            MPI_SUCCESS)
            rc = append(native, coll, name, value);
    }
    return rc;
}

static int list_text(struct chorale_native *native, enum chorale_coll coll,
                     const struct variable *var,
                     const struct chorale_native_words *words)
{
    char name[CHORALE_NATIVE_NAME];
    int rc = 0;

    for (int i = 0; rc == 0 && chorale_native_name(words, var->text, i, name);
         i++)
        rc = append(native, coll, name, i);
    return rc;
}

/* The collective's variable, if the library has it and lets it be written. */
static int list(struct chorale_native *native, enum chorale_coll coll,
                const char *name, const struct chorale_native_words *words)
{
    struct variable var;
    int rc = 0;

    if (describe(name, &var) == 0 &&
        open_knob(&var, &native->knob[coll]) == 0)
        rc = var.items != MPI_T_ENUM_NULL
                 ? list_items(native, coll, &var)
                 : list_text(native, coll, &var, words);
    free(var.text);
    return rc;
}

/* Words from the texts of all collectives, the nonblocking ones' too. */
static int learn(struct chorale_native_words *words)
{
    static const char *const prefixes[] = { "", "I" };
    struct variable var;
    char name[96];
    int rc = 0;

    for (int c = 0; c < CHORALE_NCOLL && rc == 0; c++)
        for (int p = 0; p < 2 && rc == 0; p++) {
            mpich_variable((enum chorale_coll)c, prefixes[p], name);
            if (describe(name, &var) == 0)
                rc = chorale_native_learn(words, var.text);
            free(var.text);
        }
    return rc;
}

static int find_mpich(struct chorale_native *native)
{
    struct chorale_native_words words = { NULL, 0 };
    struct variable var;
    char name[96];
    int rc;

    if (open_switch("MPIR_CVAR_COLLECTIVE_FALLBACK", "error",
                    &native->fallback, &native->fail) != 0)
        return 0; /* an algorithm could not be told from another */
    if (describe("MPIR_CVAR_COLLECTIVE_FALLBACK", &var) == 0)
        native->silent = word_value(var.text, "silent");
    free(var.text);
    if (open_switch("MPIR_CVAR_DEVICE_COLLECTIVES", "none", &native->device,
                    &native->no_device) != 0)
        close_knob(&native->device);
    rc = learn(&words);
    for (int c = 0; c < CHORALE_NCOLL && rc == 0; c++) {
        mpich_variable((enum chorale_coll)c, "", name);
        rc = list(native, (enum chorale_coll)c, name, &words);
    }
    free(words.word);
    return rc;
}

static int find_openmpi(struct chorale_native *native)
{
    char name[96];
    int rc = 0;

    native->by_comm = 1;
    for (int c = 0; c < CHORALE_NCOLL && rc == 0; c++) {
        snprintf(name, sizeof(name), "coll_tuned_%s_algorithm",
                 chorale_coll_info((enum chorale_coll)c)->name);
        rc = list(native, (enum chorale_coll)c, name, NULL);
    }
    return rc;
}

static int any(const struct chorale_native *native)
{
    int n = 0;

    for (int c = 0; c < CHORALE_NCOLL; c++)
        n += native->count[c];
    return n > 0;
}

struct chorale_native *chorale_native_open(const char *part)
{
    struct chorale_native *native;
    int provided, rc;

    (void)part; /* a launch may force one after the other */
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return NULL;
    native = calloc(1, sizeof(*native));
    rc = native != NULL ? find_mpich(native) : -1;
    if (rc == 0 && !any(native))
        rc = find_openmpi(native);
    if (rc == 0 && any(native))
        return native;
    if (native != NULL)
        chorale_native_close(native);
    else
        MPI_T_finalize();
    return NULL;
}

void chorale_native_close(struct chorale_native *native)
{
    if (native == NULL)
        return;
    for (int c = 0; c < CHORALE_NCOLL; c++) {
        for (int i = 0; i < native->count[c]; i++)
            if (native->algorithm[c][i].comm != MPI_COMM_NULL)
                PMPI_Comm_free(&native->algorithm[c][i].comm);
        free(native->algorithm[c]);
        close_knob(&native->knob[c]);
    }
    close_knob(&native->device);
    close_knob(&native->fallback);
    free(native);
    MPI_T_finalize();
}

int chorale_native_print(const struct chorale_native *native, FILE *out)
{
    int n = 0;

    for (int c = 0; native != NULL && c < CHORALE_NCOLL; c++)
        for (int i = 0; i < native->count[c]; i++, n++)
            fprintf(out, "%s %s\n",
                    chorale_coll_info((enum chorale_coll)c)->name,
                    native->algorithm[c][i].name);
    return n;
}

int chorale_native_find(const struct chorale_native *native,
                        enum chorale_coll coll, const char *name)
{
    for (int i = 0; native != NULL && i < native->count[coll]; i++)
        if (strcmp(native->algorithm[coll][i].name, name) == 0)
            return i;
    return -1;
}

/* --- forcing ---------------------------------------------------------- */

/* Value of a variable, as it is stored; zeros: there is none. */
static void read_variable(const char *name, unsigned char value[16])
{
    MPI_T_cvar_handle handle;
    struct variable var;
    int count;

    memset(value, 0, 16);
    if (describe(name, &var) == 0 &&
        MPI_T_cvar_handle_alloc(var.index, NULL, &handle, &count) ==
            MPI_SUCCESS) {
        if (count != 1 || MPI_T_cvar_read(handle, value) != MPI_SUCCESS)
            memset(value, 0, 16);
        MPI_T_cvar_handle_free(&handle);
    }
    free(var.text);
}

static int allowed(void)
{
    unsigned char value[16]; /* a bool, in one version an int */

    read_variable(ALLOW, value);
    return value[0] != 0;
}

static size_t segment_size(enum chorale_coll coll)
{
    unsigned char value[16];
    char name[96];
    int bytes;

    snprintf(name, sizeof(name), "coll_tuned_%s_algorithm_segmentsize",
             chorale_coll_info(coll)->name);
    read_variable(name, value);
    memcpy(&bytes, value, sizeof(bytes));
    return bytes > 0 ? (size_t)bytes : 0;
}

const char *chorale_native_refuses(const struct chorale_native *native,
                                   enum chorale_coll coll, int place,
                                   const struct chorale_native_point *pt)
{
    struct chorale_native_point at = *pt;

    if (native == NULL || place < 0)
        return "the library has no algorithm of this name";
    if (pt->size < 2)
        return "the library's algorithms take two processes or more";
    if (!native->by_comm) /* of the rest MPICH says so itself, in an error */
        return !chorale_native_levelled(native, coll, place) ? NULL
               : !pt->levels
                   ? "smp: to the library all processes are on one node, or "
                     "each is on one of its own"
               : coll == CHORALE_SCAN && !pt->in_blocks
                   ? "smp: the processes of a node are no neighbours in rank"
                   : NULL;
    at.segsize = segment_size(coll);
    return chorale_native_falls(coll, native->algorithm[coll][place].name,
                                &at);
}

int chorale_native_levelled(const struct chorale_native *native,
                            enum chorale_coll coll, int place)
{
    return !native->by_comm &&
           strcmp(native->algorithm[coll][place].name, "smp") == 0;
}

int chorale_native_wanting(const struct chorale_native *native,
                           enum chorale_coll coll, int place)
{
    return native->by_comm &&
           native->algorithm[coll][place].comm == MPI_COMM_NULL;
}

int chorale_native_prepare(struct chorale_native *native,
                           enum chorale_coll coll, int place)
{
    return allowed() && MPI_T_cvar_write(native->knob[coll].handle,
                                         &native->algorithm[coll][place]
                                              .value) == MPI_SUCCESS
               ? 0
               : -1;
}

int chorale_native_make(struct chorale_native *native, enum chorale_coll coll,
                        int place, int all_could, MPI_Comm lib)
{
    struct knob *knob = &native->knob[coll];
    MPI_Comm *comm = &native->algorithm[coll][place].comm;
    int rc = all_could ? PMPI_Comm_dup(lib, comm) : MPI_SUCCESS;

    if (rc == MPI_SUCCESS && all_could)
        rc = PMPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    MPI_T_cvar_write(knob->handle, &knob->initial);
    return rc;
}

void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place)
{
    if (native == NULL || native->by_comm)
        return;
    if (chorale_native_levelled(native, coll, place) && native->silent >= 0)
        MPI_T_cvar_write(native->fallback.handle, &native->silent);
    else
        MPI_T_cvar_write(native->fallback.handle, &native->fail);
    if (native->device.open)
        MPI_T_cvar_write(native->device.handle, &native->no_device);
    MPI_T_cvar_write(native->knob[coll].handle,
                     &native->algorithm[coll][place].value);
}

void chorale_native_end(struct chorale_native *native, enum chorale_coll coll)
{
    if (native == NULL || native->by_comm)
        return;
    MPI_T_cvar_write(native->knob[coll].handle, &native->knob[coll].initial);
    if (native->device.open)
        MPI_T_cvar_write(native->device.handle, &native->device.initial);
    MPI_T_cvar_write(native->fallback.handle, &native->fallback.initial);
}

MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib)
{
    return native != NULL && native->by_comm
               ? native->algorithm[coll][place].comm
               : lib;
}

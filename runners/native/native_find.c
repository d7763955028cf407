/* SPDX-License-Identifier: BSD-3-Clause */
/* native_find.c - find the algorithms that can be forced inside the MPI
 * library, and their parameters, by its control variables. */
#include "config.h"

#include "runners/native/native.h"
#include "runners/native/native_found.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void mpich_variable(enum chorale_coll coll, const char *prefix,
                           char name[96])
{
    snprintf(name, 96, "MPIR_CVAR_%s%s_INTRA_ALGORITHM", prefix,
             chorale_coll_info(coll)->name);
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
}

/* 1 for a name that is valid in a database and on a command line, and is not
 * the library's own automatic choice. */
static int usable(const char *name)
{
    return name[0] != '\0' && strcmp(name, "auto") != 0 &&
           strcmp(name, "ignore") != 0 &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+")] ==
               '\0';
}

static int push(struct chorale_native *native, enum chorale_coll coll,
                const struct chorale_native_algorithm *a)
{
    struct chorale_native_algorithm *grown =
        realloc(native->algorithm[coll],
                ((size_t)native->count[coll] + 1) * sizeof(*grown));

    if (grown == NULL)
        return -1;
    native->algorithm[coll] = grown;
    grown[native->count[coll]++] = *a;
    return 0;
}

static int append(struct chorale_native *native, enum chorale_coll coll,
                  const char *name, int value, int han)
{
    struct chorale_native_algorithm a = { .value = value, .han = han,
                           .comm = MPI_COMM_NULL };

    if (!usable(name) || chorale_native_find(native, coll, name) >= 0)
        return 0;
    strncpy(a.name, name, sizeof(a.name) - 1);
    return push(native, coll, &a);
}

/* List algorithms from the enumeration of the variable, if it has one. */
static int list_items(struct chorale_native *native, enum chorale_coll coll,
                      const struct chorale_variable *var)
{
    int count = 0, room = 0, rc = 0;

    if (MPI_T_enum_get_info(var->items, &count, NULL, &room) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < count && rc == 0; i++) {
        char name[CHORALE_NATIVE_NAME] = "";
        int value = 0, size = sizeof(name);

        if (MPI_T_enum_get_item(var->items, i, &value, name, &size) ==
            MPI_SUCCESS)
            rc = append(native, coll, name, value, 0);
    }
    return rc;
}

/* List the algorithms of han as han_NAME. Not its default, which the library
 * measures; nor `reproducible`, which passes calls on to another component. */
static int list_han(struct chorale_native *native, enum chorale_coll coll)
{
    struct chorale_variable var;
    char name[96], item[CHORALE_NATIVE_NAME - 4], full[CHORALE_NATIVE_NAME];
    int count = 0, room = 0, rc = 0;

    snprintf(name, sizeof(name), "coll_han_use_%s_algorithm",
             chorale_coll_info(coll)->name);
    if (chorale_variable_describe(name, &var) != 0 ||
        chorale_knob_open(&var, &native->han[coll]) != 0 ||
        var.items == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(var.items, &count, NULL, &room) != MPI_SUCCESS)
        count = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        int value = 0, size = sizeof(item);

        if (MPI_T_enum_get_item(var.items, i, &value, item, &size) !=
                MPI_SUCCESS ||
            value == 0 || strcmp(item, "reproducible") == 0)
            continue;
        snprintf(full, sizeof(full), "han_%s", item);
        rc = append(native, coll, full, value, 1);
    }
    free(var.text);
    return rc;
}

static int list_text(struct chorale_native *native, enum chorale_coll coll,
                     const struct chorale_variable *var,
                     const struct chorale_native_words *words)
{
    char name[CHORALE_NATIVE_NAME];
    int rc = 0;

    for (int i = 0; rc == 0 && chorale_native_name(words, var->text, i, name);
         i++)
        rc = append(native, coll, name, i, 0);
    return rc;
}

/* List the algorithms of a collective, if its variable exists and is
 * writable. */
static int list(struct chorale_native *native, enum chorale_coll coll,
                const char *name, const struct chorale_native_words *words)
{
    struct chorale_variable var;
    int rc = 0;

    if (chorale_variable_describe(name, &var) == 0 &&
        chorale_knob_open(&var, &native->knob[coll]) == 0)
        rc = var.items != MPI_T_ENUM_NULL
                 ? list_items(native, coll, &var)
                 : list_text(native, coll, &var, words);
    free(var.text);
    return rc;
}

/* Collect names from the variables of all collectives, also nonblocking
 * ones. */
static int learn(struct chorale_native_words *words)
{
    static const char *const prefixes[] = { "", "I" };
    struct chorale_variable var;
    char name[96];
    int rc = 0;

    for (int c = 0; c < CHORALE_NCOLL && rc == 0; c++)
        for (int p = 0; p < 2 && rc == 0; p++) {
            mpich_variable((enum chorale_coll)c, prefixes[p], name);
            if (chorale_variable_describe(name, &var) == 0)
                rc = chorale_native_words_add(words, var.text);
            free(var.text);
        }
    return rc;
}

static int find_mpich(struct chorale_native *native)
{
    struct chorale_native_words words = { NULL, 0 };
    struct chorale_variable var;
    char name[96];
    int rc;

    if (chorale_knob_open_word("MPIR_CVAR_COLLECTIVE_FALLBACK", "error",
                               &native->fallback, &native->fail) != 0)
        return 0; /* a silent fallback could not be detected */
    if (chorale_variable_describe("MPIR_CVAR_COLLECTIVE_FALLBACK", &var) == 0)
        native->silent = chorale_variable_word(var.text, "silent");
    free(var.text);
    if (chorale_knob_open_word("MPIR_CVAR_DEVICE_COLLECTIVES", "none",
                               &native->device, &native->no_device) != 0)
        chorale_knob_close(&native->device);
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
    native->overruled =
        chorale_variable_is_set("coll_tuned_dynamic_rules_filename");
    for (int c = 0; c < CHORALE_NCOLL && rc == 0; c++) {
        snprintf(name, sizeof(name), "coll_tuned_%s_algorithm",
                 chorale_coll_info((enum chorale_coll)c)->name);
        rc = list(native, (enum chorale_coll)c, name, NULL);
        if (rc == 0 &&
            !chorale_variable_is_set("coll_han_dynamic_rules_filename"))
            rc = list_han(native, (enum chorale_coll)c);
    }
    return rc;
}

/* List an algorithm once more, with a value of a parameter that is not the
 * library's present one. */
static int append_setting(struct chorale_native *native,
                          const struct chorale_native_param *p, int base,
                          const struct chorale_variable *var, int value)
{
    struct chorale_native_algorithm a = native->algorithm[p->coll][base];

    if (snprintf(a.name, sizeof(a.name), "%s:%s=%d", p->algorithm, p->name,
                 value) >= (int)sizeof(a.name) ||
        chorale_knob_open(var, &a.param) != 0 || a.param.initial == value) {
        chorale_knob_close(&a.param);
        return 0;
    }
    a.setting = value;
    a.segsize = strcmp(p->name, "segsize") == 0 ? (size_t)value : 0;
    if (push(native, p->coll, &a) == 0)
        return 0;
    chorale_knob_close(&a.param);
    return -1;
}

static int find_params(struct chorale_native *native)
{
    const struct chorale_native_param *p;
    struct chorale_variable var;
    char name[96];
    int rc = 0;

    for (size_t i = 0;
         rc == 0 && (p = chorale_native_param(i, name)) != NULL; i++) {
        int base = chorale_native_find(native, p->coll, p->algorithm);

        if (base >= 0 && chorale_variable_describe(name, &var) == 0) {
            for (int k = 0; k < 2 && rc == 0; k++)
                rc = append_setting(native, p, base, &var, p->value[k]);
            free(var.text);
        }
    }
    return rc;
}

/* 1 if the default of han is its algorithm han_intra. Open MPI 4.1 cannot force
 * that, but list_han() lists the one of later versions. */
static int han_runs_intra(const char *coll)
{
    unsigned char simple[16];
    char name[96];

    snprintf(name, sizeof(name), "coll_han_use_simple_%s", coll);
    chorale_variable_read(name, simple);
    return simple[0] == 0 &&
           !chorale_variable_is_set("coll_han_dynamic_rules_filename");
}

/* List an algorithm with a value that the library read in MPI_Init. now: the
 * present value. */
static int append_start(struct chorale_native *native,
                        const struct chorale_native_start *p,
                        const char *part, const char *now)
{
    const int han = strncmp(p->algorithm, "han_", 4) == 0;
    int base = chorale_native_find(native, p->coll, p->algorithm);
    struct chorale_native_algorithm a = { .han = 1, .comm = MPI_COMM_NULL };

    if (han ? !han_runs_intra(chorale_coll_info(p->coll)->name) : base < 0)
        return 0;
    if (base >= 0)
        a = native->algorithm[p->coll][base];
    snprintf(a.name, sizeof(a.name), "%s:%s=%s", p->algorithm, p->name,
             p->value);
    snprintf(a.part, sizeof(a.part), "%s", part);
    a.unset = strcmp(now, p->value) != 0;
    a.segsize = strcmp(p->name, "segsize") == 0 ? strtoul(p->value, NULL, 10)
                                                : 0;
    a.up = strcmp(p->name, "up_module") == 0;
    a.low = strcmp(p->name, "low_module") == 0;
    return push(native, p->coll, &a);
}

/* The value that the library has. The MPI_T of MPICH 4 reports the default of a
 * text variable although the library reads it from the environment. */
static int present(const char *name, char *text, size_t size)
{
    const char *set = strncmp(name, "MPIR_CVAR_", 10) == 0 ? getenv(name)
                                                           : NULL;

    if (set == NULL)
        return chorale_variable_text(name, text, size);
    return snprintf(text, size, "%s", set) < (int)size ? 0 : -1;
}

/* own: the launch's part. Without one, the library's values are left out. */
static int find_starts(struct chorale_native *native, const char *own)
{
    static const char mca[] = "OMPI_MCA_";
    const struct chorale_native_start *p;
    struct chorale_variable var;
    char part[96], name[96], now[64];
    int rc = 0;

    for (size_t i = 0;
         rc == 0 && (p = chorale_native_start(i, part)) != NULL; i++) {
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(part, "="), part);
        if (strncmp(name, mca, strlen(mca)) == 0)
            memmove(name, name + strlen(mca), strlen(name + strlen(mca)) + 1);
        if (chorale_variable_describe(name, &var) == 0 &&
            strstr(var.text, p->told) != NULL &&
            present(name, now, sizeof(now)) == 0 &&
            (own[0] != '\0' || strcmp(now, p->value) != 0))
            rc = append_start(native, p, part, now);
        free(var.text);
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

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return NULL;
    native = calloc(1, sizeof(*native));
    if (native != NULL) {
        native->han_comm = MPI_COMM_NULL;
        native->node = MPI_GROUP_NULL;
    }
    rc = native != NULL ? find_mpich(native) : -1;
    if (rc == 0 && !any(native))
        rc = find_openmpi(native);
    if (rc == 0)
        rc = find_params(native);
    if (rc == 0)
        rc = find_starts(native, part);
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
        for (int i = 0; i < native->count[c]; i++) {
            if (native->algorithm[c][i].comm != MPI_COMM_NULL)
                PMPI_Comm_free(&native->algorithm[c][i].comm);
            chorale_knob_close(&native->algorithm[c][i].param);
        }
        free(native->algorithm[c]);
        chorale_knob_close(&native->knob[c]);
        chorale_knob_close(&native->han[c]);
    }
    if (native->han_comm != MPI_COMM_NULL)
        PMPI_Comm_free(&native->han_comm);
    if (native->node != MPI_GROUP_NULL)
        PMPI_Group_free(&native->node);
    chorale_knob_close(&native->device);
    chorale_knob_close(&native->fallback);
    free(native);
    MPI_T_finalize();
}

int chorale_native_print(const struct chorale_native *native, FILE *out)
{
    int n = 0;

    for (int c = 0; native != NULL && c < CHORALE_NCOLL; c++)
        for (int i = 0; i < native->count[c]; i++, n++) {
            const char *name = native->algorithm[c][i].name;
            const size_t length = strcspn(name, ":");

            fprintf(out, "%s %.*s%s%s%s%s\n",
                    chorale_coll_info((enum chorale_coll)c)->name, (int)length,
                    name, name[length] != '\0' ? " " : "",
                    name + length + (name[length] != '\0'),
                    native->algorithm[c][i].part[0] != '\0' ? " " : "",
                    native->algorithm[c][i].part);
        }
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

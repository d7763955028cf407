/* SPDX-License-Identifier: BSD-3-Clause */
/* native_algs.c - the names of the MPI library's, or SimGrid's, algorithms. */
#include "config.h"

#include "tuner/plan/native_algs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tuner/run/runner_query.h"
#include "tuner/run/smpi.h"
#include "tuner/base/units.h"

#define TEXT (64 << 10)

/* Parse a line "collective name", "collective name parameter=value" or
 * "collective name parameter=value part"; other lines are ignored. */
static int read_line(const char *line, struct chorale_natives *natives)
{
    struct chorale_native_name *grown, row;
    char coll[32];
    int found;

    row.params[0] = row.part[0] = '\0';
    if (sscanf(line, "%31s %63s %31s %95s", coll, row.name, row.params,
               row.part) < 2 ||
        (found = chorale_coll_find(coll)) < 0)
        return 0;
    row.coll = (enum chorale_coll)found;
    grown = realloc(natives->row,
                    ((size_t)natives->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return -1;
    natives->row = grown;
    natives->row[natives->count++] = row;
    return 0;
}

enum chorale_err chorale_natives_load(struct chorale_natives *natives,
                                      struct chorale_errmsg *msg)
{
    char *text = malloc(TEXT), *save = NULL;
    enum chorale_err err;
    int bad = 0;

    natives->row = NULL;
    natives->count = 0;
    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    err = chorale_runner_query("--natives", NULL, text, TEXT, msg);
    for (char *line = err == CHORALE_OK ? strtok_r(text, "\n", &save) : NULL;
         line != NULL && !bad; line = strtok_r(NULL, "\n", &save))
        bad = read_line(line, natives);
    free(text);
    if (bad)
        err = chorale_fail_memory(msg, NULL);
    if (err != CHORALE_OK)
        chorale_natives_free(natives);
    return err;
}

/* Parse names after "Valid algorithms: ", separated by ", ", up to a full stop.
 * A sentence for people follows since SimGrid 4. */
static int read_valid(char *list, enum chorale_coll coll,
                      struct chorale_natives *natives)
{
    char *save = NULL, line[128];
    int bad = 0;

    list[strcspn(list, ".\n")] = '\0';
    for (char *word = strtok_r(list, ", ", &save); word != NULL && !bad;
         word = strtok_r(NULL, ", ", &save)) {
        if (chorale_spec_listed("mpich,ompi,mvapich2,impi,automatic", word))
            continue;
        snprintf(line, sizeof(line), "%s %.63s",
                 chorale_coll_info(coll)->name, word);
        bad = read_line(line, natives);
    }
    return bad;
}

/* Get the algorithms of a collective from SimGrid. For an unknown name it
 * prints the valid ones, or reports an unknown key if only one exists. In both
 * cases it calls abort(); core files are disabled for that. */
static enum chorale_err ask_simgrid(struct chorale_natives *natives,
                                    enum chorale_coll coll, char *text,
                                    struct chorale_errmsg *msg)
{
    static const char valid[] = "Valid algorithms: ", key[] = "config key";
    struct rlimit core, none;
    char *list;
    enum chorale_err err;

    getrlimit(RLIMIT_CORE, &core);
    none = core;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &none);
    err = chorale_sim_complaint(chorale_coll_info(coll)->name, text, TEXT,
                                msg);
    setrlimit(RLIMIT_CORE, &core);
    if (err != CHORALE_OK || strstr(text, key) != NULL)
        return err;
    list = strstr(text, valid);
    if (list == NULL)
        return chorale_fail(msg, CHORALE_ENV, "SimGrid does not say which "
                            "algorithms of %s it has, but: %.200s; install "
                            "SimGrid 3.32 or newer",
                            chorale_coll_info(coll)->name, text);
    if (read_valid(list + strlen(valid), coll, natives))
        return chorale_fail_memory(msg, NULL);
    return CHORALE_OK;
}

enum chorale_err chorale_natives_simulated(struct chorale_natives *natives,
                                           const char *collectives,
                                           struct chorale_errmsg *msg)
{
    char *text = malloc(TEXT);
    enum chorale_err err = CHORALE_OK;

    natives->row = NULL;
    natives->count = 0;
    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    for (int c = 0; c < CHORALE_NCOLL && err == CHORALE_OK; c++)
        if (chorale_spec_listed(collectives,
                                chorale_coll_info((enum chorale_coll)c)->name))
            err = ask_simgrid(natives, (enum chorale_coll)c, text, msg);
    free(text);
    if (err != CHORALE_OK)
        chorale_natives_free(natives);
    return err;
}

void chorale_natives_free(struct chorale_natives *natives)
{
    free(natives->row);
    natives->row = NULL;
    natives->count = 0;
}

int chorale_native_is(const struct chorale_native_name *native,
                      const char *word)
{
    char full[128];

    snprintf(full, sizeof(full), "%s:%s",
             chorale_coll_info(native->coll)->name, native->name);
    return strcmp(word, native->name) == 0 || strcmp(word, full) == 0;
}

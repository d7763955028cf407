/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_messages.c - pass on notes of the runner, store command lines. */
#include "config.h"

#include "tuner/run/runner_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CHORALE_NOTE of runners/measure/runner.h. */
#define NOTE "chorale-runner: note: "

int chorale_notes_pass(struct chorale_notes *notes,
                       struct chorale_progress *bar, const char *line)
{
    const char *text = line + strlen(NOTE);
    char **grown, *copy;

    if (strncmp(line, NOTE, strlen(NOTE)) != 0)
        return 0;
    for (int i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return 1;
    chorale_progress_clear(bar);
    fprintf(stderr, "chorale: %s\n", text);
    copy = strdup(text);
    grown = realloc(notes->text,
                    ((size_t)notes->count + 1) * sizeof(*grown));
    if (grown != NULL)
        notes->text = grown;
    if (grown != NULL && copy != NULL)
        notes->text[notes->count++] = copy;
    else
        free(copy); /* the note may then be printed again */
    return 1;
}

void chorale_notes_release(struct chorale_notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        free(notes->text[i]);
    free(notes->text);
    *notes = (struct chorale_notes){ NULL, 0 };
}

static enum chorale_err put(struct chorale_store *store, const char *uuid,
                            const char *key, const char *value,
                            struct chorale_errmsg *msg)
{

    return chorale_store_run(
        store, "INSERT OR REPLACE INTO environment"
        " SELECT launch_id, ?2, ?3 FROM launch WHERE uuid = ?1",
        CHORALE_FIELDS(uuid, key, value), msg);
}

enum chorale_err chorale_launch_commands(struct chorale_store *store,
                                         const char *uuid,
                                         const char *command,
                                         const struct chorale_args *args,
                                         const char *request,
                                         struct chorale_errmsg *msg)
{
    char text[2048] = "";
    size_t len = 0;
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; i < args->count && len < sizeof(text); i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                                i > 0 ? " " : "", args->word[i]);
    if (command != NULL) {
        char ours[1100];

        snprintf(ours, sizeof(ours), "chorale %.1080s", command);
        err = put(store, uuid, "run_command", ours, msg);
    }
    if (err == CHORALE_OK)
        err = put(store, uuid, "launcher_command", text, msg);
    if (err == CHORALE_OK)
        err = put(store, uuid, "binding_request", request, msg);
    return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c - runs Slurm's programs. */
#include "config.h"

#include "tuner/slurm/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MAX (8 << 20)
#define REMEDY "submit on a login node that has Slurm's programs"

enum chorale_err chorale_slurm_run(const struct chorale_args *args,
                                   char **text_p, struct chorale_errmsg *msg)
{
    char *text = calloc(1, ANSWER_MAX);
    size_t name = strlen(args->word[0]);
    int status = 0;
    enum chorale_err err;

    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    err = chorale_capture(args, REMEDY, text, ANSWER_MAX, &status, msg);
    if (err == CHORALE_OK && status != 0) {
        /* Slurm's messages begin with the program's name. */
        const char *said = strncmp(text, args->word[0], name) == 0 &&
                                   strncmp(text + name, ": ", 2) == 0
                               ? text + name + 2
                               : text;

        err = chorale_fail(msg, CHORALE_ENV, "%s: %.*s; repair its cause, or "
                           "try again where Slurm answers", args->word[0],
                           (int)strcspn(said, "\n"),
                           said[0] != '\0' ? said : "failed");
    }
    if (err != CHORALE_OK) {
        free(text);
        return err;
    }
    *text_p = text;
    return CHORALE_OK;
}

/* Copy the value of a line "Key   = value" to value[size]. */
static int config_value(const char *text, const char *key, char *value,
                        size_t size)
{
    size_t length = strlen(key);

    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, key, length) == 0 &&
            text[length + strspn(text + length, " ")] == '=') {
            text = strchr(text, '=') + 1;
            text += strspn(text, " ");
            snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
            return 1;
        }
    return 0;
}

enum chorale_err chorale_slurm_config(struct chorale_slurm *slurm,
                                      struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char *text = NULL, value[256] = "";
    enum chorale_err err;

    memset(slurm, 0, sizeof(*slurm));
    chorale_args_add(&args, "scontrol");
    chorale_args_add(&args, "show");
    chorale_args_add(&args, "config");
    err = chorale_slurm_run(&args, &text, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        return err;
    if (config_value(text, "MaxArraySize", value, sizeof(value)))
        slurm->max_array = strtol(value, NULL, 10);
    if (config_value(text, "KillWait", value, sizeof(value)))
        slurm->kill_seconds = strtod(value, NULL); /* "30 sec" */
    if (config_value(text, "TaskPlugin", value, sizeof(value)))
        slurm->binds = strstr(value, "affinity") != NULL ||
                       strstr(value, "cgroup") != NULL;
    if (!config_value(text, "ClusterName", slurm->cluster,
                      sizeof(slurm->cluster)) ||
        slurm->max_array < 2)
        err = chorale_fail(msg, CHORALE_ENV, "scontrol show config: no "
                           "ClusterName, or MaxArraySize %ld, so no job "
                           "arrays; use `chorale tune` inside an "
                           "allocation", slurm->max_array);
    free(text);
    return err;
}

/* Remove variables by which sbatch and the job's srun would override the
 * script: the submitter's SBATCH_ variables, and those of a surrounding job.
 * Variables that locate Slurm or authenticate the user stay. */
static void forget_variables(void)
{
    static const char *const kept[] = { "SLURM_CONF", "SLURM_CLUSTERS",
                                        "SLURM_JWT" };
    size_t i = 0;

    while (environ[i] != NULL) {
        const char *at = environ[i];
        int forget = strncmp(at, "SBATCH_", 7) == 0 ||
                     strncmp(at, "SLURM_", 6) == 0;
        char name[256];

        for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++)
            forget &= strncmp(at, kept[k], strlen(kept[k])) != 0;
        if (!forget ||
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "="), at) >=
                (int)sizeof(name) ||
            unsetenv(name) != 0)
            i++; /* a removed one is replaced by the next */
    }
}

enum chorale_err chorale_slurm_submit(const struct chorale_args *words,
                                      char job_id[32],
                                      struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char *text = NULL;
    size_t digits;
    enum chorale_err err;

    forget_variables();
    chorale_args_add(&args, "sbatch");
    chorale_args_add(&args, "--parsable");
    for (int i = 0; i < words->count; i++)
        chorale_args_add(&args, "%s", words->word[i]);
    err = chorale_slurm_run(&args, &text, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        return err;
    digits = strspn(text, "0123456789"); /* or ID;CLUSTER */
    if (digits == 0 || digits > 20)
        err = chorale_fail(msg, CHORALE_ENV, "sbatch says '%.*s' instead of a "
                           "job's number; name Slurm's own sbatch first in "
                           "PATH", (int)strcspn(text, "\n"), text);
    else
        snprintf(job_id, 32, "%.*s", (int)digits, text);
    free(text);
    return err;
}

enum chorale_err chorale_slurm_requeue(const char *job_id,
                                       struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char *text = NULL;
    enum chorale_err err;

    chorale_args_add(&args, "scontrol");
    chorale_args_add(&args, "requeue");
    chorale_args_add(&args, "%s", job_id);
    err = chorale_slurm_run(&args, &text, msg);
    chorale_args_free(&args);
    free(text);
    return err;
}

void chorale_slurm_cancel(const char *job_id)
{
    struct chorale_args args = { .count = 0 };
    struct chorale_errmsg msg;
    char *text = NULL;

    chorale_args_add(&args, "scancel");
    chorale_args_add(&args, "%s", job_id);
    if (chorale_slurm_run(&args, &text, &msg) != CHORALE_OK)
        fprintf(stderr, "chorale: job %s: %s\n", job_id, msg.text);
    chorale_args_free(&args);
    free(text);
}

int chorale_slurm_held(const char *state)
{
    return strstr(state, "held") != NULL || strstr(state, "Held") != NULL;
}

char *chorale_slurm_sacct(const char *jobs)
{
    struct chorale_args args = { .count = 0 };
    struct chorale_errmsg why;
    char *text = NULL;

    if (jobs[0] != '\0' && chorale_in_path("sacct")) {
        chorale_args_add(&args, "sacct");
        chorale_args_add(&args, "--noheader");
        chorale_args_add(&args, "--parsable2");
        chorale_args_add(&args, "--allocations");
        chorale_args_add(&args, "--format=JobID,State,ExitCode");
        chorale_args_add(&args, "--jobs=%s", jobs);
        if (chorale_slurm_run(&args, &text, &why) != CHORALE_OK)
            text = NULL; /* accounting is not kept everywhere */
        chorale_args_free(&args);
    }
    return text != NULL ? text : calloc(1, 1);
}

int chorale_slurm_end_state(const char *ended, const char *job, char *text,
                            size_t size)
{
    for (; *ended != '\0';
         ended += strcspn(ended, "\n"), ended += *ended == '\n') {
        char id[64], state[64], code[32] = "";

        if (sscanf(ended, "%63[^|\n]|%63[^|\n]|%31[^|\n]", id, state, code) <
                2 ||
            strcmp(id, job) != 0)
            continue;
        code[strcspn(code, ":")] = '\0'; /* the state names a signal */
        if (code[0] == '\0' || strcmp(code, "0") == 0)
            snprintf(text, size, "%s", state);
        else
            snprintf(text, size, "%s (exit code %s)", state, code);
        return 1;
    }
    return 0;
}

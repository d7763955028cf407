/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.c - the stage `submit`: runs a campaign as batch jobs of Slurm. */
#include "config.h"

#include "tuner/slurm/submit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/systems.h"
#include "tuner/compare/compare_run.h"
#include "tuner/slurm/gather_shards.h"
#include "tuner/run/launcher.h"
#include "tuner/base/output.h"

#define MAX_ARRAY 1001    /* Slurm's default, for a dry run */

/* Load the site file and apply the options that override it. */
static enum chorale_err load_site(struct chorale_submit *s)
{
    const struct chorale_submit_opts *o = s->opts;
    const struct {
        const char *key, *value;
    } word[] = {
        { "partition", o->partition },     { "account", o->account },
        { "qos", o->qos },                 { "reservation", o->reservation },
        { "constraint", o->constraint },   { "switches", o->switches },
        { "launcher", o->plan.launcher },  { "mpi", o->mpi },
        { "shards", o->shards },
        { "exclusive", o->shared ? "no" : NULL },
        { "spread", o->any_nodes ? "no" : NULL },
    };
    struct chorale_errmsg why;
    enum chorale_err err = chorale_site_load(o->site, &s->site, s->msg);

    for (size_t i = 0; err == CHORALE_OK && i < sizeof(word) / sizeof(*word);
         i++) {
        err = chorale_site_set(&s->site, word[i].key, word[i].value, &why);
        if (err != CHORALE_OK)
            chorale_fail(s->msg, err, "--%.900s", why.text);
    }
    /* Slurm would choose one of the partitions for each job. */
    if (err == CHORALE_OK && strchr(s->site.partition, ',') != NULL)
        return chorale_fail(s->msg, CHORALE_USAGE,
                            "--partition %s: several partitions, whose times "
                            "cannot be mixed; submit for each partition",
                            s->site.partition);
    return err;
}

/* The options of the final comparison. */
static struct chorale_comparing comparing(const struct chorale_submit *s)
{
    const struct chorale_submit_opts *o = s->opts;
    struct chorale_comparing cmp = CHORALE_COMPARING_DEFAULTS;

    cmp.base_path = o->compare;
    cmp.head_path = s->path;
    cmp.system = s->system;
    cmp.threshold = o->change;
    cmp.unpaired = o->unpaired;
    if (o->fail_on != NULL)
        cmp.fail_on = o->fail_on;
    return cmp;
}

/* Check the options of the final comparison before anything is submitted. */
static enum chorale_err check_compare(struct chorale_submit *s)
{
    const struct chorale_submit_opts *o = s->opts;
    const struct chorale_comparing cmp = comparing(s);
    struct chorale_store *base = NULL;
    enum chorale_err err;

    if (o->compare == NULL) {
        if (o->fail_on == NULL && o->change < 0 && !o->unpaired)
            return CHORALE_OK;
        return chorale_fail(s->msg, CHORALE_USAGE, "--fail-on, --change and "
                            "--unpaired require --compare; add --compare "
                            "BASE.db");
    }
    if (!o->wait)
        return chorale_fail(s->msg, CHORALE_USAGE, "--compare requires "
                            "--wait, as it compares after the last job; add "
                            "--wait");
    err = chorale_comparing_check(&cmp, s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_open(o->compare, CHORALE_STORE_READ, &base,
                                 s->msg);
    chorale_store_close(base);
    return err;
}

static enum chorale_err check_options(struct chorale_submit *s)
{
    const struct chorale_submit_opts *o = s->opts;

    if (o->plan.adaptive || (o->plan.set != NULL &&
                             strcmp(o->plan.set, "model") == 0))
        return chorale_fail(s->msg, CHORALE_USAGE,
                            "%s: each round needs the results of "
                            "earlier ones; use `chorale tune` inside an "
                            "allocation, or submit a grid",
                            o->plan.adaptive ? "--adaptive" : "--set model");
    if (o->plan.ppn == 0)
        return chorale_fail(s->msg, CHORALE_USAGE,
                            "submit: the ranks a node are unknown; give "
                            "--ppn");
    if (o->seconds < 60)
        return chorale_fail(s->msg, CHORALE_USAGE, "--time %g s: Slurm counts "
                            "whole minutes; give 1m or more", o->seconds);
    return check_compare(s);
}

/* Check that Slurm can bind ranks; else times would show the scheduler. */
static enum chorale_err check_slurm(struct chorale_submit *s)
{
    struct chorale_errmsg why;
    enum chorale_err err = chorale_slurm_config(&s->slurm, &why);

    if (err != CHORALE_OK && !s->opts->dry_run) {
        *s->msg = why;
        return err;
    }
    s->answers = err == CHORALE_OK;
    if (err != CHORALE_OK) {
        fprintf(stderr, "chorale: %s: the scripts assume arrays of %d "
                        "elements and bound ranks\n", why.text,
                MAX_ARRAY - 1);
        snprintf(s->slurm.cluster, sizeof(s->slurm.cluster), "cluster");
        s->slurm.max_array = MAX_ARRAY;
        s->slurm.binds = 1;
    }
    if (!s->slurm.binds && strcmp(s->site.bind, "no") != 0 &&
        strcmp(s->site.launcher, "mpiexec") != 0)
        return chorale_fail(s->msg, CHORALE_ENV,
                            "srun: cannot bind ranks to cores (TaskPlugin is "
                            "neither affinity nor cgroup); use --launcher "
                            "mpiexec, or bind = no in the site file");
    return CHORALE_OK;
}

/* Find the paths; they are written into scripts unquoted. */
static enum chorale_err find_paths(struct chorale_submit *s, const char *path)
{
    const char *name = strrchr(path, '/');
    char dir[PATH_MAX], whole[PATH_MAX];
    ssize_t len;

    snprintf(dir, sizeof(dir), "%.*s",
             name == NULL ? 1 : name == path ? 1 : (int)(name - path),
             name == NULL ? "." : path);
    name = name != NULL ? name + 1 : path;
    if (realpath(dir, whole) == NULL)
        return chorale_fail(s->msg, CHORALE_ENV, "%s: %s; name a database "
                            "in an existing folder", dir,
                            strerror(errno));
    if (snprintf(s->path, sizeof(s->path), "%s/%s", whole, name) >=
        (int)sizeof(s->path) - 64)
        return chorale_fail_long(s->msg, path);
    len = readlink("/proc/self/exe", s->program, sizeof(s->program) - 1);
    s->program[len > 0 ? len : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        const char *word = i == 0 ? s->path : s->program;

        if (!chorale_site_word(word) || strchr(word, '%') != NULL)
            return chorale_fail(s->msg, CHORALE_USAGE,
                                "%.300s: a path in scripts may have only "
                                "letters, digits and _.,:@+=/-, and less "
                                "than %d; move it", word,
                                CHORALE_SITE_WORD);
    }
    chorale_output_prefix(s->path, s->base, sizeof(s->base) - 8);
    strcat(s->base, "-slurm"); /* the path was checked to be short */
    return CHORALE_OK;
}

/* A dry run plans into a copy. */
static enum chorale_err open_work(struct chorale_submit *s)
{
    enum chorale_err err = CHORALE_OK;

    snprintf(s->work, sizeof(s->work), "%s", s->path);
    if (s->opts->dry_run) {
        err = access(s->path, F_OK) == 0
                  ? chorale_copy_make(&s->scratch, s->path, 1, s->msg)
                  : chorale_copy_folder(&s->scratch, s->msg);
        snprintf(s->work, sizeof(s->work), "%s", s->scratch.file);
    }
    return err;
}

/* Plan the cells of the options, in addition to earlier plans. */
static enum chorale_err make_plan(struct chorale_submit *s, const char *command)
{
    struct chorale_plan *plan = &s->opts->plan;
    sqlite3_int64 campaign;
    enum chorale_err err;

    plan->cluster = s->slurm.cluster;
    plan->partition = s->site.partition[0] != '\0' ? s->site.partition : NULL;
    plan->launcher = s->site.launcher[0] != '\0' ? s->site.launcher : "srun";
    err = chorale_plan_write(plan, s->work, command,
                             s->opts->quiet || s->opts->dry_run, s->system,
                             &campaign, s->msg);
    if (s->site.mpi[0] == '\0')
        snprintf(s->site.mpi, sizeof(s->site.mpi), "auto");
    return err;
}

/* Find the missing runs, except those that earlier submissions have measured or
 * still measure. */
static enum chorale_err find_missing(struct chorale_submit *s)
{
    const int earlier = access(s->base, F_OK) == 0; /* submissions */
    enum chorale_err err = CHORALE_OK;

    /* Ask squeue first: a job that has ended by then has published all. */
    if (earlier)
        err = chorale_slurm_squeue(s->base, &s->queue, s->msg);
    if (err == CHORALE_OK)
        err = chorale_gather_shards(s->work, NULL, s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_open(s->work, CHORALE_STORE_WRITE, &s->store,
                                 s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(s->store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, s->msg);
    /* Another submit may have run before the lock was taken. */
    if (err == CHORALE_OK && earlier) {
        chorale_slurm_queue_free(&s->queue);
        err = chorale_slurm_squeue(s->base, &s->queue, s->msg);
    }
    if (err == CHORALE_OK)
        err = chorale_store_system(s->store, s->system, &s->system_id, NULL,
                                   s->msg);
    if (err == CHORALE_OK)
        err = chorale_systems_measurable(s->store, s->system, s->msg);
    if (err == CHORALE_OK)
        err = chorale_submission_pending(s->store, s->system_id, &s->queue,
                                         &s->launch, &s->nlaunch, s->msg);
    return err;
}

/* Report held jobs in the queue. */
static void report_held_jobs(struct chorale_submit *s)
{
    struct chorale_element *list = NULL;
    struct chorale_errmsg why;
    char state[160];
    size_t count = 0;
    long held = 0;

    if (chorale_elements_load(s->store, 0, &list, &count, &why) != CHORALE_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (chorale_slurm_state(&s->queue, list[i].job_id, list[i].task, state,
                                sizeof(state)))
            chorale_submit_warn_held(s, &list[i], state, &held);
    free(list);
}

static enum chorale_err submit(struct chorale_submit *s, const char *path,
                               const char *command)
{
    const struct chorale_submit_opts *o = s->opts;
    enum chorale_err err = check_options(s);

    if (err == CHORALE_OK)
        err = load_site(s);
    if (err == CHORALE_OK)
        err = find_paths(s, path);
    if (err == CHORALE_OK)
        err = check_slurm(s);
    if (err == CHORALE_OK)
        err = open_work(s);
    if (err == CHORALE_OK)
        err = make_plan(s, command);
    if (err == CHORALE_OK)
        err = find_missing(s);
    if (err == CHORALE_OK && s->nlaunch == 0) {
        if (!o->quiet)
            printf("%s: no run is left to submit\n", path);
        report_held_jobs(s);
        return o->dry_run ? CHORALE_OK : chorale_submit_last(s);
    }
    if (err == CHORALE_OK)
        err = chorale_submit_pack(s);
    if (err == CHORALE_OK)
        err = chorale_submit_sets(s);
    if (err == CHORALE_OK)
        err = chorale_submit_all(s, command);
    if (err != CHORALE_OK || o->dry_run)
        return err;
    if (!o->quiet)
        printf("submitted %d job %s and the merging job %s: %s\n"
               "`chorale status %s` shows their progress\n",
               s->depends.count, s->depends.count == 1 ? "array" : "arrays",
               s->gather_job, s->folder, path);
    chorale_store_close(s->store);
    s->store = NULL;
    return o->wait ? chorale_submit_wait(s) : CHORALE_OK;
}

enum chorale_err chorale_campaign_submit(const char *path,
                                         struct chorale_submit_opts *opts,
                                         const char *command,
                                         struct chorale_errmsg *msg)
{
    struct chorale_submit *s = calloc(1, sizeof(*s));
    enum chorale_err err;

    if (s == NULL)
        return chorale_fail_memory(msg, NULL);
    s->opts = opts;
    s->msg = msg;
    err = submit(s, path, command);
    chorale_store_close(s->store);
    s->store = NULL;
    if (err == CHORALE_OK && opts->compare != NULL && !opts->dry_run) {
        const struct chorale_comparing cmp = comparing(s);

        err = chorale_comparing(&cmp, command, msg);
    }
    chorale_copy_remove(&s->scratch);
    chorale_slurm_queue_free(&s->queue);
    chorale_slurm_nodes_free(&s->nodes);
    chorale_args_free(&s->depends);
    free(s->launch);
    free(s);
    return err;
}

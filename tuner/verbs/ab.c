/* SPDX-License-Identifier: BSD-3-Clause */
/* ab.c - the verb `ab`: measures two builds, libraries or settings on one
 * machine in turn and compares them. */
#include <stdio.h>
#include <string.h>

#include "tuner/compare/ab.h"
#include "tuner/compare/compare_run.h"
#include "tuner/run/launcher.h"
#include "tuner/base/output.h"
#include "tuner/compare/ab_interleave.h"

struct opts {
    const char *base, *head;
    struct chorale_ab ab;
    struct chorale_comparing cmp;
};

static enum chorale_err read_sides(struct opts *opts,
                                   struct chorale_errmsg *msg)
{
    const char *const text[2] = { opts->base, opts->head };
    static const char *const option[2] = { "--base", "--head" };
    enum chorale_err err = CHORALE_OK;

    for (int side = 0; side < 2 && err == CHORALE_OK; side++)
        err = text[side] == NULL
                  ? chorale_fail(msg, CHORALE_USAGE, "ab: %s SIDE is missing: "
                                 "this, build:PROGRAM, env:NAME=VALUE, "
                                 "table:FILE.so or with:COMMAND", option[side])
                  : chorale_ab_side_parse(&opts->ab.how[side], option[side],
                                          text[side], msg);
    return err;
}

/* Set the names of the databases. prefix: as given, or NULL. */
static enum chorale_err name_databases(struct opts *opts, const char *prefix,
                                       struct chorale_errmsg *msg)
{
    char own[CHORALE_AB_PREFIX];

    if (prefix == NULL) {
        chorale_ab_prefix(&opts->ab, own);
        prefix = own;
    }
    if (strlen(prefix) + 10 > sizeof(opts->ab.path[0]))
        return chorale_fail(msg, CHORALE_USAGE, "ab: the prefix is too long; "
                            "give one in a folder nearer to /");
    snprintf(opts->ab.path[0], sizeof(opts->ab.path[0]), "%s-base.db", prefix);
    snprintf(opts->ab.path[1], sizeof(opts->ab.path[1]), "%s-head.db", prefix);
    opts->cmp.base_path = opts->ab.path[0];
    opts->cmp.head_path = opts->ab.path[1];
    return CHORALE_OK;
}

/* Run all pending launches, of the first measurement or, after a stop, of the
 * second one. */
static enum chorale_err measure(struct opts *opts, struct chorale_errmsg *msg)
{
    struct chorale_interleave turns = {
        .path = { opts->ab.path[0], opts->ab.path[1] },
        .how = { &opts->ab.how[0], &opts->ab.how[1] },
        .system = opts->cmp.system, .launcher_cmd = opts->cmp.launcher_cmd,
        .no_bind = opts->cmp.no_bind,
    };
    enum chorale_err err = chorale_ab_again(&opts->ab, &turns.again, msg);

    return err == CHORALE_OK ? chorale_interleave_run(&turns, msg) : err;
}

static enum chorale_err ab(struct opts *opts, const char *prefix,
                           const char *command, struct chorale_errmsg *msg)
{
    struct chorale_comparing *cmp = &opts->cmp;
    sqlite3_int64 left = 0;
    enum chorale_err err = chorale_comparing_check(cmp, msg);

    if (err == CHORALE_OK)
        err = read_sides(opts, msg);
    if (err == CHORALE_OK)
        err = chorale_ab_check(&opts->ab, msg);
    if (err == CHORALE_OK)
        err = name_databases(opts, prefix, msg);
    if (err == CHORALE_OK)
        err = chorale_launcher_check(opts->ab.plan.launcher_cmd, msg);
    if (err != CHORALE_OK)
        return err;
    cmp->system = opts->ab.plan.system;
    cmp->launcher_cmd = opts->ab.plan.launcher_cmd;
    cmp->base_how = &opts->ab.how[0];
    cmp->head_how = &opts->ab.how[1];
    cmp->recheck = "both";
    cmp->run = 1;
    cmp->unlike = chorale_ab_side_differs(cmp->base_how, cmp->head_how);
    if (opts->ab.plan.launcher == NULL ||
        strcmp(opts->ab.plan.launcher, "smpirun") != 0) {
        chorale_ab_side_unknown(cmp->base_how, "--base");
        chorale_ab_side_unknown(cmp->head_how, "--head");
    }
    chorale_stop_catch();
    err = chorale_ab_plan(&opts->ab, msg);
    if (err == CHORALE_OK)
        fprintf(stderr, "chorale: %s (%s) and %s (%s) are measured in turn\n",
                cmp->base_path, opts->base, cmp->head_path, opts->head);
    if (err == CHORALE_OK)
        err = chorale_ab_pending(&opts->ab, &left, msg);
    /* Only a repeated command measures further launches. */
    cmp->more = left == 0;
    if (err == CHORALE_OK)
        err = measure(opts, msg);
    if (err == CHORALE_OK)
        err = chorale_comparing(cmp, command, msg);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    static struct opts opts = { .ab.plan = CHORALE_PLAN_DEFAULTS,
                                .cmp = CHORALE_COMPARING_DEFAULTS };
    char command[1024];
    int nword = 0;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.cmp.output = chorale_output_name(opts.cmp.output);
    if (opts.cmp.output != NULL)
        err = chorale_output_check(opts.cmp.output, msg);
    if (err == CHORALE_OK)
        err = ab(&opts, nword == 1 ? argv[1] : NULL, command, msg);
    chorale_ab_side_release(&opts.ab.how[0]);
    chorale_ab_side_release(&opts.ab.how[1]);
    return err;
}

static const struct chorale_opt rows[] = {
    { "base", 0, CHORALE_OPT_TEXT, offsetof(struct opts, base), "SIDE",
      "side to compare with", 0, 0 },
    { "head", 0, CHORALE_OPT_TEXT, offsetof(struct opts, head), "SIDE",
      "side that may have become slower", 0, 0 },
    CHORALE_COMPARING_OPTS(struct opts, cmp),
    CHORALE_PLAN_OPTS(struct opts, ab.plan),
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_ab = {
    .name = "ab",
    .args = "--base SIDE --head SIDE [PREFIX]",
    .summary = "measure two sides in turn on one machine: is head slower?",
    .detail =
        "Plans the same campaign in two databases, PREFIX-base.db and "
        "PREFIX-head.db, each with the side's own chorale. The default of "
        "PREFIX is ab- and a digest of sides and options. Then measures them "
        "in turn: one launch of "
        "base, two of head, two of base and so on. Drift and the effect of "
        "being first thus affect both sides alike. Finally it runs `chorale "
        "compare --recheck both --run`: cells that look slower are measured "
        "again, also in turn. Output and exit code are those of compare: 0 if "
        "no collective became slower, 1 if one did. If it is stopped, the "
        "exit code is 75; repeat the command to continue. It is also 75 if no "
        "cell has a definite verdict; the repeated command then measures as "
        "many launches again.\n"
        "A SIDE has one of five forms:\n"
        "this: this chorale as it is.\n"
        "build:PROGRAM: another build of chorale, as of another commit or for "
        "another MPI library: build:/opt/old/bin/chorale.\n"
        "env:NAME=VALUE ...: this chorale with these environment variables: "
        "env:MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=ring, or two: "
        "'env:UCX_TLS=tcp UCX_RNDV_THRESH=8192'. They are set for the "
        "launcher, which passes them to the ranks. ab warns of a variable that "
        "is named like a variable of an MPI library but that the library here "
        "lacks. Variables of the shim have no effect and are refused.\n"
        "table:FILE.so: this chorale under the shim with a dispatch table: "
        "table:./table.so. It measures the library's default as an "
        "application calls it, which the table changes; the other side "
        "measures the library without the shim.\n"
        "with:COMMAND ...: this chorale started by a command that runs its "
        "arguments: 'with:taskset -c 0,1', with:./modules-of-june.sh.\n"
        "The text after the colon is split into words as a shell does, "
        "including quotes; commands in it are not run.\n"
        "Both sides are planned with the same --batch (default on a real "
        "system: 8), because times of different batches are not comparable. "
        "If both sides are builds for one MPI library, messages and the "
        "library's default serve as canaries: if they are slower too, the "
        "machine is. Otherwise they may be what changed, and only turns "
        "separate it from the machine. A different MPI library, processor or "
        "transport is noted, and cells of both sides are compared.",
    .example =
        "chorale ab --base build:/opt/main/bin/chorale --head this -P 2\n"
        "chorale ab --base this --head env:MPIR_CVAR_BCAST_INTRA_ALGORITHM="
        "binomial -c bcast -P 2\n"
        "chorale ab --base this --head table:./table.so -P 2 tables\n"
        "chorale ab --base this --head 'with:taskset -c 0' -P 2 --again 20\n"
        "chorale ab --base build:chorale-mpich --head build:chorale-ompi -P 2 "
        "--format markdown",
    .opt = rows,
    .run = run,
};

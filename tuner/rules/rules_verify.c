/* SPDX-License-Identifier: BSD-3-Clause */
/* rules_verify.c - compares what the MPI library runs under a written rules
 * file with what it runs without the file when the algorithm is forced. For
 * each point the hashes of sent messages and of received data are compared.
 *
 * MPICH can split the ranks of one machine into nodes. Open MPI's ranks run on
 * the nodes that its mpiexec has; without several, all run on one. */
#include "config.h"

#include "tuner/rules/rules.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/mpi_name.h"
#include "db/systems.h"
#include "tuner/run/launcher.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"

#define MOST_BYTES (64u << 20) /* of one operation */

enum { HASHES = 48 };

/* Hashes "SENT DATA" of one point. */
struct seen {
    char with[HASHES];       /* with the table; "": not run yet */
    char without[HASHES];    /* of the library's own decision */
    char forced[HASHES];     /* of the forced algorithm; "" if refused */
    char alone[HASHES];      /* with the rules of this collective only */
};

struct trial {
    const struct chorale_rule_format *format;
    const struct chorale_rules *rules;
    char *const *path;
    const struct chorale_rule_point *point; /* points of a launch */
    size_t count;
    struct seen *seen;
    char points_file[64];
    int one_node;            /* the launcher cannot use several nodes */
    int blind;               /* sent messages are not visible */
    char *alone;             /* file with one collective's rules, or NULL */
    int forcing, done;       /* state of the current launch */
    char complaint[300];     /* first line of its standard error */
};

/* --- one launch ---------------------------------------------------------- */

static int take_line(void *arg, const char *line, int is_err)
{
    struct trial *t = arg;
    char word[16], sent[20], data[20];
    size_t i;

    if (is_err && t->complaint[0] == '\0' && line[strspn(line, " -*=")] != '\0')
        snprintf(t->complaint, sizeof(t->complaint), "%s", line);
    if (is_err || *line != '@')
        return 0;
    if (strcmp(line, "@end") == 0)
        return t->done = 1;
    if (strcmp(line, "@sees 0") == 0)
        t->blind = 1;
    else if (sscanf(line, "@%15s %zu %19s %19s", word, &i, sent, data) == 4 &&
             i < t->count && strcmp(sent, "-") != 0)
        snprintf(strcmp(word, "forced") == 0 ? t->seen[i].forced
                 : t->forcing                ? t->seen[i].without
                 : t->alone != NULL          ? t->seen[i].alone
                                             : t->seen[i].with,
                 HASHES, "%s %s", sent, data);
    return 0;
}

/* 1 if the points are to run on several nodes of the launcher. */
static int on_nodes(const struct trial *t)
{
    return t->point->ppn_nodes > 0 && !t->one_node;
}

/* Add the variables that emulate the placement of the ranks on nodes. Returns
 * 0, or -1 if the library cannot emulate it. */
static int place(const struct trial *t, struct chorale_args *args)
{
    const struct chorale_rule_point *p = t->point;
    int ppn = p->place.ppn, block = p->place.shape == CHORALE_SHAPE_BLOCK;

    if (p->place.shape == CHORALE_SHAPE_SINGLE_NODE ||
        p->place.shape == CHORALE_SHAPE_UNKNOWN)
        return 0;
    if (strcmp(t->format->library, "MPICH") != 0 ||
        p->place.shape == CHORALE_SHAPE_IRREGULAR || p->comm_size % ppn != 0)
        return -1;
    chorale_args_add(args, "MPIR_CVAR_NUM_CLIQUES=%d", p->comm_size / ppn);
    if (block)
        chorale_args_add(args, "MPIR_CVAR_CLIQUES_BY_BLOCK=1");
    return 0;
}

/* Start the ranks once; forcing: without the table, forcing each algorithm.
 * Returns 0, -1 if the launch failed, or 1 if the placement cannot be
 * emulated. */
static int launch(struct trial *t, int forcing, struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    const double silence = 60;
    struct chorale_child child;
    char program[PATH_MAX];
    int status = 0, away;
    enum chorale_ending ending;

    if (chorale_find_program("chorale-selects", PKGLIBEXECDIR, program,
                             sizeof(program), msg) != CHORALE_OK)
        return -1;
    chorale_args_add(&args, "%s", chorale_mpiexec());
    chorale_args_add(&args, "-n");
    chorale_args_add(&args, "%d", t->point->comm_size);
    if (on_nodes(t)) {
        chorale_args_add(&args, "--map-by");
        chorale_args_add(&args, "ppr:%d:node:oversubscribe",
                         t->point->ppn_nodes);
    }
    chorale_args_add(&args, "env");
    away = place(t, &args);
    for (int i = 0; i < CHORALE_RULE_FILES && !forcing; i++) {
        if (t->path[i] == NULL)
            continue;
        chorale_args_add(&args, "%s=%s",
                         t->rules->variable[i] != NULL
                             ? t->rules->variable[i] : t->format->variable[i],
                         t->alone != NULL && i == 0 ? t->alone : t->path[i]);
        if (t->format->setting[i] != NULL)
            chorale_args_add(&args, "%s", t->format->setting[i]);
    }
    chorale_args_add(&args, "%s", program);
    if (forcing)
        chorale_args_add(&args, "--force");
    chorale_args_add(&args, "%s", t->points_file);
    t->forcing = forcing;
    t->done = 0;
    t->complaint[0] = '\0';
    if (away || chorale_spawn(&args, NULL, &child, msg) != CHORALE_OK) {
        chorale_args_free(&args);
        return away ? 1 : -1;
    }
    ending = chorale_child_wait(&child, &silence, take_line, t, &status);
    chorale_args_free(&args);
    if (t->done && ending != CHORALE_ENDED_STOPPED)
        return 0;
    chorale_fail(msg, CHORALE_ENV, "%s",
                 t->complaint[0] != '\0' ? t->complaint
                 : ending == CHORALE_ENDED_STOPPED ? "it was stopped"
                                                   : "it ended silently");
    return -1;
}

/* Write the points of a launch to a file that its ranks read. */
static enum chorale_err write_points(struct trial *t,
                                     struct chorale_errmsg *msg)
{
    FILE *out;
    int fd, bad;

    snprintf(t->points_file, sizeof(t->points_file),
             "/tmp/chorale-points-XXXXXX");
    fd = mkstemp(t->points_file);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        int error = errno;

        if (fd >= 0) {
            close(fd);
            unlink(t->points_file);
        }
        return chorale_fail_written(msg, t->points_file, error);
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct chorale_rule_point *p = &t->point[i];
        const char *name = chorale_rules_at(t->rules, p->coll, p->comm_size,
                                            &p->place, p->n);

        fprintf(out, "%s %llu %s\n", chorale_coll_info(p->coll)->name, p->n,
                *name != '\0' ? name : "-");
    }
    bad = ferror(out);
    if (fclose(out) != 0 || bad) {
        unlink(t->points_file);
        return chorale_fail_written(msg, t->points_file, errno);
    }
    return CHORALE_OK;
}

/* --- comparison ---------------------------------------------------------- */

/* The hash of received data, the second word. */
static const char *data_of(const char *hashes)
{
    return hashes + strcspn(hashes, " ");
}

/* The hashes expected with the table. */
static const char *wanted(const struct trial *t, size_t i, const char **name_p)
{
    const struct chorale_rule_point *p = &t->point[i];
    const struct seen *s = &t->seen[i];

    *name_p = chorale_rules_at(t->rules, p->coll, p->comm_size, &p->place,
                               p->n);
    return **name_p != '\0' && s->forced[0] != '\0' ? s->forced : s->without;
}

/* 1 if the library's default on several nodes calls collectives for which there
 * are rules, on communicators of fewer ranks. */
static int has_rules_within(const struct trial *t)
{
    for (size_t i = 0; i < t->rules->count && on_nodes(t); i++)
        if (t->rules->rule[i].comm_size < t->point->comm_size &&
            t->rules->rule[i].name[0] != '\0')
            return 1;
    return 0;
}

/* Returns 1 if the expected messages are unknown: the library refused to force
 * the algorithm, or rules change its default within. A program cannot force
 * values of parameters that MPICH reads in MPI_Init. */
static int unknown(const struct trial *t, size_t i)
{
    const char *name;

    wanted(t, i, &name);
    if (*name == '\0')
        return t->format->composes && has_rules_within(t);
    return t->seen[i].forced[0] == '\0' &&
           (t->format->composes || strchr(name, ':') != NULL);
}

/* 1 if the default's messages differ with the table although no rule stands at
 * the point. */
static int changes_default(const struct trial *t, size_t i)
{
    const char *name;

    wanted(t, i, &name);
    return *name == '\0' && unknown(t, i) &&
           strcmp(t->seen[i].with, t->seen[i].without) != 0;
}

static enum chorale_err compare(const struct trial *t, size_t i, size_t *tells,
                                struct chorale_errmsg *msg)
{
    const struct chorale_rule_point *p = &t->point[i];
    const struct seen *s = &t->seen[i];
    const char *name, *want = wanted(t, i, &name), *what = NULL;

    if (s->with[0] == '\0')
        what = "returns an error in";
    else if (strcmp(data_of(s->with), data_of(s->without)) != 0)
        what = "gives other results with it than without it in";
    else if (strcmp(s->with, want) != 0 && strcmp(s->alone, want) != 0 &&
             !unknown(t, i))
        what = strcmp(s->with, s->without) == 0
                   ? "runs the same as without it in"
                   : "runs neither the decided algorithm nor the default"
                     " in";
    if (what != NULL)
        return chorale_fail(msg, CHORALE_NO, "table: with it the library %s %s "
                            "at P = %d, %d a node, n = %llu (decided: %s), no "
                            "file was written; measure with this library", what,
                            chorale_coll_info(p->coll)->name, p->comm_size,
                            p->place.ppn > 0 ? p->place.ppn
                            : on_nodes(t)    ? p->ppn_nodes
                                             : p->comm_size,
                            p->n, *name != '\0' ? name : "the default");
    *tells += *name != '\0' && strcmp(s->with, s->without) != 0;
    return CHORALE_OK;
}

/* Run the points again with a file that has the rules of one collective
 * only. */
static enum chorale_err try_alone(struct trial *t, enum chorale_coll coll,
                                  struct chorale_errmsg *msg)
{
    struct chorale_rules rules = *t->rules;
    struct chorale_rule_files files = { { NULL } };
    char name[] = "/tmp/chorale-rules-XXXXXX";
    struct chorale_rule *first = rules.rule, *last;
    int fd = mkstemp(name), bad = fd < 0;
    enum chorale_err err;

    while (first < rules.rule + rules.count && first->coll != coll)
        first++;
    for (last = first; last < rules.rule + rules.count && last->coll == coll;)
        last++;
    rules.rule = first;
    rules.count = (size_t)(last - first);
    err = t->format->emit(&rules, &files, msg);
    if (err == CHORALE_OK && !bad)
        bad = dprintf(fd, "%s", files.text[0]) < 0;
    if (err == CHORALE_OK && bad)
        err = chorale_fail_written(msg, name, errno);
    t->alone = name;
    if (err == CHORALE_OK && launch(t, 0, msg) != 0)
        err = CHORALE_NO;
    t->alone = NULL;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    for (int i = 0; i < CHORALE_RULE_FILES; i++)
        free(files.text[i]);
    return err;
}

/* If unexpected messages were sent, the library may have built the collective
 * from others that have rules. Run such collectives with only their own
 * rules. */
static enum chorale_err look_again(struct trial *t, struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    const char *name;

    for (size_t i = 0; i < t->count && err == CHORALE_OK; i++)
        if (t->format->composes && t->seen[i].alone[0] == '\0' &&
            t->seen[i].with[0] != '\0' && !unknown(t, i) &&
            strcmp(t->seen[i].with, wanted(t, i, &name)) != 0)
            err = try_alone(t, t->point[i].coll, msg);
    return err;
}

struct tally {
    size_t run, tells, unknown, changed, large, away, many, unstarted,
        one_node;
    int blind;
    char why[300], why_one[200];
};

/* Run and compare all points of one number of ranks and one placement. */
static enum chorale_err try_group(struct trial *t, struct tally *tally,
                                  struct chorale_errmsg *msg)
{
    struct chorale_errmsg why = { "" };
    enum chorale_err err = CHORALE_OK;
    int rc;

    t->seen = calloc(t->count, sizeof(*t->seen));
    if (t->seen == NULL)
        return chorale_fail_memory(msg, "generate");
    err = write_points(t, msg);
    if (err != CHORALE_OK) {
        free(t->seen);
        return err;
    }
    t->one_node = 0;
    rc = launch(t, 1, &why);
    if (rc < 0 && on_nodes(t) && !chorale_stop_requested()) {
        t->one_node = 1;
        tally->one_node += t->count;
        snprintf(tally->why_one, sizeof(tally->why_one), "%.190s", why.text);
        rc = launch(t, 1, &why);
    }
    if (rc != 0) {
        *(rc > 0 ? &tally->away : &tally->unstarted) += t->count;
        if (rc < 0)
            snprintf(tally->why, sizeof(tally->why), "%.290s", why.text);
    } else if (launch(t, 0, &why) != 0) {
        if (!chorale_stop_requested())
            err = chorale_fail(msg, CHORALE_NO, "the library does not run with "
                               "the table at P = %d: %.300s, no file was "
                               "written; measure with this library, and decide "
                               "again", t->point->comm_size, why.text);
    } else {
        tally->run += t->count;
        tally->blind |= t->blind;
        err = look_again(t, msg);
        for (size_t i = 0; i < t->count && err == CHORALE_OK; i++) {
            tally->unknown += (size_t)unknown(t, i);
            tally->changed += (size_t)changes_default(t, i);
            err = compare(t, i, &tally->tells, msg);
        }
    }
    unlink(t->points_file);
    free(t->seen);
    return chorale_stop_requested() && err == CHORALE_OK
               ? chorale_fail(msg, CHORALE_STOPPED, "generate: stopped, "
                              "no file was written; repeat the command")
               : err;
}

static void say(struct chorale_rule_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct chorale_rule_check *check, const char *format, ...)
{
    size_t used = strlen(check->said);
    va_list ap;

    va_start(ap, format);
    vsnprintf(check->said + used, sizeof(check->said) - used, format, ap);
    va_end(ap);
}

static void report(const struct tally *tally, const char *library,
                   struct chorale_rule_check *check)
{
    if (tally->run > 0)
        say(check, "run by the library here (%s): %zu point%s, %s\n", library,
            tally->run, chorale_plural((long long)tally->run),
            tally->blind ? "only results compared, as messages are not visible"
                         : "it sends what was decided");
    if (tally->run > 0 && !tally->blind)
        say(check, "the messages differ from those without the table at %zu of"
            " these\n", tally->tells);
    if (tally->unknown > 0)
        say(check, "at %zu of these the algorithm cannot be forced or consists"
            " of others, and only results are compared\n", tally->unknown);
    if (tally->changed > 0)
        say(check, "at %zu of these no rule stands, but rules for fewer ranks"
            " apply within the default and change its messages\n",
            tally->changed);
    if (tally->one_node > 0)
        say(check, "not on several nodes: %zu point%s, run on one: %s\n",
            tally->one_node, chorale_plural((long long)tally->one_node),
            tally->why_one);
    if (tally->many > 0)
        say(check, "not run: %zu point%s with more than %d ranks"
            " (--check-ranks)\n", tally->many,
            chorale_plural((long long)tally->many), check->max_ranks);
    if (tally->large > 0)
        say(check, "not run: %zu point%s with more than %u MiB\n",
            tally->large, chorale_plural((long long)tally->large),
            MOST_BYTES >> 20);
    if (tally->away > 0)
        say(check, "not run: %zu point%s, as their placement cannot be"
            " emulated\n", tally->away, chorale_plural((long long)tally->away));
    if (tally->unstarted > 0)
        say(check, "not run: %zu point%s, as no ranks could be started: %s\n",
            tally->unstarted, chorale_plural((long long)tally->unstarted),
            tally->why);
}

static int same_launch(const struct chorale_rule_point *a,
                       const struct chorale_rule_point *b)
{
    return a->comm_size == b->comm_size &&
           a->place.shape == b->place.shape &&
           a->place.ppn == b->place.ppn && a->ppn_nodes == b->ppn_nodes;
}

/* Collect the points of one launch that are within the limits. Returns the
 * index after all points of that launch. */
static size_t gather(const struct chorale_rule_point *point, size_t first,
                     size_t count, const struct chorale_rule_check *check,
                     struct chorale_rule_point *group, size_t *ngroup,
                     struct tally *tally)
{
    size_t i = first;

    *ngroup = 0;
    for (; i < count && same_launch(&point[i], &point[first]); i++) {
        if (point[i].comm_size > check->max_ranks)
            tally->many++;
        else if (point[i].n > MOST_BYTES)
            tally->large++;
        else
            group[(*ngroup)++] = point[i];
    }
    return i;
}

/* Allow more ranks than processors. */
static void more_ranks_than_processors(void)
{
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    setenv("OMPI_MCA_pml_monitoring_enable", "1", 0);
    setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
}

/* Length of the library's name with major and minor version in a short name, or
 * 0 if it has no minor version. */
static size_t release_length(const char *name)
{
    const size_t digits = strcspn(name, "0123456789");
    const size_t major = digits + strspn(name + digits, "0123456789");
    const size_t minor = name[major] == '.'
                             ? strspn(name + major + 1, "0123456789") : 0;

    return minor > 0 ? major + 1 + minor : 0;
}

/* 1 if two short names are of one library with one major and minor version.
 * Its patch releases have the same algorithms, and imported timings name only
 * the major and minor version. */
static int same_release(const char *a, const char *b)
{
    const size_t length = release_length(a);

    return strcmp(a, b) == 0 ||
           (length > 0 && length == release_length(b) &&
            strncmp(a, b, length) == 0);
}

enum chorale_err chorale_rules_try(const struct chorale_rule_format *format,
                                   const struct chorale_rules *rules,
                                   char *const path[CHORALE_RULE_FILES],
                                   const struct chorale_rule_point *point,
                                   size_t count,
                                   struct chorale_rule_check *check,
                                   struct chorale_errmsg *msg)
{
    struct trial t = { .format = format, .rules = rules, .path = path };
    struct chorale_rule_point *group = calloc(count + 1, sizeof(*group));
    struct tally tally = { .why = "" };
    struct chorale_errmsg why;
    char library[1024] = "", was[CHORALE_MPI_NAME], here[CHORALE_MPI_NAME];
    enum chorale_err err = CHORALE_OK;

    if (group == NULL)
        return chorale_fail_memory(msg, "generate");
    if (chorale_runner_probe(library, sizeof(library), &why) != CHORALE_OK)
        library[0] = '\0';
    chorale_mpi_name(rules->origin.mpi_library, was);
    chorale_mpi_name(*library != '\0' ? library : "none", here);
    if (!same_release(was, here)) {
        say(check, "not run: measured with %.100s, but %.100s is here%s\n",
            was, here, release_length(was) > 0
                ? "" : "; import with --mpi 'NAME VERSION' if they are one");
        free(group);
        return CHORALE_OK;
    }
    more_ranks_than_processors();
    for (size_t i = 0; i < count && err == CHORALE_OK;) {
        i = gather(point, i, count, check, group, &t.count, &tally);
        t.point = group;
        if (t.count > 0)
            err = try_group(&t, &tally, msg);
    }
    if (err == CHORALE_OK)
        report(&tally, library, check);
    free(group);
    return err;
}

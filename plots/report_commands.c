/* SPDX-License-Identifier: BSD-3-Clause */
/* report_commands.c - writes the commands that made the results, as shell
 * lines. */
#include "plots/report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/policy.h"
#include "tuner/base/shell_quote.h"
#include "tuner/base/units.h"
#include "tuner/base/run_verb.h"

/* The commands of campaigns, and whether an earlier campaign has the same
 * command: a verb that plans and measures by itself makes several campaigns. */
static const char commands_sql[] =
    "SELECT command, round, EXISTS(SELECT 1 FROM campaign b"
    "  WHERE b.system_id = ?1 AND b.campaign_id < c.campaign_id"
    "  AND b.command = c.command) FROM campaign c WHERE system_id = ?1"
    " AND (validates = 0 OR command LIKE 'tune %') ORDER BY campaign_id";

static const char validations_sql[] =
    "SELECT command FROM campaign WHERE system_id = ?1 AND validates = 1"
    " AND command NOT LIKE 'tune %' GROUP BY command"
    " ORDER BY min(campaign_id)";

/* The run command as typed, if a single command made all launches of `run`:
 * campaigns do not record a custom launcher. */
static const char run_sql[] =
    "SELECT DISTINCT value FROM launch JOIN environment USING (launch_id)"
    " WHERE system_id = ?1 AND key = 'run_command'"
    " AND value LIKE 'chorale run %'";

static const char counts_sql[] =
    "SELECT (SELECT count(*) FROM model WHERE system_id = ?1),"
    " (SELECT count(*) FROM v_decision WHERE system_id = ?1),"
    " (SELECT count(*) FROM system),"
    " (SELECT count(*) FROM trace)";

struct commands {
    char *database, *system; /* shell words; system "": the only one */
    char *prefix;            /* of files beside the database; unquoted */
    char run[1100];          /* command as typed; "": without options */
    int nrun;
    int fitted, decided, systems;
    int ntrace;              /* traces whose import is not yet written */
    char last[1100];         /* last campaign's command */
    int pending;             /* it only planned */
    int whole;               /* it also decided */
};

static char *word_of(const char *text)
{
    size_t size = 4 * strlen(text) + 3;
    char *quoted = malloc(size);
    const char *word = quoted != NULL ? chorale_shell_word(text, quoted, size)
                                      : NULL;

    if (word == text)
        memcpy(quoted, text, strlen(text) + 1);
    return quoted;
}

/* Write a line like "chorale fit results.db MORE --system s". */
static void put_step(struct chorale_report *report, const struct commands *c,
                     const char *verb, const char *more)
{
    fprintf(report->out, "chorale %s ", verb);
    chorale_html_text(report->out, c->database);
    if (more[0] != '\0') {
        fputc(' ', report->out);
        chorale_html_text(report->out, more);
    }
    if (c->system[0] != '\0') {
        fputs(" --system ", report->out);
        chorale_html_text(report->out, c->system);
    }
    fputc('\n', report->out);
}

static void put_run(struct chorale_report *report, const struct commands *c)
{
    if (c->nrun == 1 && report->anon == NULL) {
        chorale_html_text(report->out, c->run);
        fputc('\n', report->out);
    } else {
        put_step(report, c, "run", "");
    }
}

static int is_verb(const char *command, const char *verb)
{
    size_t len = strlen(verb);

    return strncmp(command, verb, len) == 0 &&
           (command[len] == ' ' || command[len] == '\0');
}

/* Write a command as typed, with --system if it lacks it: the database may have
 * had one system then. */
static void put_typed(struct chorale_report *report, const char *command,
                      const char *system)
{
    fputs("chorale ", report->out);
    chorale_html_text(report->out, command);
    if (system[0] != '\0' && strstr(command, "--system") == NULL) {
        fputs(" --system ", report->out);
        chorale_html_text(report->out, system);
    }
    fputc('\n', report->out);
}

/* Write the imports that a plan was made from; file names are unknown. */
static void put_imports(struct chorale_report *report, struct commands *c)
{
    for (int i = 1; i <= c->ntrace; i++) {
        fputs("chorale import ", report->out);
        chorale_html_text(report->out, c->database);
        fprintf(report->out, c->ntrace > 1 ? " app-%d.trace\n" : " app.trace\n",
                i);
    }
    c->ntrace = 0;
}

static void put_command(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    struct commands *c = arg;
    const char *command = chorale_text(stmt, 0);
    int plans, again = sqlite3_column_int(stmt, 2);

    if (strncmp(command, "chorale ", 8) == 0)
        command += 8;
    if (report->anon != NULL) {
        c->pending = 1;
        return;
    }
    plans = is_verb(command, "plan");
    /* An adaptive plan repeats the same command each round. */
    if (again && !(plans && sqlite3_column_int(stmt, 1) > 0))
        return;
    if (c->pending && (!plans || strcmp(command, c->last) == 0))
        put_run(report, c);
    if (plans && strstr(command, "--from-trace") != NULL)
        put_imports(report, c);
    put_typed(report, command, "");
    snprintf(c->last, sizeof(c->last), "%s", command);
    c->whole = is_verb(command, "tune") || is_verb(command, "submit") ||
               is_verb(command, "try");
    c->pending = !c->whole && !is_verb(command, "import");
}

static void put_validation(struct chorale_report *report, sqlite3_stmt *stmt,
                           void *arg)
{
    const struct commands *c = arg;
    const char *command = chorale_text(stmt, 0);

    if (strncmp(command, "chorale ", 8) == 0)
        command += 8;
    put_typed(report, command, c->system);
}

static void take_run(struct chorale_report *report, sqlite3_stmt *stmt,
                     void *arg)
{
    struct commands *c = arg;

    (void)report;
    c->nrun++;
    snprintf(c->run, sizeof(c->run), "%s", chorale_text(stmt, 0));
}

static void take_counts(struct chorale_report *report, sqlite3_stmt *stmt,
                        void *arg)
{
    struct commands *c = arg;

    (void)report;
    c->fitted = sqlite3_column_int(stmt, 0) > 0;
    c->decided = sqlite3_column_int(stmt, 1) > 0;
    c->systems = sqlite3_column_int(stmt, 2);
    c->ntrace = sqlite3_column_int(stmt, 3);
}

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Returns 1 if a typed value, "2%", "1us" or "64K", equals the stored value
 * "0.02". */
static int means(const char *typed, const char *value)
{
    struct chorale_errmsg why;
    double number = strtod(value, NULL), seconds;
    char *end;
    long bytes;

    if (strcmp(typed, value) == 0 ||
        (chorale_spec_seconds("", typed, &seconds, &why) == CHORALE_OK &&
         is_near(seconds, number)) ||
        (chorale_spec_size("", typed, &bytes, &why) == CHORALE_OK &&
         is_near((double)bytes, number)))
        return 1;
    seconds = strtod(typed, &end);
    return end != typed && strcmp(end, "%") == 0 &&
           is_near(seconds / 100, number);
}

/* Returns 1 if a command line has the option "--name" or "--name=value". */
static int has_option(const char *command, char *option)
{
    char typed[64] = "", *value = strchr(option, '=');
    const char *at;

    if (value != NULL)
        *value++ = '\0';
    at = strstr(command, option);
    if (at == NULL || value == NULL)
        return at != NULL;
    at += strlen(option);
    return (*at == ' ' || *at == '=') && sscanf(at + 1, "%63s", typed) == 1 &&
           means(typed, value);
}

/* Returns 1 if a command line has all options that the table was decided
 * with. */
static int has_words(const char *command, const char *words)
{
    char word[128];
    int used;

    for (; sscanf(words, " %127s%n", word, &used) == 1; words += used)
        if (!has_option(command, word))
            return 0;
    return 1;
}

static enum chorale_err put_decide(struct chorale_report *report,
                                   const struct commands *c)
{
    struct chorale_policy policy = CHORALE_POLICY_DEFAULTS;
    char words[CHORALE_POLICY_TEXT], name[PATH_MAX], *file, *more;
    enum chorale_err err = chorale_policy_load(
        report->store, report->system.id, &policy, report->msg);

    if (err != CHORALE_OK)
        return err;
    chorale_policy_words(&policy, words, sizeof(words));
    if (c->whole && has_words(c->last, words))
        return CHORALE_OK;
    snprintf(name, sizeof(name), "%.*s-dispatch.c", PATH_MAX - 16, c->prefix);
    file = word_of(name);
    more = malloc(file != NULL ? strlen(file) + 40 : 1);
    if (more != NULL && file != NULL) {
        sprintf(more, "-o %s%s", file,
                policy.allow_patented ? " --allow-patented" : "");
        put_step(report, c, "decide", words);
        put_step(report, c, "generate", more);
    } else {
        err = chorale_fail_memory(report->msg, NULL);
    }
    free(file);
    free(more);
    return err;
}

static enum chorale_err put_all(struct chorale_report *report,
                                struct commands *c)
{
    enum chorale_err err = chorale_report_query(report, commands_sql,
                                                put_command, c);

    if (err != CHORALE_OK)
        return err;
    if (c->pending)
        put_run(report, c);
    if (c->fitted && !c->whole)
        put_step(report, c, "fit", "");
    if (c->decided)
        err = put_decide(report, c);
    if (err == CHORALE_OK && report->anon == NULL)
        err = chorale_report_query(report, validations_sql, put_validation, c);
    else if (err == CHORALE_OK && report->validated)
        put_step(report, c, "validate", "");
    put_step(report, c, "report", "");
    return err;
}

enum chorale_err chorale_report_commands(struct chorale_report *report)
{
    struct commands c = { .nrun = 0 };
    char prefix[PATH_MAX];
    enum chorale_err err = chorale_report_query(report, counts_sql,
                                                take_counts, &c);

    if (err == CHORALE_OK)
        err = chorale_report_query(report, run_sql, take_run, &c);
    if (err != CHORALE_OK)
        return err;
    chorale_step_prefix(report->path, prefix, sizeof(prefix));
    c.prefix = prefix;
    c.database = word_of(report->path);
    c.system = c.systems > 1 ? word_of(report->system.name) : strdup("");
    if (c.database != NULL && c.system != NULL) {
        fputs("<pre>", report->out);
        err = put_all(report, &c);
        fputs("</pre>\n", report->out);
    } else {
        err = chorale_fail_memory(report->msg, NULL);
    }
    free(c.database);
    free(c.system);
    return err;
}

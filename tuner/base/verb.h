/* SPDX-License-Identifier: BSD-3-Clause */
/* verb.h - the verbs of the command `chorale` and their options.
 *
 * A verb is one row of the table in chorale.c. Its options are rows too, from
 * which help, manual pages, parsing, range checks and error lines are made.
 */
#ifndef CHORALE_TUNER_BASE_VERB_H
#define CHORALE_TUNER_BASE_VERB_H

#include <stddef.h>

#include "db/err.h"

enum chorale_opt_type {
    CHORALE_OPT_FLAG,   /* int *: set to 1 */
    CHORALE_OPT_TEXT,   /* const char **: points into argv */
    CHORALE_OPT_COLLS,  /* the same; names of MPI become ours in argv:
                         * "MPI_Allreduce,Bcast" is "allreduce,bcast" */
    CHORALE_OPT_INT,    /* long * in [min, max] */
    CHORALE_OPT_REAL,   /* double * in [min, max], finite */
    CHORALE_OPT_PERCENT,/* double *: "3%" or "0.03" become 0.03, >= 0 */
    CHORALE_OPT_SECONDS,/* double *: "90", "90s", "10m", "30ns" */
    CHORALE_OPT_SIZE    /* long *: "64K", in [min, max] bytes */
};

/* One option. offset is into the verb's own options struct, whose initial
 * values are the defaults. */
struct chorale_opt {
    const char *name;        /* long option without dashes */
    char letter;             /* short option or 0 */
    enum chorale_opt_type type;
    size_t offset;
    const char *arg;         /* placeholder in help, NULL for flags */
    const char *help;        /* one or two sentences, no newline */
    double min, max;         /* of all numbers; both 0: no check; max <= min:
                              * no upper limit */
};

struct chorale_verb {
    const char *name;
    const char *args;        /* "results.db", shown in usage */
    const char *summary;     /* one line */
    const char *detail;      /* paragraphs for --help and the manual */
    const char *example;     /* at least one command line */
    const struct chorale_opt *opt; /* ends in a row with name NULL */
    /* argv[0] is the verb's name. On failure, msg holds one error line. */
    enum chorale_err (*run)(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg);
};

/* Parse argv by the verb's rows into the struct opts. The other words are left
 * in argv[1 ... *nword_p], in order. CHORALE_USAGE: an option is wrong or has
 * two values, or there are more than max_words or fewer than min_words words.
 * CHORALE_ENV: the verb has more rows than options.c allows. After --help
 * *nword_p is -1 and the verb must return CHORALE_OK. */
enum chorale_err chorale_opts_parse(const struct chorale_verb *verb, int argc,
                                    char **argv, void *opts, int min_words,
                                    int max_words, int *nword_p,
                                    struct chorale_errmsg *msg);

/* If the message begins with an option of the verb (perhaps after "VERB: "),
 * spell the option as in argv: -P or --procs. argv: the words after the verb in
 * the typed order, ending in NULL. */
void chorale_opts_as_typed(const struct chorale_verb *verb, char *const *argv,
                           struct chorale_errmsg *msg);

/* Change a list of collectives as CHORALE_OPT_COLLS does: drop the prefix MPI_
 * of each word, and use lower case. Words that name no collective stay as
 * typed. */
void chorale_opts_colls(char *text);
/* The same for a single word, whether or not it names a collective. */
void chorale_opts_lower(char *word);

struct chorale_args;         /* tuner/base/process.h */

/* Append to args the options of rows, as "--name=value", in which opts differs
 * from defaults. Real values that are NAN are skipped. */
void chorale_opts_words(const struct chorale_opt *rows, const void *opts,
                        const void *defaults, struct chorale_args *args);

/* Print a verb's help. */
void chorale_verb_help(const struct chorale_verb *verb);

/* The verbs, in chorale.c's order. Each is defined in the file of its name in
 * tuner/verbs/. */
extern const struct chorale_verb chorale_verb_tune;
extern const struct chorale_verb chorale_verb_doctor;
extern const struct chorale_verb chorale_verb_list;
extern const struct chorale_verb chorale_verb_plan;
extern const struct chorale_verb chorale_verb_run;
extern const struct chorale_verb chorale_verb_submit;
extern const struct chorale_verb chorale_verb_job;
extern const struct chorale_verb chorale_verb_status;
extern const struct chorale_verb chorale_verb_fit;
extern const struct chorale_verb chorale_verb_decide;
extern const struct chorale_verb chorale_verb_evaluate;
extern const struct chorale_verb chorale_verb_generate;
extern const struct chorale_verb chorale_verb_validate;
extern const struct chorale_verb chorale_verb_compare;
extern const struct chorale_verb chorale_verb_ab;
extern const struct chorale_verb chorale_verb_baseline;
extern const struct chorale_verb chorale_verb_history;
extern const struct chorale_verb chorale_verb_replicate;
extern const struct chorale_verb chorale_verb_plot;
extern const struct chorale_verb chorale_verb_report;
extern const struct chorale_verb chorale_verb_merge;
extern const struct chorale_verb chorale_verb_export;
extern const struct chorale_verb chorale_verb_import;
extern const struct chorale_verb chorale_verb_try;
extern const struct chorale_verb chorale_verb_table;

/* The command line with shell quotes where needed, in text[size]; "..."
 * replaces the first word that does not fit and all after it. */
void chorale_command_text(int argc, char **argv, char *text, size_t size);

#endif

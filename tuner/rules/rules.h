/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h - decisions for the MPI library's own selection: which of its
 * algorithms, or its default, at which point; the formats that a library
 * reads them in; and the checks that a written file has to pass.
 *
 * A format can say less than a row of the table does: what it cannot say is
 * left out, which means the library's default, with the reason. */
#ifndef CHORALE_TUNER_RULES_RULES_H
#define CHORALE_TUNER_RULES_RULES_H

#include <stdio.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table/table.h"
#include "db/store.h"
#include "tuner/emit/provenance.h"

enum { CHORALE_RULE_NAME = 64 };

/* hi of a row that holds for any size. */
#define CHORALE_RULE_NO_END 9223372036854775807ULL

/* At comm_size ranks lying as shape says, for n in [lo, hi]: that algorithm
 * of the library, or with an empty name its default. */
struct chorale_rule {
    enum chorale_coll coll;
    int comm_size, ppn;
    enum chorale_shape shape;
    unsigned long long lo, hi;
    char name[CHORALE_RULE_NAME];
    const char *left;        /* why the format leaves it out, or NULL */
    int projected;           /* a row of unknown shape speaks for it */
};

/* Sorted by coll, comm_size, shape, ppn, lo. */
struct chorale_rules {
    struct chorale_origin origin;
    char *kinds;             /* lines "collective: type operation" */
    struct chorale_rule *rule;
    size_t count;
};

/* Load rows of target 'rules' of a system. Of a reduction measured with
 * several types and operations the one of double and sum, or else the first
 * by name; rows for classes of operations that no library tells apart are not
 * read. CHORALE_DATA: there are no such rows, or they contradict each other,
 * or name what no algorithm is called. Release in any case. */
enum chorale_err chorale_rules_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_rules *rules,
                                    struct chorale_errmsg *msg);
void chorale_rules_release(struct chorale_rules *rules);

/* Where the ranks of a communicator lie. */
struct chorale_rule_place {
    enum chorale_shape shape;
    int ppn;                 /* as a row has it */
};

/* The algorithm that the rules, without those left out, choose there; "" for
 * the library's default. */
const char *chorale_rules_at(const struct chorale_rules *rules,
                             enum chorale_coll coll, int comm_size,
                             const struct chorale_rule_place *place,
                             unsigned long long n);

/* Back into their order. */
void chorale_rules_sort(struct chorale_rules *rules);

/* Rows from first on that share coll and comm_size (and shape and ppn);
 * returns the index after the last. */
size_t chorale_rules_same_size(const struct chorale_rules *rules,
                               size_t first);
size_t chorale_rules_same_set(const struct chorale_rules *rules, size_t first);

/* Smallest bytes where the choice of one set changes, ascending, 0 first:
 * from[] has room for 2 (end - first) + 1. Returns how many. A border is the
 * first n of a band. */
size_t chorale_rules_bands(const struct chorale_rules *rules, size_t first,
                           size_t end, unsigned long long *from);

/* --- formats ----------------------------------------------------------- */

/* Files of one table: the rules, and what one format needs beside them. */
enum { CHORALE_RULE_FILES = 2 };
struct chorale_rule_files {
    char *text[CHORALE_RULE_FILES]; /* to be freed; NULL: there is none */
};

struct chorale_rule_opts {
    int commutative;         /* all operations of all programs commute */
};

/* One point to look at. */
struct chorale_rule_point {
    enum chorale_coll coll;
    int comm_size;
    struct chorale_rule_place place;
    unsigned long long n;
};

struct chorale_rule_format {
    const char *format;      /* of --format */
    const char *summary;
    const char *library;     /* what the name of its MPI library begins with */
    const char *suffix[CHORALE_RULE_FILES]; /* ".json", ".ch4.json"; NULL */
    const char *variable[CHORALE_RULE_FILES]; /* of the environment, that name
                              * the files; NULL: it is not loaded here */
    const char *setting;     /* one more, "NAME=value", or NULL */
    int composes;            /* that library makes collectives of others on
                              * the same communicator: rules steer those too */
    const char *not_loaded;  /* why no library here loads it, or NULL */
    const char *comment;     /* what a comment line begins with, or NULL */
    const char *caution;     /* what a reader of the file must know, lines */
    /* Set left where a row cannot be said. CHORALE_DATA: a name that the
     * library does not have. */
    enum chorale_err (*prepare)(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg);
    /* Write the texts; free them in any case. CHORALE_ENV: out of memory, or
     * the library's own table is not to be had. */
    enum chorale_err (*emit)(const struct chorale_rules *rules,
                             struct chorale_rule_files *files,
                             struct chorale_errmsg *msg);
    /* Read texts as the library would. CHORALE_DATA: they are not what it
     * accepts. Release the reader. */
    enum chorale_err (*read)(const struct chorale_rule_files *files,
                             void **reader_p, struct chorale_errmsg *msg);
    /* 1 if the texts choose that algorithm there, "" the library's default;
     * else 0, and got[size] says what they choose. */
    int (*agrees)(const void *reader, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size);
    void (*release)(void *reader);
};

extern const struct chorale_rule_format chorale_rules_mpich_json;
extern const struct chorale_rule_format chorale_rules_ompi_classic;
extern const struct chorale_rule_format chorale_rules_ompi_json;

/* --- checks -------------------------------------------------------------- */

/* Points at every border of the rules: the last n before it, the border and
 * the next, at the number of ranks, one less and one more, for each place
 * that the rules know; sizes that no call can have are rounded. *point_p is
 * allocated, sorted by comm_size and place. CHORALE_ENV: out of memory. */
enum chorale_err chorale_rule_points(const struct chorale_rules *rules,
                                     struct chorale_rule_point **point_p,
                                     size_t *count_p,
                                     struct chorale_errmsg *msg);

/* Hold the texts against the rules at all points. CHORALE_DATA: they differ,
 * or cannot be read. */
enum chorale_err chorale_rules_read_back(
    const struct chorale_rule_format *format,
    const struct chorale_rules *rules,
    const struct chorale_rule_files *files,
    const struct chorale_rule_point *point, size_t count,
    struct chorale_errmsg *msg);

struct chorale_rule_check {
    int max_ranks;           /* of launches */
    char said[2048];         /* out: what was and what was not run, lines */
};

/* Load the files of these paths into the library and hold what it runs
 * against the rules, at all points with at most max_ranks ranks. Says what
 * could not be run. CHORALE_NO: it runs something else, or does not load
 * them. */
enum chorale_err chorale_rules_try(const struct chorale_rule_format *format,
                                   const struct chorale_rules *rules,
                                   char *const path[CHORALE_RULE_FILES],
                                   const struct chorale_rule_point *point,
                                   size_t count,
                                   struct chorale_rule_check *check,
                                   struct chorale_errmsg *msg);

/* Write the files of a format, checked, whole or not at all. */
struct chorale_rules_job {
    const struct chorale_rule_format *format;
    struct chorale_rule_opts opts;
    const char *output, *database;
    int no_check, max_ranks, quiet;
};
enum chorale_err chorale_rules_generate(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const struct chorale_rules_job *job,
                                        struct chorale_errmsg *msg);

/* The heading of a table, each line after prefix: where it was measured, what
 * it says and leaves out, how to use it, what was checked. Printable ASCII. */
void chorale_rules_heading(FILE *out, const char *prefix,
                           const struct chorale_rules *rules,
                           const struct chorale_rules_job *job,
                           const char *said);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h - decisions for the MPI library's own selection of algorithms: the
 * rows, the file formats of the libraries, and the checks of a written file.
 *
 * A format cannot express every row. Such a row is left out, with a reason;
 * the library's default is then used. */
#ifndef CHORALE_TUNER_RULES_RULES_H
#define CHORALE_TUNER_RULES_RULES_H

#include <stdio.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table/table.h"
#include "db/store.h"
#include "tuner/emit/provenance.h"

enum { CHORALE_RULE_NAME = 64 };

/* hi of a row without an upper limit. */
#define CHORALE_RULE_NO_END 9223372036854775807ULL

/* One choice: at comm_size ranks placed as shape, for n in [lo, hi], the
 * library's algorithm NAME or NAME:PARAMETER=VALUE, or its default if name is
 * empty. */
struct chorale_rule {
    enum chorale_coll coll;
    int comm_size, ppn;
    enum chorale_shape shape;
    unsigned long long lo, hi;
    char name[CHORALE_RULE_NAME];
    const char *left;        /* why the format leaves it out, or NULL */
    int projected;           /* replaced by a row of unknown shape */
};

/* Files of one table: the rules, and a second file that a format needs. */
enum { CHORALE_RULE_FILES = 2 };

/* Sorted by coll, comm_size, shape, ppn, lo. */
struct chorale_rules {
    struct chorale_origin origin;
    char *kinds;             /* lines "collective: type operation" */
    char *settings;          /* control variables of the library here, lines
                              * "NAME\tVALUE", if prepare() reads them */
    const char *variable[CHORALE_RULE_FILES]; /* instead of those of the format,
                              * if prepare() finds that the library renamed
                              * them; else NULL */
    struct chorale_rule *rule;
    size_t count;
};

/* Load a system's rows of target 'rules'. If a collective was measured with
 * several types and operations, those of double and sum are used (byte without
 * reduction), else the first by name. Rows for operations that are not built in
 * and for one rank are skipped. CHORALE_DATA: there are no rows, rows
 * contradict each other, or a name is not valid for an algorithm. Release rules
 * also after an error. */
enum chorale_err chorale_rules_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_rules *rules,
                                    struct chorale_errmsg *msg);
void chorale_rules_release(struct chorale_rules *rules);

/* The placement of a communicator's ranks. */
struct chorale_rule_place {
    enum chorale_shape shape;
    int ppn;                 /* as in struct chorale_rule */
};

/* The algorithm that the rules choose at a point; "" for the library's default.
 * Rules that are left out are ignored. */
const char *chorale_rules_at(const struct chorale_rules *rules,
                             enum chorale_coll coll, int comm_size,
                             const struct chorale_rule_place *place,
                             unsigned long long n);

/* Sort the rules into the order of struct chorale_rules. */
void chorale_rules_sort(struct chorale_rules *rules);

/* The end of the rows that share coll and comm_size with row first; for
 * chorale_rules_same_set() also shape and ppn. */
size_t chorale_rules_same_size(const struct chorale_rules *rules,
                               size_t first);
size_t chorale_rules_same_set(const struct chorale_rules *rules, size_t first);

/* List the n at which the choice of one set changes, ascending, 0 first. from[]
 * needs room for 2 (end - first) + 1 values. Returns their number. */
size_t chorale_rules_bands(const struct chorale_rules *rules, size_t first,
                           size_t end, unsigned long long *from);

/* --- formats ----------------------------------------------------------- */

struct chorale_rule_files {
    char *text[CHORALE_RULE_FILES]; /* caller frees; NULL: no such file */
};

struct chorale_rule_opts {
    int commutative;         /* the user promises commutative operations */
};

/* A point at which rules are checked. */
struct chorale_rule_point {
    enum chorale_coll coll;
    int comm_size;
    struct chorale_rule_place place;
    unsigned long long n;
    int ppn_nodes;           /* place of unknown shape: ranks a node of a
                              * decision on several nodes, or 0: on one */
};

struct chorale_rule_format {
    const char *format;      /* value of --format */
    const char *library;     /* prefix of the MPI library's name */
    const char *suffix[CHORALE_RULE_FILES]; /* ".json", ".ch4.json"; NULL */
    const char *variable[CHORALE_RULE_FILES]; /* environment variables with
                              * the files' paths; NULL: not loaded here */
    const char *setting[CHORALE_RULE_FILES]; /* a further setting "NAME=value"
                              * for the file of that index, or NULL */
    int composes;            /* the library builds collectives from others on
                              * the same communicator, to which rules apply */
    const char *not_loaded;  /* why no library here loads it, or NULL */
    const char *comment;     /* prefix of a comment line, or NULL */
    const char *caution;     /* lines of warnings for the file's users */
    /* Write more of them, which depend on the rules, each line after prefix.
     * NULL: the caution is complete. */
    void (*warn)(FILE *out, const char *prefix,
                 const struct chorale_rules *rules);
    /* Set left of rows that cannot be expressed, and settings and variable.
     * CHORALE_DATA: the library has no algorithm of some name. CHORALE_ENV: the
     * library cannot be asked. */
    enum chorale_err (*prepare)(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg);
    /* Write the texts. The caller frees them also after an error. CHORALE_ENV:
     * out of memory, or the library's built-in table cannot be read. */
    enum chorale_err (*emit)(const struct chorale_rules *rules,
                             struct chorale_rule_files *files,
                             struct chorale_errmsg *msg);
    /* Parse the texts as the library does. CHORALE_DATA: the library would
     * reject them. The caller releases *reader_p. */
    enum chorale_err (*read)(const struct chorale_rule_files *files,
                             void **reader_p, struct chorale_errmsg *msg);
    /* Returns 1 if the texts choose the algorithm `name` at the point; "" means
     * the library's default. Otherwise returns 0 and describes the choice in
     * got[size]. */
    int (*agrees)(const void *reader, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size);
    void (*release)(void *reader);
};

extern const struct chorale_rule_format chorale_rules_mpich_json;
extern const struct chorale_rule_format chorale_rules_ompi_classic;
extern const struct chorale_rule_format chorale_rules_ompi_json;

/* --- checks -------------------------------------------------------------- */

/* List the points at every border of each placement of the rules. At a border
 * these are the last n before it, its n and the next n. They are listed for its
 * number of ranks, one less and one more. Sizes that no call can have are
 * rounded. *point_p is sorted by comm_size and placement; the caller
 * frees it. CHORALE_ENV: out of memory. */
enum chorale_err chorale_rule_points(const struct chorale_rules *rules,
                                     struct chorale_rule_point **point_p,
                                     size_t *count_p,
                                     struct chorale_errmsg *msg);

/* Read the texts back and compare them with the rules at all points.
 * CHORALE_DATA: they differ or cannot be parsed. */
enum chorale_err chorale_rules_read_back(
    const struct chorale_rule_format *format,
    const struct chorale_rules *rules,
    const struct chorale_rule_files *files,
    const struct chorale_rule_point *point, size_t count,
    struct chorale_errmsg *msg);

struct chorale_rule_check {
    int max_ranks;           /* most ranks of a launch */
    char said[2048];         /* out: report lines, also on points not run */
};

/* Load the files into the library and compare what it runs with the rules, at
 * all points with at most max_ranks ranks. The report lists points that could
 * not be run. CHORALE_NO: the library runs something else, or rejects the
 * files. CHORALE_STOPPED. CHORALE_ENV: out of memory, or a temporary file
 * cannot be written. */
enum chorale_err chorale_rules_try(const struct chorale_rule_format *format,
                                   const struct chorale_rules *rules,
                                   char *const path[CHORALE_RULE_FILES],
                                   const struct chorale_rule_point *point,
                                   size_t count,
                                   struct chorale_rule_check *check,
                                   struct chorale_errmsg *msg);

/* The stage `generate` for a format of rules: writes its files from the
 * decisions of a system. They are checked first; on an error no file is
 * replaced. CHORALE_USAGE: another library was measured, or an error of
 * chorale_generate_check(). */
struct chorale_rules_job {
    const struct chorale_rule_format *format;
    struct chorale_rule_opts opts;
    const char *output, *database; /* paths */
    const char *system;      /* name; NULL: the only system */
    int no_check, quiet;
    long max_ranks;          /* of the checking program */
};
enum chorale_err chorale_rules_generate(const struct chorale_rules_job *job,
                                        struct chorale_errmsg *msg);

#endif

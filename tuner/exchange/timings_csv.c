/* SPDX-License-Identifier: BSD-3-Clause */
/* timings_csv.c - read timings from a CSV file, line by line. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "algorithms/dtypes.h"
#include "db/remarks.h"
#include "tuner/base/suggest.h"
#include "tuner/exchange/csv_lines.h"
#include "tuner/exchange/timings.h"

enum column {
    COLUMN_SYSTEM, COLUMN_MPI, COLUMN_COLL, COLUMN_ALGORITHM, COLUMN_PARAMS,
    COLUMN_NODES, COLUMN_PPN, COLUMN_PROCS, COLUMN_SIZE, COLUMN_REP,
    COLUMN_SECONDS, COLUMN_DTYPE, COLUMN_OP, NCOLUMN
};

/* Names of columns, in lower case with "_" for other characters. The first is
 * the argument of --map. The time may end in a unit. */
static const char *const names[NCOLUMN][12] = {
    [COLUMN_SYSTEM] = { "system", "cluster", "machine" },
    [COLUMN_MPI] = { "mpi", "mpi_library" },
    [COLUMN_COLL] = { "coll", "collective", "collective_type",
                      "mpi_collective" },
    [COLUMN_ALGORITHM] = { "algorithm", "algo", "alg", "variant" },
    [COLUMN_PARAMS] = { "params", "parameters" },
    [COLUMN_NODES] = { "nodes", "nnodes", "num_nodes", "n_nodes" },
    [COLUMN_PPN] = { "ppn", "tasks_per_node", "ranks_per_node",
                     "procs_per_node", "processes_per_node" },
    [COLUMN_PROCS] = { "p", "np", "nprocs", "procs", "processes", "ranks",
                       "nranks", "comm_size", "num_procs", "n_procs",
                       "n_ranks" },
    [COLUMN_SIZE] = { "msg_size", "msg_size_bytes", "message_size", "msgsize",
                      "bytes", "size", "size_bytes", "nbytes", "msg_bytes",
                      "block_bytes", "block_size" },
    [COLUMN_REP] = { "rep", "launch", "run", "replicate" },
    [COLUMN_SECONDS] = { "seconds", "time", "latency", "avg_latency",
                         "duration", "elapsed", "runtime", "t" },
    [COLUMN_DTYPE] = { "dtype", "datatype", "type" },
    [COLUMN_OP] = { "op", "reduce_op", "mpi_op" },
};

static const struct {
    const char *end;
    double seconds;
} units[] = {
    { "_us", 1e-6 }, { "_usec", 1e-6 }, { "_ns", 1e-9 }, { "_nsec", 1e-9 },
    { "_ms", 1e-3 }, { "_msec", 1e-3 }, { "_s", 1 }, { "_sec", 1 },
    { "_seconds", 1 },
};

struct reader {
    struct chorale_csv csv;
    const struct chorale_import_as *as;
    struct chorale_timings *t;
    int column[CHORALE_CSV_WORDS]; /* enum column, or -1: ignored */
    int at[NCOLUMN];         /* index of the column, or -1 */
    int ncolumn;
    double unit;             /* seconds of the time column's unit */
};

/* --- the heading ------------------------------------------------------ */

/* Write the name of a column in the form of `names`. */
static void plain_name(const char *text, char name[64])
{
    size_t n = 0;

    for (; *text != '\0' && n + 1 < 64; text++) {
        if (isalnum((unsigned char)*text))
            name[n++] = (char)tolower((unsigned char)*text);
        else if (n > 0 && name[n - 1] != '_')
            name[n++] = '_';
    }
    while (n > 0 && name[n - 1] == '_')
        n--;
    name[n] = '\0';
}

/* The column of that name, or -1; *unit: of a time, in seconds. */
static int find_column(const char *text, double *unit)
{
    char name[64];

    *unit = 1;
    plain_name(text, name);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < NCOLUMN; c++)
            for (size_t i = 0; i < 12 && names[c][i] != NULL; i++)
                if (strcmp(names[c][i], name) == 0)
                    return pass == 0 || c == COLUMN_SECONDS ? c : -1;
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            const size_t n = strlen(name), end = strlen(units[i].end);

            if (n > end && strcmp(name + n - end, units[i].end) == 0) {
                *unit = units[i].seconds;
                name[n - end] = '\0';
                break;
            }
            /* A name that is a unit only, such as usec. */
            if (n > 1 && strcmp(name, units[i].end + 1) == 0) {
                *unit = units[i].seconds;
                return COLUMN_SECONDS;
            }
        }
    }
    return -1;
}

/* Apply one word COLUMN=NAME of --map. */
static enum chorale_err map_word(struct reader *r, const char *word, size_t n)
{
    char text[200], *name;
    double unit;
    int c, i;

    snprintf(text, sizeof(text), "%.*s", (int)n, word);
    name = strchr(text, '=');
    if (name != NULL)
        *name++ = '\0';
    c = name != NULL ? find_column(text, &unit) : -1;
    if (c < 0)
        return chorale_fail(r->csv.msg, CHORALE_USAGE, "--map %.*s: names no "
                            "column of timings; write COLUMN=NAME, with a "
                            "COLUMN of `chorale import --help`", (int)n, word);
    for (i = 0; i < r->csv.nword && strcmp(r->csv.word[i], name) != 0; i++)
        continue;
    if (i == r->csv.nword)
        return chorale_fail(r->csv.msg, CHORALE_USAGE, "--map %s=%s: the "
                            "heading of %s has no column of that name; write "
                            "it as line %d does", text, name, r->csv.path,
                            r->csv.number);
    if (r->at[c] >= 0)
        return chorale_fail(r->csv.msg, CHORALE_USAGE, "--map %s=%s: column %s "
                            "is mapped twice; name it once", text, name,
                            names[c][0]);
    r->at[c] = i;
    r->column[i] = c;
    if (c == COLUMN_SECONDS) {
        double of_name;

        /* A unit in either name counts. */
        find_column(name, &of_name);
        r->unit = unit < 1 ? unit : of_name;
    }
    return CHORALE_OK;
}

static enum chorale_err map_columns(struct reader *r)
{
    enum chorale_err err = CHORALE_OK;
    const char *word = r->as->map;

    while (word != NULL && *word != '\0' && err == CHORALE_OK) {
        const size_t n = strcspn(word, ",");

        err = map_word(r, word, n);
        word += n + (word[n] == ',');
    }
    return err;
}

/* Refuse a heading without the columns that every file needs. */
static enum chorale_err check_columns(struct reader *r)
{
    static const enum column needed[] = { COLUMN_COLL, COLUMN_ALGORITHM,
                                          COLUMN_SIZE, COLUMN_SECONDS };
    char lacks[100] = "", maps[160] = "";

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        const char *name = names[needed[i]][0];

        if (r->at[needed[i]] >= 0)
            continue;
        snprintf(lacks + strlen(lacks), sizeof(lacks) - strlen(lacks), "%s%s",
                 lacks[0] != '\0' ? ", " : "", name);
        snprintf(maps + strlen(maps), sizeof(maps) - strlen(maps),
                 "%s%s=NAME", maps[0] != '\0' ? "," : "", name);
    }
    return lacks[0] == '\0'
               ? CHORALE_OK
               : chorale_csv_bad(&r->csv, "the heading has no column %s; name "
                                 "the file's with --map %s", lacks, maps);
}

static enum chorale_err read_heading(struct reader *r)
{
    char ignored[120] = "";
    enum chorale_err err;

    for (int c = 0; c < NCOLUMN; c++)
        r->at[c] = -1;
    for (int i = 0; i < r->csv.nword; i++)
        r->column[i] = -1;
    r->ncolumn = r->csv.nword;
    r->unit = 1;
    err = map_columns(r);
    for (int i = 0; i < r->csv.nword && err == CHORALE_OK; i++) {
        double unit;
        const int c = r->column[i] >= 0 ? -1
                                        : find_column(r->csv.word[i], &unit);

        if (r->column[i] >= 0)
            continue;
        if (c >= 0 && r->at[c] >= 0 && r->column[r->at[c]] == c &&
            r->as->map != NULL &&
            strstr(r->as->map, r->csv.word[r->at[c]]) != NULL)
            continue; /* --map names another column for it */
        if (c >= 0 && r->at[c] >= 0)
            return chorale_csv_bad(&r->csv, "columns '%.40s' and '%.40s' are "
                                   "both %s; name one with --map %s=NAME",
                                   r->csv.word[r->at[c]], r->csv.word[i],
                                   names[c][0], names[c][0]);
        if (c < 0 && strcmp(r->csv.word[i], "provider") == 0)
            return chorale_csv_bad(&r->csv, "a column provider, as `chorale "
                                   "export` writes; use `chorale merge` with "
                                   "its database");
        if (c < 0) {
            snprintf(ignored + strlen(ignored),
                     sizeof(ignored) - strlen(ignored), "%s%.30s",
                     ignored[0] != '\0' ? ", " : "", r->csv.word[i]);
            continue;
        }
        r->column[i] = c;
        r->at[c] = i;
        if (c == COLUMN_SECONDS)
            r->unit = unit;
    }
    if (err == CHORALE_OK && ignored[0] != '\0')
        chorale_timings_note(r->t, "columns that mean nothing here: %s",
                             ignored);
    return err == CHORALE_OK ? check_columns(r) : err;
}

/* --- rows ------------------------------------------------------------- */

/* The word of a column, or "" if the file lacks it. */
static const char *word_of(const struct reader *r, enum column column)
{
    return r->at[column] >= 0 ? r->csv.word[r->at[column]] : "";
}

static enum chorale_err read_count(const struct reader *r, enum column column,
                                   long long least, long long most,
                                   long long *value)
{
    const char *word = word_of(r, column);
    char *end;

    *value = 0;
    if (r->at[column] < 0)
        return CHORALE_OK;
    errno = 0;
    *value = strtoll(word, &end, 10);
    if (errno == 0 && isdigit((unsigned char)*word) && *end == '\0' &&
        *value >= least && *value <= most)
        return CHORALE_OK;
    return chorale_csv_bad(&r->csv, "'%.30s' in column %s is not a whole "
                           "number from %lld to %lld; correct or remove the "
                           "line", word, names[column][0], least, most);
}

static enum chorale_err read_seconds(const struct reader *r, double *seconds)
{
    const char *word = word_of(r, COLUMN_SECONDS);
    char *end;

    errno = 0;
    *seconds = strtod(word, &end) * r->unit;
    if (strspn(word, "0123456789.eE+-") != strlen(word) || end == word ||
        *end != '\0' || !isfinite(*seconds))
        return chorale_csv_bad(&r->csv, "'%.30s' is not a time; correct or "
                               "remove the line", word);
    if (!(*seconds > 0) || *seconds > 1e6)
        return chorale_csv_bad(&r->csv, "the time %.30s is %s; correct or "
                               "remove the line", word,
                               *seconds < 0   ? "negative"
                               : *seconds > 0 ? "more than a million seconds: "
                                                "its column's name gives "
                                                "another unit"
                                   : "zero");
    return CHORALE_OK;
}

static int same_letters(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "_- ");
        b += strspn(b, "_- ");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return 0;
        if (*a == '\0')
            return 1;
    }
}

static enum chorale_err read_coll(const struct reader *r,
                                  enum chorale_coll *coll)
{
    const char *word = word_of(r, COLUMN_COLL);
    char remedy[CHORALE_SUGGEST_SIZE];

    if (strncasecmp(word, "MPI_", 4) == 0 || strncasecmp(word, "osu_", 4) == 0)
        word += 4;
    for (int c = 0; c < CHORALE_NCOLL; c++)
        if (same_letters(chorale_coll_info((enum chorale_coll)c)->name, word) ||
            (c == CHORALE_BCAST && same_letters("broadcast", word))) {
            *coll = (enum chorale_coll)c;
            return CHORALE_OK;
        }
    return chorale_csv_bad(&r->csv, "unknown collective '%.40s'; %s", word,
                           chorale_suggest_coll(word, "`chorale list` names "
                                                "them; correct or remove the "
                                                "line", remedy));
}

/* Set the type and operation: those of OSU unless the file names them. */
static enum chorale_err read_type(const struct reader *r,
                                  struct chorale_timing *row)
{
    const int reduces = chorale_coll_info(row->coll)->reduces;
    const char *dtype = word_of(r, COLUMN_DTYPE), *op = word_of(r, COLUMN_OP);
    char lower[16];
    size_t i = 0;

    row->dtype = *dtype == '\0' ? reduces ? "float" : "byte"
                                : chorale_timings_dtype(dtype);
    if (row->dtype == NULL)
        return chorale_csv_bad(&r->csv, "datatype '%.30s' is not one of byte, "
                               "int, int64, float, double; correct or remove "
                               "the line", dtype);
    if (strncasecmp(op, "MPI_", 4) == 0)
        op += 4;
    for (; op[i] != '\0' && i + 1 < sizeof(lower); i++)
        lower[i] = (char)tolower((unsigned char)op[i]);
    lower[i] = '\0';
    row->root = chorale_coll_info(row->coll)->rooted ? "first" : "none";
    row->op = !reduces ? "" : *op == '\0' ? "sum" : NULL;
    if (row->op == NULL && chorale_opkind_find(lower) < 0)
        return chorale_csv_bad(&r->csv, "operation '%.30s' is not one of sum, "
                               "prod, min, max, band, bor, bxor; correct or "
                               "remove the line", op);
    if (row->op == NULL)
        row->op = chorale_opkind(chorale_opkind_find(lower))->name;
    if (row->msg_size % (long long)chorale_dtype_size(row->dtype) != 0)
        return chorale_csv_bad(&r->csv, "%lld bytes are not a whole number of "
                               "%s; name the type in a column dtype",
                               row->msg_size, row->dtype);
    row->dtype = chorale_timings_text(r->t, row->dtype);
    row->op = chorale_timings_text(r->t, row->op);
    return row->dtype != NULL && row->op != NULL
               ? CHORALE_OK
               : chorale_fail_memory(r->csv.msg, r->csv.path);
}

/* A text of the file that becomes a name: of 1 to 100 printable characters. */
static enum chorale_err read_name(const struct reader *r, enum column column,
                                  const char *fallback, const char **text)
{
    const char *word = r->at[column] >= 0 ? word_of(r, column) : fallback;

    if (*word == '\0' || strlen(word) > 100)
        return chorale_csv_bad(&r->csv, "column %s has %zu characters; use 1 "
                               "to 100", names[column][0], strlen(word));
    for (const char *c = word; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return chorale_csv_bad(&r->csv, "column %s has a control "
                                   "character; correct or remove the line",
                                   names[column][0]);
    *text = chorale_timings_text(r->t, word);
    return *text != NULL ? CHORALE_OK
                         : chorale_fail_memory(r->csv.msg, r->csv.path);
}

static enum chorale_err read_place(const struct reader *r,
                                   struct chorale_timing *row)
{
    long long nodes, ppn, procs;
    const char *lacks;
    enum chorale_err err = read_count(r, COLUMN_NODES, 1, 1 << 24, &nodes);

    if (err == CHORALE_OK)
        err = read_count(r, COLUMN_PPN, 1, 1 << 20, &ppn);
    if (err == CHORALE_OK)
        err = read_count(r, COLUMN_PROCS, 1, 1 << 24, &procs);
    if (err != CHORALE_OK)
        return err;
    lacks = chorale_timings_place(r->as, procs, nodes, ppn, row);
    return lacks == NULL
               ? CHORALE_OK
               : chorale_csv_bad(&r->csv, "the %s is missing; add the column, "
                                 "--map it, or give -P N and --ppn N", lacks);
}

static enum chorale_err read_row(struct reader *r)
{
    const struct chorale_import_as *as = r->as;
    struct chorale_timing row = { .line = r->csv.number, .calls = -1,
                                  .buffers = "warm", .metric = "duration" };
    enum chorale_err err;

    if (r->csv.nword != r->ncolumn)
        return chorale_csv_bad(&r->csv, "%d columns, but the heading has %d; "
                               "correct or remove the line", r->csv.nword,
                               r->ncolumn);
    err = read_name(r, COLUMN_SYSTEM,
                    as->system != NULL ? as->system : CHORALE_IMPORT_SYSTEM,
                    &row.system);
    if (err == CHORALE_OK)
        err = read_name(r, COLUMN_MPI,
                        as->mpi != NULL ? as->mpi : CHORALE_IMPORT_MPI,
                        &row.mpi);
    if (err == CHORALE_OK)
        err = read_name(r, COLUMN_REP, as->rep != NULL ? as->rep : "0",
                        &row.rep);
    if (err == CHORALE_OK)
        err = read_coll(r, &row.coll);
    if (err == CHORALE_OK)
        err = read_place(r, &row);
    if (err == CHORALE_OK &&
        !(row.coll == CHORALE_BARRIER && *word_of(r, COLUMN_SIZE) == '\0'))
        err = read_count(r, COLUMN_SIZE, 0, 1LL << 40, &row.msg_size);
    if (err == CHORALE_OK && row.coll == CHORALE_BARRIER)
        row.msg_size = 0;
    if (err == CHORALE_OK)
        err = read_type(r, &row);
    if (err == CHORALE_OK)
        err = read_seconds(r, &row.seconds);
    if (err == CHORALE_OK)
        err = chorale_timings_name(r->t, r->csv.path, as,
                                   word_of(r, COLUMN_ALGORITHM),
                                   word_of(r, COLUMN_PARAMS), &row, r->csv.msg);
    return err == CHORALE_OK
               ? chorale_timings_append(r->t, r->csv.path, &row, r->csv.msg)
               : err;
}

/* Refuse options that repeat a column. */
static enum chorale_err check_options(const struct reader *r)
{
    const struct chorale_import_as *as = r->as;
    const struct {
        int given;
        enum column column;
        const char *option;
    } twice[] = {
        { as->system != NULL, COLUMN_SYSTEM, "--system" },
        { as->mpi != NULL, COLUMN_MPI, "--mpi" },
        { as->rep != NULL, COLUMN_REP, "--launch" },
        { as->procs > 0, COLUMN_PROCS, "-P" },
        { as->ppn > 0, COLUMN_PPN, "--ppn" },
        { as->ppn > 0, COLUMN_NODES, "--ppn" },
    };

    for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
        if (twice[i].given && r->at[twice[i].column] >= 0)
            return chorale_fail(r->csv.msg, CHORALE_USAGE, "%s: %s has a "
                                "column %s; leave the option out",
                                twice[i].option, r->csv.path,
                                names[twice[i].column][0]);
    if (as->slowest)
        return chorale_fail(r->csv.msg, CHORALE_USAGE, "--time: %s is no table "
                            "of OSU or IMB; use --statistic max", r->csv.path);
    if (as->variant != NULL || as->coll != NULL)
        return chorale_fail(r->csv.msg, CHORALE_USAGE, "%s: %s states that in "
                            "a column; leave the option out",
                            as->variant != NULL ? "--variant"
                                                : "--collective",
                            r->csv.path);
    return CHORALE_OK;
}

static enum chorale_err read_rows(struct reader *r)
{
    int got = 1;
    enum chorale_err err = chorale_csv_split(&r->csv);

    if (err == CHORALE_OK)
        err = read_heading(r);
    if (err == CHORALE_OK)
        err = check_options(r);
    while (err == CHORALE_OK) {
        err = chorale_csv_next(&r->csv, &got);
        if (err != CHORALE_OK || !got)
            break;
        err = chorale_csv_split(&r->csv);
        if (err == CHORALE_OK)
            err = read_row(r);
    }
    if (err != CHORALE_OK)
        return err;
    snprintf(r->t->kind, sizeof(r->t->kind), "CSV");
    r->t->statistic = r->as->statistic >= 0
                          ? (enum chorale_statistic)r->as->statistic
                          : CHORALE_STATISTIC_MEAN;
    if (r->as->statistic < 0)
        chorale_timings_note(r->t, "a time is taken for the mean over the "
                             "ranks; --statistic max or root states otherwise");
    snprintf(r->t->seconds_text, sizeof(r->t->seconds_text), "%s",
             chorale_statistic_text(r->t->statistic));
    return chorale_timings_finish(r->t, r->csv.path, r->csv.msg);
}

/* --- which file it is ------------------------------------------------- */

/* Whether a heading is that of timings: it has a separator, and names two of
 * their columns, --map is to translate it, or the file's name is that of a CSV
 * file. */
static int is_heading(struct reader *r)
{
    static const char separators[] = "\t,;";
    const size_t len = strlen(r->csv.path);
    const char *at = r->csv.line;
    int found = 0;

    for (size_t i = 0; separators[i] != '\0'; i++) {
        r->csv.separator = separators[i];
        if (strchr(r->csv.line, r->csv.separator) != NULL)
            break;
        r->csv.separator = '\0';
    }
    if (r->csv.separator == '\0')
        return 0;
    if (r->as->map != NULL ||
        (len > 4 && strcasecmp(r->csv.path + len - 4, ".csv") == 0))
        return 1;
    while (*at != '\0') {
        const size_t n = strcspn(at, "\t,;");
        char word[64];
        double unit;

        snprintf(word, sizeof(word), "%.*s", n < 63 ? (int)n : 63, at);
        found += find_column(word, &unit) >= 0;
        at += n + (at[n] != '\0');
    }
    return found >= 2;
}

static enum chorale_err read_text(struct reader *r, int *is_p)
{
    char begin[8] = "";
    const size_t n = fread(begin, 1, sizeof(begin) - 1, r->csv.in);
    int got = 0;
    enum chorale_err err = chorale_csv_refuse_compressed(&r->csv, begin, n);

    if (err != CHORALE_OK || ferror(r->csv.in))
        return err;
    rewind(r->csv.in);
    /* Errors of other files are those of their own readers. */
    if (chorale_csv_next(&r->csv, &got) != CHORALE_OK || !got) {
        r->csv.msg->text[0] = '\0';
        return CHORALE_OK;
    }
    if (strncmp(r->csv.line, "highest", 7) == 0 &&
        strchr(",;\t ", r->csv.line[7]) != NULL) {
        *is_p = 1;
        return chorale_timings_pico(r->csv.path, r->as, r->t, r->csv.msg);
    }
    *is_p = is_heading(r);
    return *is_p ? read_rows(r) : CHORALE_OK;
}

enum chorale_err chorale_timings_read(const char *path,
                                      const struct chorale_import_as *as,
                                      int *is_p, struct chorale_timings *t,
                                      struct chorale_errmsg *msg)
{
    struct reader *r = calloc(1, sizeof(*r));
    struct stat st;
    enum chorale_err err = CHORALE_OK;

    memset(t, 0, sizeof(*t));
    *is_p = 0;
    if (r == NULL)
        return chorale_fail_memory(msg, path);
    *r = (struct reader){ .csv = { .path = path, .msg = msg }, .as = as,
                          .t = t };
    /* A pipe can be read once only, by the reader of tables. */
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        r->csv.in = fopen(path, "r");
    if (r->csv.in != NULL) {
        err = read_text(r, is_p);
        fclose(r->csv.in);
    }
    free(r);
    return err;
}

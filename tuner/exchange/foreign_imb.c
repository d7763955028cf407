/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_imb.c - parse the headings of IMB-MPI1. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/foreign.h"

/* "# Benchmarking NAME"; sizes are blocks of one rank. */
static const struct {
    const char *name;
    enum chorale_coll coll;
} titles[] = {
    { "Barrier", CHORALE_BARRIER },
    { "Bcast", CHORALE_BCAST },
    { "Reduce", CHORALE_REDUCE },
    { "Allreduce", CHORALE_ALLREDUCE },
    { "Reduce_scatter_block", CHORALE_REDUCE_SCATTER_BLOCK },
    { "Gather", CHORALE_GATHER },
    { "Scatter", CHORALE_SCATTER },
    { "Allgather", CHORALE_ALLGATHER },
    { "Alltoall", CHORALE_ALLTOALL },
};

static const struct {
    const char *name;
    enum chorale_coll coll;
} unequal[] = {
    { "Reduce_scatter", CHORALE_REDUCE_SCATTER },
    { "Gatherv", CHORALE_GATHERV },
    { "Scatterv", CHORALE_SCATTERV },
    { "Allgatherv", CHORALE_ALLGATHERV },
    { "Alltoallv", CHORALE_ALLTOALLV },
};

static const struct chorale_foreign_name names[] = {
    { "#Benchmarking", FOREIGN_NAME }, /* in each row, in some builds */
    { "#procs", FOREIGN_PROCS },
    { "Group", FOREIGN_GROUP },        /* of -multi 1: always the same */
    { "#bytes", FOREIGN_SIZE },
    { "#repetitions", FOREIGN_NREP },
    { "t_min[usec]", FOREIGN_MIN },
    { "t_max[usec]", FOREIGN_MAX },
    { "t_avg[usec]", FOREIGN_AVG },
    { "Mbytes/sec", FOREIGN_REAL },
    { "defects", FOREIGN_DEFECTS },
    { NULL, FOREIGN_REAL }
};

int chorale_imb_names(const char *text, size_t n)
{
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (strlen(titles[i].name) == n &&
            strncmp(text, titles[i].name, n) == 0)
            return 1;
    return 0;
}

/* The word after an option on the command line; "" if the option is missing. */
static void argument(const char *command, const char *option, char word[32])
{
    const char *at = strstr(command, option);

    word[0] = '\0';
    if (at != NULL && at > command && at[-1] == ' ' &&
        at[strlen(option)] == ' ')
        sscanf(at + strlen(option), "%31s", word);
}

static int says(const char *word, int on)
{
    static const char *const text[2][4] = { { "off", "disable", "no", "0" },
                                            { "on", "enable", "yes", "1" } };

    for (int i = 0; i < 4; i++)
        if (strcmp(word, text[on][i]) == 0)
            return 1;
    return 0;
}

/* From version 2017 on, a barrier follows each call and the root is fixed,
 * unless the command changes that. Before, calls were back to back and the root
 * rotated. */
static void settle(struct chorale_foreign_reader *r)
{
    const struct chorale_foreign *f = r->f;
    char word[32];

    if (f->version[0] == '\0')
        r->unversioned = 1;
    r->barriers = f->version[0] == '\0' || strtod(f->version, NULL) >= 2017;
    r->shifts = !r->barriers;
    argument(f->command, "-sync", word);
    r->barriers = (r->barriers && !says(word, 0)) || says(word, 1);
    argument(f->command, "-root_shift", word);
    r->shifts = (r->shifts && !says(word, 0)) || says(word, 1);
}

static void describe(struct chorale_foreign_reader *r, enum chorale_coll coll)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);

    settle(r);
    r->known = 1;
    r->ignored = 0;
    r->at = (struct chorale_foreign_row){ .coll = coll };
    r->at.dtype = !info->reduces && r->moved != NULL ? r->moved
                  : !info->reduces ? "byte"
                  : r->reduced != NULL ? r->reduced : "float";
    r->at.op = info->reduces ? "sum" : "";
    r->at.root = !info->rooted ? "none" : r->shifts ? "rotate" : "first";
    r->at.buffers = strstr(r->f->command, " -off_cache ") != NULL ? "rotate"
                                                                  : "warm";
    r->at.metric = r->barriers ? "duration" : "throughput";
}

/* Whether -contig_type selects datatypes with gaps, or vectors. */
static int derived(struct chorale_foreign_reader *r, const char *name)
{
    char word[32];

    argument(r->f->command, "-contig_type", word);
    if (word[0] == '\0' || strcmp(word, "base") == 0)
        return 0;
    chorale_foreign_note(r->f, "%s: of derived types, -contig_type %s", name,
                         word);
    return 1;
}

/* Begin a new table. */
static void begin(struct chorale_foreign_reader *r, const char *title)
{
    char name[64] = "";

    r->f->kind = "IMB";
    r->ncolumn = 0;
    r->known = r->rows = r->ended = 0;
    r->ignored = 1;
    sscanf(title, "%63s", name);
    if (derived(r, name))
        return;
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (strcmp(titles[i].name, name) == 0) {
            r->title = titles[i].name;
            describe(r, titles[i].coll);
            return;
        }
    for (size_t i = 0; i < sizeof(unequal) / sizeof(unequal[0]); i++)
        if (strcmp(unequal[i].name, name) == 0 && r->equal) {
            r->title = unequal[i].name;
            describe(r, unequal[i].coll);
            return;
        } else if (strcmp(unequal[i].name, name) == 0) {
            chorale_foreign_note(r->f, "%s: all blocks are equal there, but "
                                 "grow from rank to rank in Chorale", name);
            return;
        }
    chorale_foreign_note(r->f, strncmp(name, "Multi-", 6) == 0
                                   ? "%s: several groups at the same time"
                                   : "%s: no blocking collective on host "
                                     "buffers", name);
}

static enum chorale_err processes(struct chorale_foreign_reader *r,
                                  const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    while (isspace((unsigned char)*end))
        end++;
    if (strncmp(end, "; rank order", 12) == 0) { /* -map PxQ, and all ranks */
        chorale_foreign_note(r->f, "-map: ranks were reordered; give their "
                             "placement with --shape");
        end += strlen(end);
    }
    if (n < 1 || n > 1 << 24 || *end != '\0')
        return chorale_foreign_bad(r, "'%.30s' is not a number of processes",
                                   text);
    r->at.comm_size = (int)n;
    return CHORALE_OK;
}

/* "# Key : value" of the heading before all tables. */
static int fact(struct chorale_foreign_reader *r, const char *line)
{
    struct chorale_foreign *f = r->f;
    const char *value = strchr(line, ':');

    if (value == NULL)
        return 0;
    value += 1 + strspn(value + 1, " ");
    if (strncmp(line, "# Date ", 7) == 0) {
        snprintf(f->date, sizeof(f->date), "%s", value);
        return 1;
    }
    return 0;
}

/* Parse "# MPI_Datatype for reductions : MPI_FLOAT". */
static enum chorale_err datatype(struct chorale_foreign_reader *r,
                                 const char *line, const char **dtype_p)
{
    const char *value = strchr(line, ':');
    char word[32] = "";

    if (value != NULL)
        sscanf(value + 1, "%31s", word);
    *dtype_p = chorale_foreign_dtype(word);
    return *dtype_p != NULL
               ? CHORALE_OK
               : chorale_foreign_bad(r, "datatype '%s' is not one of "
                                     "MPI_BYTE, MPI_INT, MPI_FLOAT, "
                                     "MPI_DOUBLE", word);
}

/* Collect the command line of the benchmark. IMB wraps it after some words and
 * indents the next line. */
static int command(struct chorale_foreign_reader *r, const char *line)
{
    struct chorale_foreign *f = r->f;
    const size_t n = r->command == 2 ? strlen(f->command) : 0;
    const char *words = line[0] == '#' ? line + 1 + strspn(line + 1, " ") : "";

    if (r->command == 0 || (r->command == 1 && *words == '\0'))
        return 0;
    if (*words == '\0' || (r->command == 2 && words < line + 4)) {
        r->command = 0;
        return 0;
    }
    snprintf(f->command + n, sizeof(f->command) - n, "%s ", words);
    r->command = 2;
    return 1;
}

/* Whether text is a heading of columns; its first column varies. */
static int heads(const struct chorale_foreign_reader *r, const char *text)
{
    if (strncmp(text, "#repetitions", 12) == 0)
        return r->at.coll == CHORALE_BARRIER;
    return strncmp(text, "#bytes", 6) == 0 ||
           ((strncmp(text, "#Benchmarking ", 14) == 0 ||
             strncmp(text, "Group ", 6) == 0) &&
            strstr(text, "#repetitions") != NULL);
}

enum chorale_err chorale_imb_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p)
{
    struct chorale_foreign *f = r->f;
    const char *title = strstr(line, "MPI Benchmark");

    *used_p = 1;
    if (line[0] == '#' && title != NULL &&
        (strstr(line, "Intel") != NULL || strstr(line, "PALLAS") != NULL)) {
        chorale_foreign_version(title, f->version, sizeof(f->version));
        if (f->nrow > 0 && strcmp(f->kind, "OSU") == 0)
            return chorale_foreign_mixed(r);
        f->kind = "IMB";
        r->known = r->ignored = r->ncolumn = r->rows = 0; /* end any table */
        f->command[0] = '\0';
        r->moved = r->reduced = NULL;
        return CHORALE_OK;
    }
    if (strncmp(line, "# Benchmarking ", 15) == 0) {
        if (f->nrow > 0 && strcmp(f->kind, "OSU") == 0)
            return chorale_foreign_mixed(r);
        begin(r, line + 15);
        return CHORALE_OK;
    }
    if (f->kind == NULL || strcmp(f->kind, "IMB") != 0) {
        *used_p = 0;
        return CHORALE_OK;
    }
    if (command(r, line))
        return CHORALE_OK;
    if (strncmp(line, "# Calling sequence was:", 23) == 0) {
        r->command = 1;
        return CHORALE_OK;
    }
    if (strncmp(line, "# MPI_Datatype for reductions", 29) == 0)
        return datatype(r, line, &r->reduced);
    if (strncmp(line, "# MPI_Datatype ", 15) == 0)
        return datatype(r, line, &r->moved);
    if (r->known && strncmp(line, "# #processes = ", 15) == 0)
        return processes(r, line + 15);
    if (r->known && heads(r, line))
        return r->ended ? chorale_foreign_untitled(r)
                        : chorale_foreign_columns(r, line, names);
    *used_p = fact(r, line);
    return CHORALE_OK;
}

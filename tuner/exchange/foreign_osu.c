/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_osu.c - parse the headings of the OSU Micro-Benchmarks. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tuner/exchange/foreign.h"

/* Names in "# OSU MPI%s NAME Latency Test v5.9". In all of these, sizes are
 * blocks of one rank. */
static const struct {
    const char *name;
    enum chorale_coll coll;
} titles[] = {
    { "Barrier", CHORALE_BARRIER },
    { "Broadcast", CHORALE_BCAST },
    { "Reduce", CHORALE_REDUCE },
    { "Allreduce", CHORALE_ALLREDUCE },
    { "Gather", CHORALE_GATHER },
    { "Scatter", CHORALE_SCATTER },
    { "Allgather", CHORALE_ALLGATHER },
    { "All-to-All Personalized Exchange", CHORALE_ALLTOALL },
};

/* Chorale measures these with unequal blocks, OSU with equal ones. */
static const struct {
    const char *name;
    enum chorale_coll coll;
} unequal[] = {
    { "Reduce_scatter", CHORALE_REDUCE_SCATTER },
    { "Gatherv", CHORALE_GATHERV },
    { "Scatterv", CHORALE_SCATTERV },
    { "Allgatherv", CHORALE_ALLGATHERV },
    { "All-to-Allv Personalized Exchange", CHORALE_ALLTOALLV },
};

static const struct chorale_foreign_name names[] = {
    { "Size", FOREIGN_SIZE },
    { "Avg Latency(us)", FOREIGN_AVG },
    { "Latency (us)", FOREIGN_AVG },
    { "Latency(us)", FOREIGN_AVG },
    { "Min Latency(us)", FOREIGN_MIN },
    { "Max Latency(us)", FOREIGN_MAX },
    { "Iterations", FOREIGN_NREP },
    { "P50 Tail Lat(us)", FOREIGN_P50 },
    { "P99 Tail Lat(us)", FOREIGN_P99 },
    { "P% Tail Lat(us)", FOREIGN_REAL }, /* 90, or a requested one */
    { "Validation", FOREIGN_WORD },
    { NULL, FOREIGN_REAL }
};

static int title_of(const char *name)
{
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (strcmp(titles[i].name, name) == 0)
            return (int)titles[i].coll;
    return -1;
}

static int unequal_of(const char *name)
{
    for (size_t i = 0; i < sizeof(unequal) / sizeof(unequal[0]); i++)
        if (strcmp(unequal[i].name, name) == 0)
            return (int)unequal[i].coll;
    return -1;
}

/* Begin a new table; title is the text after "# OSU ". */
static void begin(struct chorale_foreign_reader *r, const char *title)
{
    struct chorale_foreign *f = r->f;
    const char *end = strstr(title, " Latency Test");
    char name[64] = "";
    int coll;

    f->kind = "OSU";
    r->ncolumn = 0;
    r->known = r->rows = r->ended = 0;
    r->ignored = 1;
    r->title = NULL;
    if (end != NULL && strncmp(title, "MPI ", 4) == 0 &&
        end - title - 4 < (long)sizeof(name) && end - title > 4)
        snprintf(name, sizeof(name), "%.*s", (int)(end - title - 4),
                 title + 4);
    coll = title_of(name);
    if (coll < 0 && r->equal)
        coll = unequal_of(name);
    if (coll < 0 && unequal_of(name) >= 0)
        chorale_foreign_note(f, "%s: all blocks are equal there, but grow "
                             "from rank to rank in Chorale", name);
    else if (coll < 0)
        chorale_foreign_note(f, "%.90s: no blocking collective on host "
                             "buffers", title);
    if (coll < 0)
        return;
    if (end != NULL)
        chorale_foreign_version(end, f->version, sizeof(f->version));
    r->known = 1;
    r->ignored = 0;
    r->at = (struct chorale_foreign_row){ .coll = (enum chorale_coll)coll };
    /* Before version 7, which prints the type, reductions used floats. */
    r->at.dtype = chorale_coll_info(r->at.coll)->reduces ? "float" : "byte";
    r->at.op = chorale_coll_info(r->at.coll)->reduces ? "sum" : "";
    r->at.root = chorale_coll_info(r->at.coll)->rooted ? "first" : "none";
    r->at.buffers = "warm";
    r->at.metric = "duration"; /* a barrier follows each timed call */
}

enum chorale_err chorale_osu_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p)
{
    *used_p = 1;
    if (strncmp(line, "# OSU ", 6) == 0) {
        if (r->f->nrow > 0 && strcmp(r->f->kind, "IMB") == 0)
            return chorale_foreign_mixed(r);
        begin(r, line + 6);
        return CHORALE_OK;
    }
    if (!r->known || r->f->kind == NULL || strcmp(r->f->kind, "OSU") != 0) {
        *used_p = 0;
        return CHORALE_OK;
    }
    if (strncmp(line, "# Datatype: ", 12) == 0) {
        /* Version 7 prints a table for each type below one title. Only this
         * line may begin such a table. If sizes restart without it, the title
         * of another table was lost. */
        r->ncolumn = r->rows = r->ended = 0;
        r->at.dtype = chorale_foreign_dtype(line + 12);
        return r->at.dtype != NULL
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "datatype '%.40s' is not one of "
                                         "MPI_CHAR, MPI_INT, MPI_FLOAT, "
                                         "MPI_DOUBLE", line + 12);
    }
    if (strncmp(line, "# Size", 6) == 0 ||
        (r->at.coll == CHORALE_BARRIER && line[0] == '#' &&
         strstr(line, "Latency") != NULL))
        return r->ended ? chorale_foreign_untitled(r)
                        : chorale_foreign_columns(r, line + 1, names);
    *used_p = 0;
    return CHORALE_OK;
}

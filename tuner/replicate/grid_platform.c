/* SPDX-License-Identifier: BSD-3-Clause */
/* grid_platform.c - writes SimGrid platforms of meshes, tori, arrays and
 * rings. */
#include "tuner/replicate/grid_platform.h"

#include <stdio.h>
#include <stdlib.h>

struct grid {
    int rows, cols, wraps, split;
    FILE *out;
};

static int length_of(const struct grid *g, int dim)
{
    return dim == 0 ? g->cols : g->rows;
}

/* A link of a row (dim 0) or column is named by its lower end. */
static void put_hop(const struct grid *g, int dim, int line, int place,
                    int up)
{
    fprintf(g->out, "<link_ctn id=\"%c%d-%d\"%s/>", dim == 0 ? 'x' : 'y',
            line, place, !g->split ? ""
                         : up      ? " direction=\"UP\""
                                   : " direction=\"DOWN\"");
}

/* Write the links from one place of a line to another. */
static void put_way(const struct grid *g, int dim, int line, int from, int to)
{
    int length = length_of(g, dim), ahead = (to - from + length) % length;
    int up = to > from;

    if (g->wraps && ahead != length - ahead)
        up = ahead < length - ahead;
    else if (g->wraps)
        up = from % 2 == 0;
    while (from != to) {
        int next = (from + (up ? 1 : length - 1)) % length;

        put_hop(g, dim, line, up ? from : next, up);
        from = next;
    }
}

static void put_links(const struct grid *g, double bandwidth, double latency)
{
    for (int dim = 0; dim < 2; dim++) {
        int length = length_of(g, dim);
        int links = length < 2 ? 0 : g->wraps ? length : length - 1;

        for (int line = 0; line < length_of(g, !dim); line++)
            for (int place = 0; place < links; place++)
                fprintf(g->out, "<link id=\"%c%d-%d\" bandwidth=\"%.17gBps\" "
                        "latency=\"%.17gs\" sharing_policy=\"%s\"/>\n",
                        dim == 0 ? 'x' : 'y', line, place, bandwidth, latency,
                        g->split ? "SPLITDUPLEX" : "SHARED");
    }
}

static void put_routes(const struct grid *g)
{
    int size = g->rows * g->cols;

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            int col = b % g->cols;

            if (a == b)
                continue;
            fprintf(g->out, "<route src=\"n%d\" dst=\"n%d\" "
                            "symmetrical=\"NO\">", a, b);
            put_way(g, 0, a / g->cols, a % g->cols, col);
            put_way(g, 1, col, a / g->cols, b / g->cols);
            fprintf(g->out, "</route>\n");
        }
}

static void put_all(const struct grid *g, double bandwidth, double latency)
{
    fprintf(g->out, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                    "\"https://simgrid.org/simgrid.dtd\">\n"
                    "<!-- %d x %d%s, links carry %s -->\n"
                    "<platform version=\"4.1\"><zone id=\"grid\" "
                    "routing=\"Full\">\n", g->rows, g->cols,
            g->wraps ? ", wrapped" : "",
            g->split ? "both directions at once" : "one direction at a time");
    for (int i = 0; i < g->rows * g->cols; i++)
        fprintf(g->out, "<host id=\"n%d\" speed=\"1Gf\"/>\n", i);
    put_links(g, bandwidth, latency);
    put_routes(g);
    fprintf(g->out, "</zone></platform>\n");
}

enum chorale_err chorale_grid_platform(enum chorale_rep_net net, int link,
                                       long side, double bandwidth,
                                       double latency, char **text_p,
                                       struct chorale_errmsg *msg)
{
    int flat = net == CHORALE_REP_ARRAY || net == CHORALE_REP_RING, bad;
    struct grid g = {
        .wraps = net == CHORALE_REP_RING || net == CHORALE_REP_TORUS,
        .split = link == 1,
    };
    char *text = NULL;
    size_t size;

    if (side > CHORALE_GRID_HOSTS ||
        (!flat && side * side > CHORALE_GRID_HOSTS))
        return chorale_fail(msg, CHORALE_USAGE,
                            "--n %ld: a network of %ld hosts is too large, "
                            "as up to %d can be built from links; name a "
                            "--platform", side, flat ? side : side * side,
                            CHORALE_GRID_HOSTS);
    g.cols = (int)side;
    g.rows = flat ? 1 : g.cols;
    g.out = open_memstream(&text, &size);
    bad = g.out == NULL;
    if (!bad) {
        put_all(&g, bandwidth, latency);
        bad = fclose(g.out) != 0 || text == NULL;
    }
    if (bad) {
        free(text);
        return chorale_fail_memory(msg, NULL);
    }
    *text_p = text;
    return CHORALE_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - routes and link loads of a topology. */
#include "tuner/model/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const chorale_pattern_name[CHORALE_PATTERNS] = {
    "shift", "pairs", "mirror"
};

/* --- a grid -------------------------------------------------------------- */

static void sides(const struct chorale_wiring *f, int nodes, int *rows,
                  int *cols)
{
    *rows = f->rows;
    *cols = f->cols;
    if (*rows * *cols >= nodes)
        return;
    if (f->rows == 1)
        *cols = nodes;
    else
        *rows = (nodes + f->cols - 1) / f->cols;
}

/* Route along a line of `length` nodes, whose links are numbered from first. */
static int along(const struct chorale_wiring *f, int length, int first,
                 int from, int to, int *link)
{
    int ahead = (to - from + length) % length, up = to > from, n = 0;

    if (f->wraps && ahead != length - ahead)
        up = ahead < length - ahead;
    else if (f->wraps)
        up = from % 2 == 0;
    for (; from != to; n++) {
        int next = (from + (up ? 1 : length - 1)) % length;

        if (link != NULL)
            link[n] = first + 2 * (up ? from : next) + (!up && !f->one_way);
        from = next;
    }
    return n;
}

static int grid_route(const struct chorale_wiring *f, int nodes, int src,
                      int dst, int *link)
{
    int rows, cols, n;

    sides(f, nodes, &rows, &cols);
    n = along(f, cols, 2 * cols * (src / cols), src % cols, dst % cols, link);
    return n + along(f, rows, 2 * rows * (cols + dst % cols), src / cols,
                     dst / cols, link != NULL ? link + n : NULL);
}

/* --- a tree -------------------------------------------------------------- */

static int blocks(const struct chorale_wiring *f, int level, int nodes)
{
    return (nodes + f->width[level] - 1) / f->width[level];
}

static int tree_route(const struct chorale_wiring *f, int nodes, int src,
                      int dst, int *link)
{
    int first = 0, n = 0;

    for (int i = 0; i < f->nlevel; i++) {
        int out = src / f->width[i], in = dst / f->width[i];

        if (out != in && link != NULL) {
            link[n] = first + 2 * out;
            link[n + 1] = first + 2 * in + !f->one_way;
        }
        n += out != in ? 2 : 0;
        first += 2 * blocks(f, i, nodes);
    }
    return n;
}

/* --- both ---------------------------------------------------------------- */

int chorale_wiring_links(const struct chorale_wiring *f, int nodes)
{
    int rows, cols, n = 0;

    if (f->kind == CHORALE_WIRING_GRID) {
        sides(f, nodes, &rows, &cols);
        return 4 * rows * cols;
    }
    for (int i = 0; f->kind == CHORALE_WIRING_TREE && i < f->nlevel; i++)
        n += 2 * blocks(f, i, nodes);
    return n;
}

int chorale_wiring_route(const struct chorale_wiring *f, int nodes, int src,
                         int dst, int *link)
{
    if (f->kind == CHORALE_WIRING_GRID)
        return grid_route(f, nodes, src, dst, link);
    if (f->kind == CHORALE_WIRING_TREE)
        return tree_route(f, nodes, src, dst, link);
    return 0;
}

int chorale_wiring_longest(const struct chorale_wiring *f, int nodes)
{
    int rows, cols;

    if (f->kind != CHORALE_WIRING_GRID)
        return 2 * f->nlevel;
    sides(f, nodes, &rows, &cols);
    return rows + cols;
}

double chorale_wiring_size(const struct chorale_wiring *f, int nodes,
                           int link)
{
    int first = 0;

    if (f->kind == CHORALE_WIRING_GRID)
        return 1 / f->ways[0];
    for (int i = 0; i < f->nlevel; i++) {
        first += 2 * blocks(f, i, nodes);
        if (link < first)
            return 1 / f->ways[i];
    }
    return HUGE_VAL;
}

int chorale_wiring_hops(const struct chorale_wiring *f, int nlink)
{
    return f->kind == CHORALE_WIRING_GRID && nlink > 0 ? nlink - 1 : nlink;
}

/* --- patterns ------------------------------------------------------------ */

int chorale_pattern_to(enum chorale_pattern pattern, int places, int nodes,
                       int r)
{
    int to;

    switch (pattern) {
    case CHORALE_PATTERN_SHIFT:
        to = (int)(((long long)r + places) % nodes);
        break;
    case CHORALE_PATTERN_PAIRS:
        to = r ^ places;
        break;
    default:
        to = nodes - 1 - r;
    }
    return to < nodes && to != r ? to : -1;
}

double chorale_wiring_kappa(const struct chorale_wiring *f, int nodes,
                            const int *to, int each)
{
    int nlink = chorale_wiring_links(f, nodes);
    int *load = calloc((size_t)nlink + 1, sizeof(*load));
    int *link = calloc((size_t)chorale_wiring_longest(f, nodes) + 1,
                       sizeof(*link));
    double most = load != NULL && link != NULL ? 0 : NAN;

    for (int r = 0; r < nodes && !isnan(most); r++) {
        int n = to[r] >= 0 ? chorale_wiring_route(f, nodes, r, to[r], link)
                           : 0;

        for (int i = 0; i < n; i++)
            load[link[i]] += each;
    }
    for (int i = 0; i < nlink && !isnan(most); i++)
        if (load[i] > 0)
            most = fmax(most, load[i] / chorale_wiring_size(f, nodes, i));
    free(load);
    free(link);
    return most;
}

double chorale_wiring_pattern(const struct chorale_wiring *f, int nodes,
                              enum chorale_pattern pattern, int places,
                              int each)
{
    int *to = malloc(((size_t)nodes + 1) * sizeof(*to));
    double kappa = NAN;

    for (int r = 0; to != NULL && r < nodes; r++)
        to[r] = chorale_pattern_to(pattern, places, nodes, r);
    if (to != NULL)
        kappa = chorale_wiring_kappa(f, nodes, to, each);
    free(to);
    return kappa;
}

/* --- names --------------------------------------------------------------- */

const char *chorale_wiring_name(const struct chorale_wiring *f, int level,
                                char *text)
{
    const char *tail = f->one_way ? " one-way" : "";

    if (f->kind == CHORALE_WIRING_FLAT)
        snprintf(text, 48, "flat");
    else if (f->kind == CHORALE_WIRING_TREE)
        snprintf(text, 48, "tree %d%s", f->width[level], tail);
    else if (f->rows == 1)
        snprintf(text, 48, "%s %d%s", f->wraps ? "ring" : "line", f->cols,
                 tail);
    else
        snprintf(text, 48, "%s %dx%d%s", f->wraps ? "torus" : "grid",
                 f->rows, f->cols, tail);
    return text;
}

int chorale_wiring_read(struct chorale_wiring *f, const char *text,
                        double ways)
{
    char word[8] = "", tail[16] = "";
    int a = 0, b = 0, n = sscanf(text, "%7s %dx%d %15s", word, &a, &b, tail);
    int tree = strcmp(word, "tree") == 0, deep = f->nlevel;

    if (n < 3)
        n = sscanf(text, "%7s %d %15s", word, &a, tail);
    else if (strcmp(word, "grid") != 0 && strcmp(word, "torus") != 0)
        return -1;
    if (n < 2 || a < 1 || b < 0 || !(ways > 0) || !isfinite(ways) ||
        (long long)a * (b > 0 ? b : 1) > 1 << 16 ||
        (tail[0] != '\0' && strcmp(tail, "one-way") != 0))
        return -1;
    if (!tree && strcmp(word, "line") != 0 && strcmp(word, "ring") != 0 &&
        b == 0)
        return -1;
    if (f->kind != CHORALE_WIRING_FLAT &&
        (!tree || f->kind != CHORALE_WIRING_TREE ||
         deep == CHORALE_WIRING_LEVELS))
        return -1;
    f->one_way = tail[0] != '\0';
    if (tree) {
        f->kind = CHORALE_WIRING_TREE;
        f->width[deep] = a;
        f->ways[deep] = ways;
        f->nlevel++;
        return 0;
    }
    f->kind = CHORALE_WIRING_GRID;
    f->wraps = word[0] == 'r' || word[0] == 't';
    f->rows = b > 0 ? a : 1;
    f->cols = b > 0 ? b : a;
    f->ways[0] = ways;
    return 0;
}

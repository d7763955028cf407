/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_cost.c - time and scratch of the reduce-scatter engines. */
#include "algorithms/engines/reduction/scatter_reduce_call.h"


#include "algorithms/engines/radix.h"

double chorale_rs_block(const struct chorale_point *pt, int irregular, int i)
{
    size_t bytes = pt->msg_size;

    if (irregular)
        bytes = chorale_ramp(pt->msg_size, pt->type_size, pt->comm_size, i);
    return (double)bytes;
}

double chorale_rs_total(const struct chorale_point *pt, int irregular)
{
    double sum = 0;

    if (!irregular)
        return (double)pt->msg_size * pt->comm_size;
    for (int i = 0; i < pt->comm_size; i++)
        sum += chorale_rs_block(pt, 1, i);
    return sum;
}

double chorale_rs_largest(const struct chorale_point *pt, int irregular)
{
    return chorale_rs_block(pt, irregular, pt->comm_size - 1);
}

int chorale_rs_cost_ring(const struct chorale_point *pt, int irregular,
                         struct chorale_term *term)
{
    double rounds = pt->comm_size - 1;
    double m = chorale_rs_largest(pt, irregular);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

/* Bytes of the run of a place. */
static double run_bytes(const struct chorale_point *pt, int irregular,
                        int radix, int place)
{
    int last = chorale_fold_rank(place, pt->comm_size, radix);
    int first = place == 0 ? 0
                           : chorale_fold_rank(place - 1, pt->comm_size,
                                               radix) + 1;
    double sum = 0;

    if (!irregular)
        return (double)pt->msg_size * (last + 1 - first);
    for (int i = first; i <= last; i++)
        sum += chorale_rs_block(pt, 1, i);
    return sum;
}

/* Bytes of span places of the core, step apart. */
static double part_bytes(const struct chorale_point *pt, int irregular,
                         int radix, int first, int step, int span)
{
    double sum = 0;

    for (int i = 0; i < span; i++)
        sum += run_bytes(pt, irregular, radix, first + i * step);
    return sum;
}

/* Bytes of the largest part of span places, consecutive ones or (near) equally
 * spaced ones. With equal blocks it is the part of place 0. */
static double largest_part(const struct chorale_point *pt, int irregular,
                           int radix, int core, int span, int near)
{
    int parts = core / span, step = near ? parts : 1;
    double most = 0;

    for (int i = 0; i < (irregular ? parts : 1); i++) {
        double sum = part_bytes(pt, irregular, radix, near ? i : i * span,
                                step, span);

        most = sum > most ? sum : most;
    }
    return most;
}

/* Bytes of the smallest part of span consecutive places. With equal blocks it
 * is the last one, with unequal blocks the first or the last one. */
static double smallest_part(const struct chorale_point *pt, int irregular,
                            int core, int span)
{
    double first = part_bytes(pt, irregular, 2, 0, 1, span);
    double last = part_bytes(pt, irregular, 2, core - span, 1, span);

    return first < last ? first : last;
}

/* Cost of the fold, before and after the engine; returns the number of
 * terms. */
static int cost_fold(const struct chorale_point *pt, int irregular,
                     const struct chorale_fold *fold,
                     struct chorale_term *term)
{
    double all = chorale_rs_total(pt, irregular);

    if (fold->most == 0)
        return 0;
    term[0] = (struct chorale_term){ .messages = fold->most,
                                     .bytes = all,
                                     .reduced = fold->most * all };
    term[1] = (struct chorale_term){
        .messages = fold->most,
        .bytes = chorale_rs_largest(pt, irregular),
    };
    return 2;
}

int chorale_rs_cost_exchange(const struct chorale_point *pt, int irregular,
                             int radix, int near, struct chorale_term *term)
{
    int n, steps = radix - 1;
    struct chorale_fold fold;

    if (pt->comm_size < 2)
        return 0;
    chorale_fold_init(&fold, 0, pt->comm_size, radix);
    n = cost_fold(pt, irregular, &fold, term);
    for (int span = fold.core / radix; span > 0; span /= radix) {
        double m = largest_part(pt, irregular, radix, fold.core, span, near);

        term[n++] = (struct chorale_term){ .messages = steps,
                                           .bytes = m,
                                           .reduced = steps * m };
    }
    return n;
}

int chorale_rs_cost_halving(const struct chorale_point *pt, int irregular,
                            struct chorale_term *term)
{
    return chorale_rs_cost_exchange(pt, irregular, 2, pt->param[0] != 0,
                                    term);
}

int chorale_rs_cost_recexch(const struct chorale_point *pt, int irregular,
                            struct chorale_term *term)
{
    return chorale_rs_cost_exchange(
        pt, irregular, chorale_rs_radix(pt->param[0], pt->comm_size), 0,
        term);
}

int chorale_rs_cost_doubling(const struct chorale_point *pt, int irregular,
                             struct chorale_term *term)
{
    double all = chorale_rs_total(pt, irregular), own;
    struct chorale_fold fold;
    int n;

    if (pt->comm_size < 2)
        return 0;
    chorale_fold_init(&fold, 0, pt->comm_size, 2);
    n = cost_fold(pt, irregular, &fold, term);
    own = largest_part(pt, irregular, 2, fold.core, 1, 0);
    for (int span = 1; span < fold.core; span *= 2) {
        double out = all - smallest_part(pt, irregular, fold.core, span);
        double rest = all - smallest_part(pt, irregular, fold.core, 2 * span);

        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = out,
                                           .reduced = rest + own };
    }
    return n;
}

int chorale_rs_cost_circulant(const struct chorale_point *pt, int irregular,
                              struct chorale_term *term)
{
    int n = 0;

    for (int left = pt->comm_size; left > 1; left = (left + 1) / 2) {
        double sum = 0;

        /* Unequal blocks grow with their index. */
        for (int i = 1; i <= left / 2; i++)
            sum += chorale_rs_block(pt, irregular, pt->comm_size - i);
        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = sum,
                                           .reduced = sum };
    }
    return n;
}

/* With equal blocks one port needs 2 (P - 1) messages. With unequal blocks the
 * two directions lose step and ports are sometimes idle: half a message more
 * per round, but no more bytes than a port has to transfer. */
int chorale_rs_cost_ring_bidir(const struct chorale_point *pt, int irregular,
                               struct chorale_term *term)
{
    double rounds = pt->comm_size - 1, unit = (double)pt->type_size;
    double m = chorale_rs_largest(pt, irregular);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = (irregular ? 2.5 : 2) * rounds,
                                     .bytes = (m + unit) /
                                              (irregular ? 2.5 : 2),
                                     .reduced = rounds * m };
    return 1;
}

/* --- torus ------------------------------------------------------------ */

/* Bytes of part p of a block in whole elements: the first part is rounded down,
 * the second up. */
static double part_of(double block, double unit, int p, int percent)
{
    double first = (double)(long long)(block / unit * percent / 100) * unit;

    return p == 0 ? first : block - first;
}

/* Bytes of part p of the largest line: k blocks, step apart. */
static double largest_line(const struct chorale_point *pt, int irregular,
                           int k, int step, int p, int percent)
{
    double sum = 0;

    for (int i = 0; i < k; i++)
        sum += part_of(chorale_rs_block(pt, irregular,
                                        pt->comm_size - 1 - i * step),
                       (double)pt->type_size, p, percent);
    return sum;
}

/* Rings of length ranks that reduce bytes bytes per round, in one message or
 * half in either direction; no term if bytes is 0. With unequal blocks, some of
 * them empty, concurrent rings lose step: half as many messages more, and with
 * halves a quarter more bytes. */
static int cost_rings(const struct chorale_point *pt, int irregular,
                      int alone, int length, double bytes,
                      struct chorale_term *term)
{
    double rounds = length - 1, messages = rounds, sent = rounds * bytes;
    int halved = pt->param[2] != 0 && length > 2 &&
                 bytes > (double)pt->type_size;

    if (!(bytes > 0))
        return 0;
    if (halved)
        messages *= 2;
    if (irregular && (halved || !alone))
        messages *= 1.5;
    if (irregular && halved)
        sent *= 1.25;
    *term = (struct chorale_term){
        .messages = messages,
        .bytes = sent / messages,
        .reduced = rounds * bytes,
    };
    return 1;
}

/* On one port, concurrent messages are sent one after the other. */
int chorale_rs_cost_torus(const struct chorale_point *pt, int irregular,
                          struct chorale_term *term)
{
    int size = pt->comm_size, n = 0, rows, percent;
    double m = chorale_rs_largest(pt, irregular);

    if (size < 2)
        return 0;
    rows = chorale_rs_torus_rows(pt->param[0], size);
    percent = chorale_rs_torus_percent(pt->param[1], rows, size);
    for (int p = 0; p < 2; p++) {
        int lines = p == 0 ? rows : size / rows, length = size / lines;
        int alone = percent == 0 || percent == 100;

        n += cost_rings(pt, irregular, alone, lines,
                        largest_line(pt, irregular, length,
                                     p == 0 ? 1 : lines, p, percent),
                        &term[n]);
        n += cost_rings(pt, irregular, alone, length,
                        part_of(m, (double)pt->type_size, p, percent),
                        &term[n]);
    }
    return n;
}

/* --- scratch ---------------------------------------------------------- */

/* Bytes of the layout of n blocks: count, displacement and rank of each. */
static size_t places(int n)
{
    return (sizeof(MPI_Count) + sizeof(MPI_Aint) + sizeof(int)) * (size_t)n;
}

/* bytes rounded to whole bytes, plus the layouts of the call, a fold and an
 * engine. */
static size_t with_places(const struct chorale_point *pt, double bytes)
{
    return (size_t)bytes + 3 * places(pt->comm_size);
}

size_t chorale_rs_scratch(const struct chorale_point *pt, int irregular,
                          double all, double largest)
{
    return with_places(pt, all * chorale_rs_total(pt, irregular) +
                               largest * chorale_rs_largest(pt, irregular));
}

/* In place the result and, from three ranks on, a receive buffer; otherwise up
 * to two receive buffers. */
size_t chorale_rs_ring_scratch(const struct chorale_point *pt, int irregular)
{
    return chorale_rs_scratch(pt, irregular, 0,
                              pt->comm_size > 2   ? 2
                              : pt->comm_size > 1 ? 1
                                                  : 0);
}

/* In place the result; receive buffers for both halves, for two steps. */
size_t chorale_rs_ring_bidir_scratch(const struct chorale_point *pt,
                                     int irregular)
{
    int spares = pt->comm_size < 2   ? 0
                 : pt->comm_size < 4 ? pt->comm_size - 2
                                     : 2;

    return chorale_rs_scratch(pt, irregular, 0,
                              pt->comm_size > 1 ? 1 + spares : 0);
}

/* Scratch of a core rank around its engine: the operands of its run; a receive
 * buffer if several arrive or the order matters, else in place the result; and
 * the result of its run. */
static double fold_bytes(const struct chorale_point *pt, int irregular,
                         int radix, const struct chorale_fold *fold)
{
    double all = chorale_rs_total(pt, irregular);
    int twice = fold->most > 1 || !pt->commutative;

    return all + (twice ? all : chorale_rs_largest(pt, irregular)) +
           largest_part(pt, irregular, radix, fold->core, 1, 0);
}

/* Scratch of the exchange. After a fold, sums are stored in the fold's buffer:
 * only a receive buffer is added, at most one part of the first round. Without
 * a fold the sums, or in place the result, are added. */
size_t chorale_rs_exchange_scratch(const struct chorale_point *pt,
                                   int irregular, int radix)
{
    double part, later = 0, own = chorale_rs_largest(pt, irregular);
    struct chorale_fold fold;
    int span;

    if (pt->comm_size < 2)
        return with_places(pt, 0);
    chorale_fold_init(&fold, 0, pt->comm_size, radix);
    span = fold.core / radix;
    part = span > 1 || radix > 2
               ? largest_part(pt, irregular, radix, fold.core, span, 0)
               : 0;
    if (fold.most > 0)
        return with_places(pt, part + fold_bytes(pt, irregular, radix, &fold));
    if (span == 1)
        return with_places(pt, part + own);
    if (radix > 2)
        later = part;
    else if (span > 2)
        later = largest_part(pt, irregular, radix, fold.core, span / 2, 0);
    return with_places(pt, part + (later > own ? later : own));
}

/* All blocks in another order, and half of them in flight. With two ranks
 * neither, except for a receive buffer if the order matters. */
size_t chorale_rs_butterfly_scratch(const struct chorale_point *pt,
                                    int irregular)
{
    double bytes;
    struct chorale_fold fold;

    if (pt->comm_size < 2)
        return with_places(pt, 0);
    chorale_fold_init(&fold, 0, pt->comm_size, 2);
    bytes = fold.core > 2 || !pt->commutative
                ? largest_part(pt, irregular, 2, fold.core, fold.core / 2, 1)
                : 0;
    if (fold.core > 2)
        bytes += chorale_rs_total(pt, irregular);
    return with_places(pt,
                       bytes + (fold.most > 0
                                    ? fold_bytes(pt, irregular, 2, &fold)
                                    : chorale_rs_largest(pt, irregular)));
}

/* All blocks, and all received ones. */
size_t chorale_rs_doubling_scratch(const struct chorale_point *pt,
                                   int irregular)
{
    struct chorale_fold fold;

    if (pt->comm_size < 2)
        return with_places(pt, 0);
    chorale_fold_init(&fold, 0, pt->comm_size, 2);
    return with_places(pt, 2 * chorale_rs_total(pt, irregular) +
                               (fold.most > 0
                                    ? fold_bytes(pt, irregular, 2, &fold)
                                    : chorale_rs_largest(pt, irregular)));
}

/* The sums of the blocks that a rank keeps at first, starting with its own. In
 * addition the blocks sent first, if they wrap past the last block, or those
 * received later, half as many as it keeps. */
static double circulant_bytes(const struct chorale_point *pt, int irregular)
{
    int size = pt->comm_size, kept = (size + 1) / 2, half = kept / 2;
    double all = chorale_rs_total(pt, irregular), sum = 0, later = 0;
    double most = 0;

    for (int i = 0; i < kept; i++)
        sum += chorale_rs_block(pt, irregular, i);
    for (int i = 0; i < half; i++)
        later += chorale_rs_block(pt, irregular, i);
    for (int r = 0; r < (irregular ? size : 1); r++) {
        double first = chorale_rs_block(pt, irregular, r);
        double held = sum + (kept > 2 ? later : 0);

        most = held > most ? held : most;
        sum += chorale_rs_block(pt, irregular, (r + kept) % size) - first;
        later += chorale_rs_block(pt, irregular, (r + half) % size) - first;
    }
    return size > 3 && all > most ? all : most;
}

size_t chorale_rs_circulant_scratch(const struct chorale_point *pt,
                                    int irregular)
{
    if (pt->comm_size < 2)
        return with_places(pt, 0);
    return with_places(pt, chorale_rs_largest(pt, irregular) +
                               (pt->comm_size > 2
                                    ? circulant_bytes(pt, irregular)
                                    : 0));
}

/* Receive buffers for two steps of a ring of length ranks; none for two
 * ranks. */
static double ring_spares(int length, double bytes)
{
    return (length < 4 ? length - 2 : 2) * bytes;
}

size_t chorale_rs_torus_scratch(const struct chorale_point *pt, int irregular)
{
    double m = chorale_rs_largest(pt, irregular), first = 0, second = 0;
    double bytes = m + chorale_rs_total(pt, irregular);
    int size = pt->comm_size, rows, percent;

    if (size < 2)
        return with_places(pt, 0);
    rows = chorale_rs_torus_rows(pt->param[0], size);
    if (rows == 0)
        return 0;
    percent = chorale_rs_torus_percent(pt->param[1], rows, size);
    /* In place the result; packed operands, the sums of a line, and receive
     * buffers for either phase. For both parts, the layouts of the blocks, the
     * lines and the ranks of a line. */
    for (int p = 0; p < 2; p++) {
        int lines = p == 0 ? rows : size / rows, length = size / lines;
        double line = largest_line(pt, irregular, length, p == 0 ? 1 : lines,
                                   p, percent);

        bytes += line;
        first += ring_spares(lines, line);
        second += ring_spares(length, part_of(m, (double)pt->type_size, p,
                                              percent));
    }
    return with_places(pt, bytes + (first > second ? first : second)) +
           4 * places(size);
}

size_t chorale_rs_halving_scratch(const struct chorale_point *pt,
                                  int irregular)
{
    return pt->param[0] != 0 ? chorale_rs_butterfly_scratch(pt, irregular)
                             : chorale_rs_exchange_scratch(pt, irregular, 2);
}

size_t chorale_rs_recexch_scratch(const struct chorale_point *pt,
                                  int irregular)
{
    return chorale_rs_exchange_scratch(
        pt, irregular, chorale_rs_radix(pt->param[0], pt->comm_size));
}

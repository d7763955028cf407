/* SPDX-License-Identifier: BSD-3-Clause */
/* port_links.c - claims of Chen and Lee's algorithms, and of others, for a
 * network with a port to each neighbour: a rank sends to its neighbours only,
 * and the critical path has exactly the messages, bytes and reduced bytes of
 * the propositions (not of the descriptors). An order that leaves a link idle
 * takes longer. */
#include "algorithms/engines/mesh_ring.h"
#include "algorithms/engines/reduction/swing.h"
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    double alpha, beta, tau;
} net[] = { { 1.0128e-6, 0.8e-9, 0.3e-9 }, { 1e-6, 0, 0 }, { 0, 1e-9, 0 },
            { 0, 0, 1e-9 } };

enum { NNET = sizeof(net) / sizeof(*net) };

/* Claim on one call with blocks of m bytes. */
struct claim {
    enum chorale_coll coll;
    const char *name, *params;
    int comm_size;
    size_t m;
    int peers; /* most neighbours of a rank */
    double a, b, c;
    double c_alone; /* c if only reductions take time: else messages hide a
                     * part of them */
};

static int holds_on(const struct chorale_alg *alg, const struct claim *claim,
                    struct chorale_point *pt)
{
    struct chorale_schedule_sum sum;
    const char *why;
    double c = pt->alpha > 0 || pt->beta > 0 ? claim->c : claim->c_alone;
    double seconds = claim->a * pt->alpha + claim->b * pt->beta + c * pt->tau;

    if (chorale_schedule_walk_links(alg, pt, &sum, &why) != 0) {
        tap_diag("%s %s, P = %d: %s", alg->name, claim->params,
                 claim->comm_size, why);
        return 0;
    }
    if (sum.most_peers <= claim->peers &&
        fabs(sum.seconds - seconds) <= 1e-9 * seconds)
        return 1;
    tap_diag("%s %s, P = %d, m = %zu: %d neighbours, %.10g s, path %g %g %g; "
             "expected %d, %.10g s, %g %g %g", alg->name, claim->params,
             claim->comm_size, claim->m, sum.most_peers, sum.seconds,
             sum.messages, sum.bytes, sum.reduced, claim->peers, seconds,
             claim->a, claim->b, c);
    return 0;
}

/* Check a claim with tau multiplied by adding. */
static int holds_where(const struct claim *claim, double adding)
{
    const struct chorale_alg *alg = chorale_alg_find(claim->coll,
                                                     claim->name);
    struct chorale_point pt = {
        .comm_size = claim->comm_size,
        .msg_size = claim->m,
        .n = chorale_coll_n(claim->coll, claim->m, claim->comm_size),
        .type_size = 8,
        .commutative = 1,
    };
    char why[200] = "no such variant";

    if (alg == NULL || chorale_alg_params_parse(alg, claim->params, pt.param,
                                                why, sizeof(why)) != 0) {
        tap_diag("%s: %s", claim->name, why);
        return 0;
    }
    for (int i = 0; i < NNET; i++) {
        pt.alpha = net[i].alpha;
        pt.beta = net[i].beta;
        pt.tau = adding * net[i].tau;
        if (!holds_on(alg, claim, &pt))
            return 0;
    }
    return 1;
}

static int holds(const struct claim *claim)
{
    return holds_where(claim, 1);
}

/* floor(x^2/4): packets over the middle link of a line of x. */
static double u(int x)
{
    return x * x / 4;
}

/* Rows of ALGORITHMS: P = 12, m = 98304. */
static void test_rows(void)
{
    static const struct claim row[] = {
        { CHORALE_ALLTOALL, "line_updating", "aggregate=0", 12, 98304, 2, 36,
          3538944, 0, 0 },
        { CHORALE_ALLTOALL, "line_updating", "aggregate=1", 12, 98304, 2, 11,
          66 * 98304, 0, 0 },
        { CHORALE_ALLTOALL, "ring_updating", "", 12, 98304, 2, 6, 1769472, 0,
          0 },
        { CHORALE_ALLTOALL, "mesh2d_updating", "rows=3,wrap=0", 12, 98304, 4,
          8, 1179648, 0, 0 },
        { CHORALE_ALLTOALL, "mesh2d_updating", "rows=3,wrap=1", 12, 98304, 4,
          4, 589824, 0, 0 },
        { CHORALE_REDUCE_SCATTER_BLOCK, "ring_bidir", "", 12, 98304, 2, 11,
          540672, 589824, 1081344 },
        { CHORALE_REDUCE_SCATTER_BLOCK, "torus2d_split", "rows=4,both=0", 16,
          98304, 2, 6, 737280, 983040, 1474560 },
        { CHORALE_ALLGATHER, "ring_bidir", "", 12, 98304, 2, 11, 540672, 0,
          0 },
        { CHORALE_ALLGATHER, "torus2d_broadcast", "rows=4", 16, 98304, 4, 6,
          368640, 0, 0 },
        { CHORALE_ALLREDUCE, "mesh_integrate_broadcast", "rows=3,wrap=0", 12,
          1179648, 2, 22, 1081344, 1081344, 1081344 },
        { CHORALE_ALLREDUCE, "mesh_integrate_broadcast", "rows=4,wrap=1", 16,
          1572864, 4, 12, 737280, 1474560, 1474560 },
        { CHORALE_ALLREDUCE, "bucket_nd", "dims=2", 16, 1572864, 2, 12,
          1474560, 1474560, 1474560 },
        { CHORALE_ALLREDUCE, "bucket_nd", "dims=3", 27, 2654208, 3, 12,
          1703936, 2555904, 2555904 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        tap_ok(holds(&row[i]), "%s %s: %g messages of %g bytes in all",
               row[i].name, row[i].params, row[i].a, row[i].b);
}

/* Propositions 3.1 and 3.3: lines and rings of 2 to 24 ranks. */
static void test_lines(void)
{
    const size_t m = 4096;
    int line = 1, together = 1, ring = 1;

    for (int x = 2; x <= 24; x++) {
        line &= holds(&(struct claim){ CHORALE_ALLTOALL, "line_updating",
                                       "aggregate=0", x, m, 2, u(x),
                                       u(x) * (double)m, 0, 0 });
        together &= holds(&(struct claim){
            CHORALE_ALLTOALL, "line_updating", "aggregate=1", x, m, 2, x - 1,
            x * (x - 1) / 2 * (double)m, 0, 0 });
        /* A ring of two has two links between one pair of ranks. */
        if (x > 2)
            ring &= holds(&(struct claim){ CHORALE_ALLTOALL, "ring_updating",
                                           "", x, m, 2, x / 2,
                                           u(x) * (double)m / 2, 0, 0 });
    }
    tap_ok(line, "line: floor(x^2/4) messages, one per slot");
    tap_ok(together, "line, aggregated: x - 1 messages");
    tap_ok(ring, "ring: floor(x/2) messages, half the bytes of a line");
}

/* Propositions 3.2 and 3.4: x rows of y >= x. */
static void test_meshes(void)
{
    const size_t m = 4096;
    int regular = 1, wrapped = 1, tori = 1;

    for (int x = 2; x <= 6; x++)
        for (int y = x; y <= 8; y++) {
            struct claim c = { CHORALE_ALLTOALL, "mesh2d_updating", NULL,
                               x * y, m, 4, 2 * u(y), x * u(y) * (double)m,
                               0, 0 };
            char params[64];

            c.params = params;
            snprintf(params, sizeof(params), "rows=%d,wrap=0", x);
            regular &= holds(&c);
            if (x == 2) /* a ring of two, as above */
                continue;
            snprintf(params, sizeof(params), "rows=%d,wrap=1", x);
            c.a = y / 2 * 2;
            c.b /= 2;
            wrapped &= holds(&c);
            if (x != y)
                continue;
            snprintf(params, sizeof(params), "rows=%d", x);
            c.coll = CHORALE_ALLGATHER;
            c.name = "torus2d_broadcast";
            c.a = x + y - 2;
            c.b = (x * y - 1) * (double)m / 4;
            tori &= holds(&c);
        }
    tap_ok(regular, "mesh: 2 floor(y^2/4) messages, x floor(y^2/4) blocks");
    tap_ok(wrapped, "wrapped mesh: 2 floor(y/2) messages, half the bytes");
    tap_ok(tori, "broadcasting on a square torus: a quarter of the bytes");
}

/* Integration on a square torus: each of a rank's four links carries a quarter
 * of the bytes. A rank adds the data of all four links, so these are slower
 * where adding takes less than a quarter of the time of sending. Additions
 * after the last messages of a dimension are not overlapped. */
static void test_integration(void)
{
    const size_t m = 4096;
    int tori = 1;

    for (int x = 3; x <= 8; x++) {
        double bytes = (x * x - 1) * (double)m;
        struct claim c = { CHORALE_REDUCE_SCATTER_BLOCK, "torus2d_split", "",
                           x * x, m, 4, 2 * x - 2, bytes / 4,
                           bytes / 4 + 3 * (x + 1) * (double)m / 4, bytes };

        tori &= holds_where(&c, 0.25);
    }
    tap_ok(tori, "integration on a square torus: a quarter of the bytes");
}

/* Distance of two ranks of a mesh, in links. */
static int apart(int a, int b, int cols)
{
    return abs(a / cols - b / cols) + abs(a % cols - b % cols);
}

/* Route a message along the row, then the column. used counts messages leaving
 * each rank: right, left, down, up. Returns the highest load of a link in one
 * direction. */
static int send_over(int a, int b, int cols, int used[][4])
{
    int most = 0;

    while (a != b) {
        int across = a % cols != b % cols;
        int back = across ? a % cols > b % cols : a > b;
        int *n = &used[a][across ? back : 2 + back];

        most = ++*n > most ? *n : most;
        a += (back ? -1 : 1) * (across ? 1 : cols);
    }
    return most;
}

/* Highest load of a link in one direction when all ranks send to both of their
 * ring neighbours. */
static int load_of(const int *order, int rows, int cols)
{
    int used[81][4] = { { 0 } }, size = rows * cols, most = 0;

    for (int i = 0; i < size; i++)
        for (int step = 1; step < size; step += size - 2) {
            int n = send_over(order[i], order[(i + step) % size], cols, used);

            most = n > most ? n : most;
        }
    return most;
}

/* 1 if the ring visits all ranks from neighbour to neighbour. With an odd
 * number of ranks one step has two links. Messages share links only on 3 x 3.
 * */
static int is_ring(int rows, int cols)
{
    int order[81], seen[81] = { 0 }, size = rows * cols, longer = 0;
    int far = rows > 1 && cols > 1 ? size % 2 : 0;

    chorale_mesh_ring(rows, cols, order);
    for (int i = 0; i < size; i++) {
        int steps = apart(order[i], order[(i + 1) % size], cols);

        if (order[i] < 0 || order[i] >= size || seen[order[i]]++ > 0)
            return 0;
        if (rows > 1 && cols > 1)
            longer += steps - 1;
    }
    if (rows > 1 && cols > 1 &&
        load_of(order, rows, cols) != 1 + (rows == 3 && cols == 3))
        return 0;
    return order[0] == 0 && longer == far;
}

static void test_mesh_rings(void)
{
    int good = 1;

    for (int rows = 1; rows <= 9; rows++)
        for (int cols = 1; cols <= 9; cols++)
            if (!is_ring(rows, cols)) {
                tap_diag("%d x %d", rows, cols);
                good = 0;
            }
    tap_ok(good, "rings through all ranks of meshes step to neighbours, "
                 "and share no link");
}

/* |rho_j| = |1 - (-2)^(j + 1)| / 3. Other odd distances would also give a
 * correct allreduce, but only these shorten the paths on a ring. */
static void test_swing_partners(void)
{
    static const int rho[] = { 1, -1, 3, -5, 11, -21 };
    enum { P = 64, ROUNDS = sizeof(rho) / sizeof(rho[0]) };
    int right = 1;

    for (int rank = 0; rank < P; rank++)
        for (int j = 0; j < ROUNDS; j++) {
            int to = rank % 2 == 0 ? rank + rho[j] : rank - rho[j];

            right &= chorale_swing_partner(rank, P, j) == (to + P) % P;
        }
    tap_ok(right, "swing partners are at distances 1, -1, 3, -5, 11, -21");
}

int main(void)
{
    test_swing_partners();
    test_mesh_rings();
    test_rows();
    test_lines();
    test_meshes();
    test_integration();
    return tap_done();
}

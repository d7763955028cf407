/* SPDX-License-Identifier: BSD-3-Clause */
/* crossval.c - results of cross-validation from the predictions of each fold:
 * errors, valid sizes, reach, and ignored outliers. The fits of the folds are
 * replaced by a stub. */
#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/model/model_internal.h"

#define MAX_RUNS 64

static const char none[] = "", chorale[] = "chorale", shape[] = "one-per-node";
static struct chorale_run_point runs[MAX_RUNS];
static size_t nmade, nsmall;

/* Stub of the library's function: 5 % too high; at 16 ranks 50 % at 512 and
 * 4096 bytes; outliers at 8 ranks, 64 and 512 bytes, and at 4 ranks, all sizes.
 * */
enum chorale_err chorale_model_predict(const struct model_job *job,
                                       const unsigned char *use,
                                       double *seconds,
                                       struct chorale_errmsg *msg)
{
    (void)msg;
    nmade++;
    for (size_t i = 0; i < job->ncell; i++) {
        const struct model_cell *cell = &job->cell[i];
        int p = cell->pt.comm_size;
        size_t m = cell->pt.msg_size;

        nsmall += use[i] && p == 2;
        seconds[i] = use[i] ? NAN : 1.05 * cell->seconds;
        if (p == 16 && (m == 512 || m == 4096))
            seconds[i] = 1.5 * cell->seconds;
        if (p == 4 || (p == 8 && (m == 64 || m == 512)))
            seconds[i] = MODEL_WILD;
    }
    return CHORALE_OK;
}

/* Binomial broadcasts of 8 to 32768 bytes by 2 to 16 ranks. */
static struct chorale_points points(void)
{
    size_t n = 0;

    for (int p = 2; p <= 16; p *= 2)
        for (size_t m = 8; m <= 32768; m *= 8)
            runs[n++] = (struct chorale_run_point){
                .coll = CHORALE_BCAST, .comm_size = p, .ppn = 1,
                .shape = shape, .dtype = "byte", .op = none, .op_class = none,
                .type = chorale_dtype(chorale_dtype_find("byte")),
                .msg_size = m, .n = m, .provider = chorale,
                .variant = "binomial", .params = none,
                .config = chorale_alg_configure(CHORALE_BCAST, "binomial", ""),
                .conditions = "first warm", .launch = none, .ok = 1,
                .seconds = log2(p) * (1e-6 + 1e-9 * (double)m),
            };
    return (struct chorale_points){ .row = runs, .count = n };
}

static int near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

int main(void)
{
    struct chorale_points pts = points();
    struct chorale_errmsg msg = { "" };
    struct chorale_model m;
    const struct chorale_model_variant *v;
    const struct chorale_model_ranks *r;

    if (!tap_ok(chorale_model_fit(&pts, "s", NULL, &m, &msg) == CHORALE_OK &&
                m.nvariant == 1 && m.variant->nranks == 4,
                "one variant at four numbers of ranks %s", msg.text))
        return tap_done();
    v = m.variant;
    r = v->ranks;
    /* 4 without one rank count, 3 with small counts, 4 with small sizes, 3
     * without one size. */
    tap_ok(nmade == 14, "each fold is one fit (%zu)", nmade);
    tap_ok(nsmall == 3 * 5 + 3 * 5 + 1 + 2 + 3 + 4 + 3 * 4,
           "a fold is fitted to all others, or to smaller ones (%zu)", nsmall);
    tap_ok(near(r[0].error, 0.05) && r[0].nwild == 0 && r[0].m_lo == 8 &&
           r[0].m_hi == 32768, "2 ranks: all points are predicted within 5 %%");
    tap_ok(isnan(r[1].error) && r[1].nwild == 5 && r[1].m_lo > r[1].m_hi,
           "P=4: every point is an outlier and no prediction is made");
    tap_ok(near(r[2].error, 0.05) && r[2].nwild == 2 && r[2].m_lo == 8 &&
           r[2].m_hi == 32768, "8 ranks: outliers are counted, and no"
           " error");
    tap_ok(near(r[3].error, 0.5) && r[3].nwild == 0 && r[3].m_lo == 8 &&
           r[3].m_hi == 64, "16 ranks: 50 %% at two sizes (%zu to %zu)",
           r[3].m_lo, r[3].m_hi);
    tap_ok(v->nwild == 7 && v->loo_error > 0.3 && v->loo_error < 0.5,
           "the error quantile is over predicted points (%g)", v->loo_error);
    tap_ok(near(v->reach, 1) && near(v->reach_m, 8),
           "no reach in ranks, in sizes from 4096 bytes (%g, %g)", v->reach,
           v->reach_m);
    chorale_model_release(&m);
    for (size_t i = 0; i < pts.count; i++)
        runs[i].ok = runs[i].comm_size == 2 || runs[i].comm_size == 4;
    if (tap_ok(chorale_model_fit(&pts, "s", NULL, &m, &msg) == CHORALE_OK,
               "two numbers of ranks"))
        tap_ok(near(m.variant->reach, 1), "outliers beyond give no reach "
               "(%g)", m.variant->reach);
    chorale_model_release(&m);
    return tap_done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* smooth.h - times of each algorithm as a smooth function of size and process
 * count, for measurements with few launches.
 *
 * One or two launches of a point determine its time poorly, but its neighbours
 * in n and P follow the same curve. The logarithm of an algorithm's time is a
 * linear function of log m (m: bytes of one rank's block) and log P, plus two
 * Gaussian processes: one that all algorithms share, and one of its own, which
 * is as large as the measurements make most likely (smooth_common.h). They draw
 * each measurement towards its neighbours and towards those of the other
 * algorithms by as much as its noise requires, and interpolate between measured
 * points.
 *
 * All algorithms share slopes and correlation lengths, so the bias of the
 * interpolation cancels in comparisons. The lengths are fixed, since choices
 * hardly depend on them; tests/bench/results/real.md has the figures.
 *
 * Source  Rasmussen and Williams, Gaussian Processes for Machine Learning,
 *         2006, sections 2.2 and 2.7.
 */
#ifndef CHORALE_TUNER_DECIDE_SMOOTH_H
#define CHORALE_TUNER_DECIDE_SMOOTH_H

#include <stddef.h>

#include "tuner/model/observations.h"

struct chorale_smooth;

/* Fit to the usable runs row[0, n) of like's collective, type and operation, in
 * all placements. row must be sorted as struct chorale_points. noise: standard
 * deviation of the log time of one launch, used if no cell has two launches;
 * otherwise it is learnt from all cells that do: their pooled
 * variance, without the noisiest hundredth. At most CHORALE_SMOOTH_MOST points
 * are used, spread evenly. NULL: out
 * of memory. */
#define CHORALE_SMOOTH_MOST 400
struct chorale_smooth *chorale_smooth_new(const struct chorale_run_point *row,
                                          size_t n,
                                          const struct chorale_run_point *like,
                                          double noise);
void chorale_smooth_free(struct chorale_smooth *smooth);

/* Log seconds of run's algorithm for blocks of msg_size bytes at comm_size
 * ranks placed as at. NAN: the
 * algorithm was not measured, or the point is outside its measured sizes or
 * more than a factor of CHORALE_SMOOTH_BEYOND outside its process counts. */
#define CHORALE_SMOOTH_BEYOND 2
double chorale_smooth_at(const struct chorale_smooth *smooth,
                         const struct chorale_run_point *run,
                         const struct chorale_run_point *at, size_t msg_size,
                         int comm_size);

/* Default of the threshold where smoothed times decide (share). They are
 * expectations, from which noise is removed already. */
#define CHORALE_SMOOTH_THRESHOLD 0.01

/* Learn the errors of times between process counts by leaving out each one but
 * the first and last; the arguments are those of chorale_smooth_new(). -1: out
 * of memory. */
int chorale_smooth_learn_errors(struct chorale_smooth *smooth,
                                const struct chorale_run_point *row, size_t n,
                                const struct chorale_run_point *like,
                                double noise);

/* The error that was learnt for run's algorithm, 68 of 100 are below: predicted
 * over measured seconds - 1, as absolute value. NAN: unknown, as with fewer
 * than three process counts. */
double chorale_smooth_error(const struct chorale_smooth *smooth,
                            const struct chorale_run_point *run);

/* 1 if a choice for all sizes of a process count may replace the library: its
 * expected log gain is above the log threshold on average over the sizes, and
 * its expected loss nowhere above CHORALE_SMOOTH_LOSS. least: the smallest
 * gain; NAN: unknown at some size. */
int chorale_smooth_serves_all(double mean, double least, double threshold);
#define CHORALE_SMOOTH_LOSS 0.03

/* Standard deviation of the log time of one launch in the runs row[0, n);
 * *learnt_p: 1 if two launches of a cell differ, else the result is noise. */
double chorale_smooth_noise(const struct chorale_run_point *row, size_t n,
                            double noise, int *learnt_p);

#endif

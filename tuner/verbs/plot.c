/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.c - the verb `plot`: makes each figure with its data file, or shows it
 * in the terminal. */
#include "plots/stages.h"
#include "tuner/base/verb.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_plot_opts opts = { .quiet = 0 };
    int nword;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    return err == CHORALE_OK && nword >= 0
               ? chorale_plots_make(argv[1], &opts, msg)
               : err;
}

#define AT(member) offsetof(struct chorale_plot_opts, member)

static const struct chorale_opt rows[] = {
    { "output", 'o', CHORALE_OPT_TEXT, AT(dir), "DIR",
      "folder of the pictures and their data (default: the database's name "
      "with -plots instead of .db)",
      0, 0 },
    { "format", 0, CHORALE_OPT_TEXT, AT(format),
      "png|svg|pdf", "kind of picture (default: png)", 0, 0 },
    { "terminal", 0, CHORALE_OPT_TEXT, AT(terminal), "KIND",
      "show the figures in the terminal and write no file; KIND is dumb: "
      "drawn with characters", 0, 0 },
    { "figures", 0, CHORALE_OPT_TEXT, AT(figures), "LIST",
      "make only these, of times, map, speedup (default: all)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "plot only this system (default: all)", 0, 0 },
    { "collectives", 'c', CHORALE_OPT_COLLS, AT(collectives),
      "LIST", "plot only these: bcast,allreduce (default: all)", 0, 0 },
    { "comm-size", 'P', CHORALE_OPT_TEXT, AT(procs), "LIST",
      "plot only these process counts: 4,8 or 2:64 (default: "
      "all)",
      0, 0 },
    { "all-variants", 0, CHORALE_OPT_FLAG, AT(all_variants), NULL,
      "times: also draw variants that are neither chosen nor contenders", 0,
      0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "do not print the pictures' names", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_plot = {
    .name = "plot",
    .args = "results.db",
    .summary = "draw time against size, the table's choices and speed-ups",
    .detail =
        "times: one picture for each collective and process count (and "
        "system, type, placement if there are several). It shows times over "
        "n, the bytes of the operation, with their 95 % intervals over the "
        "launches: of the library's default, in black; of the variants that "
        "the table chooses; and of the contenders, which come within 3 % of "
        "the best time at some n. Times are those by which the table is "
        "decided: the library's geometric mean over the launches that count, "
        "and for a variant that mean times its mean ratio in the same launch, "
        "without the weight of outliers, plus the dispatch cost. The axis "
        "names other options of `chorale decide`. Of variants with the same "
        "times only the "
        "simplest is drawn. Dots are the model's prediction. A ring marks the "
        "decided choice at each measured n, and a band below has the colour "
        "and the mark of the choice.\n"
        "map (not with -P): for each decided collective, the table's choice "
        "over n and P, with a letter, and the n of each crossover.\n"
        "speedup (not with -P): how many times faster than the library's "
        "default the table is, over n and P. It is as validated if `chorale "
        "validate` has measured the present table, else of the campaign's "
        "launches, each for the choice of the others.\n"
        "The names of the pictures are printed. Beside each picture is its "
        "data file (.dat, with columns explained in its heading), which can "
        "be drawn by hand with gnuplot and the scripts in the package's data "
        "folder.\n"
        "gnuplot is the program named by GNUPLOT, else the one in PATH; "
        "without it only the data files are written. CHORALE_DATADIR names "
        "another folder of scripts.",
    .example = "chorale plot results.db\n"
               "chorale plot results.db -o pictures --format svg "
               "--collectives bcast -P 4,8\n"
               "chorale plot results.db --terminal dumb --figures speedup",
    .opt = rows,
    .run = run,
};

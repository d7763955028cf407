/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c - the verb `fit`: fits network parameters and tau of each system,
 * stores them in table model and prints them. */
#include "tuner/base/verb.h"
#include "tuner/fit/fit.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_fit_opts opts = { .crossval = 0 };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.no_bar = opts.each.quiet;
    return chorale_models_fit(argv[1], &opts, msg);
}

#define AT(member) offsetof(struct chorale_fit_opts, member)

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, AT(each.system), "NAME",
      "fit only this system (default: all)", 0, 0 },
    { "crossval", 0, CHORALE_OPT_FLAG, AT(crossval), NULL,
      "print the prediction error of each variant at each number of ranks, by "
      "fits without that number", 0, 0 },
    { "up-to-procs", 0, CHORALE_OPT_INT, AT(max_procs), "P",
      "fit to at most this many ranks, print the prediction error for larger "
      "numbers, and store nothing", 2, 1 << 24 },
    { "dry-run", 0, CHORALE_OPT_FLAG, AT(dry_run), NULL,
      "print the model and store nothing, as for a database that you may only "
      "read", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(each.json), NULL, "print JSON", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(each.quiet), NULL,
      "store the model and print nothing", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG, AT(verbose), NULL,
      "print a line for each step instead of a progress bar, also without a "
      "terminal", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_fit = {
    .name = "fit",
    .args = "results.db",
    .summary = "fit alpha, beta and tau with their intervals",
    .detail =
        "Simulates the schedule of each measured variant of Chorale's own on "
        "a network model, and fits its parameters to the measured times. "
        "alpha is the time of a message and beta that of a byte. They are "
        "separate for messages inside a node and between nodes if both were "
        "measured, and for messages up to a size and above it if the data "
        "shows a break. tau is the time of a reduced byte, for each type and "
        "operation. SimGrid adds 16 bytes to each message, whose time is in "
        "alpha; a note states alpha without it, the latency of the platform."
        "\n"
        "Two port models are fitted, and the one with the smaller error is "
        "kept. one_port: a message starts when both ends are ready and "
        "occupies its sender until it has arrived. overlapped: a sender "
        "continues at once, and its messages share its port. send_overhead, "
        "recv_overhead and gap are the parts of alpha that keep processors "
        "and ports busy; they require variants with several messages in "
        "flight. kappa is the number of ways in which the ranks of a node "
        "share its port.\n"
        "Inside a node messages are copies in memory: up to a size by the "
        "sender and then by the receiver, beyond by the receiver only. These "
        "copies keep the ranks busy; gap is then the time to post a receive. "
        "Launches of two or more "
        "ranks on a node time single messages, exchanges and copies of many "
        "sizes. The sizes at which the library changes its protocol are found "
        "from these times, which are also fitted. copy is the time of a byte "
        "that a rank copies in its own memory, and alpha of level rank that of "
        "a copy or reduction of any size. cold is the time that a byte "
        "takes in addition if it is not in a cache: for messages by size, and "
        "for copies and reductions (level rank). It applies to calls measured "
        "with buffers that rotate or are cold, at the first access to each "
        "byte, and to bytes of single copies that the sender writes in the "
        "call. Databases of earlier versions have no such times; then copy and "
        "cold are not fitted.\n"
        "The fit minimises relative errors, is robust against outliers, and "
        "never negative. With two or more launches each value has a 95 % "
        "interval from fits of each launch (by bootstrap from five launches "
        "on), otherwise one of the fit itself.\n"
        "Cross-validation: each number of ranks is left out in turn and "
        "predicted by a fit to the others, and larger numbers by fits to "
        "smaller ones (--crossval prints all results). If the error exceeds "
        "10 %, the prediction is not used. (Beyond the measured points the "
        "library's default is used; between them the model, corrected by the "
        "variant's own times around, as `chorale decide --help` explains.)\n"
        "For each variant the table has the median and the worst error of the "
        "fit at its points. predicted: the error that nine of ten points stay "
        "below when their number of ranks is left out. reach: how many times "
        "more ranks than in the fit were predicted within 10 %. lack: the "
        "p-value of a test whether the model misses a variant by more than "
        "the variation of its launches (simulated times are exact). If lack "
        "is below 0.01 and the worst error above 10 % (marked !), the variant "
        "is not predicted outside of the measured points. A second table lists "
        "the variants and sizes that the fit misses by more than 30 %. Up to "
        "eight sizes between the smallest and the largest are also predicted, "
        "each by a fit to the other sizes.\n"
        "The model assumes that alpha is equal between any two ranks, and "
        "that reducing a word takes far less than sending it, and a message "
        "far more than its word. Both are tested, with message times by "
        "distance from launches of three or more ranks with a processor each. "
        "kappa is also fitted by distance: in how many ways links are shared "
        "when all ranks send that far, in a shift, in pairs (r and r xor "
        "distance), and mirrored.\n"
        "For four or more nodes the links that explain these kappas are "
        "determined: a line, a ring, a grid, a torus, or switches of so many "
        "nodes. Schedules are then simulated over these links, so that "
        "predictions include shared links; the time of a hop is printed, for "
        "switches that of a level. If links share nothing but alpha differs, "
        "the geometry that explains alpha alone is used. If nothing explains "
        "them, or they were not determined, as for more than 2048 nodes or "
        "ranks not in blocks, this is reported and a flat network is assumed.\n"
        "Of a large database a sample is fitted, spread over variants, "
        "numbers of ranks and sizes; the first line shows how many cells.\n"
        "Imported times of an MPI library's own algorithms have a fit of their "
        "own, if the library's algorithm sends the messages of a variant of "
        "the catalogue. A time is a sum over the messages and bytes of the "
        "busiest rank in a node and between nodes, over the bytes that the "
        "ranks of a node send through its port, over reduced and copied bytes, "
        "and of protocols by size. For each algorithm the table has the error "
        "of this model, and of predictions for process counts that were left "
        "out: of the model alone, and corrected by the residuals of the "
        "algorithm at other process counts. ends: the first and last process "
        "count, which are extrapolated. This model is printed only, and not "
        "stored. Algorithms whose schedule is not known are listed.\n"
        "The tables model, model_variant and model_ranks of the database are "
        "replaced for each system with measured variants.",
    .example = "chorale fit results.db\n"
               "chorale fit results.db --dry-run",
    .opt = rows,
    .run = run,
};

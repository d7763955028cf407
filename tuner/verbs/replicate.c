/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate.c - the verb `replicate`: computes the best size of groups that
 * share replicated data. */
#include <math.h>

#include "tuner/base/verb.h"
#include "tuner/replicate/replicate_solve.h"
#include "tuner/run/run.h"

enum { SIDE_MAX = 100000 };
/* Largest accepted number; products of larger ones could overflow. */
#define MOST 1e15

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_rep_opts opts = {
        .datum = 8, .accesses = 1, .tx = 1, .tm = NAN,
        .alpha = NAN, .data = NAN, .bands = 1, .launcher = "mpiexec",
        .network = "hockney", .bandwidth = 1.25e9, .latency = 0,
    };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (opts.command != NULL)
        opts.launcher = "custom";
    return chorale_rep_solve(nword > 0 ? argv[1] : NULL, &opts, msg);
}

#define AT(field) offsetof(struct chorale_rep_opts, field)

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, AT(net), "NAME",
      "RS1, RS2: a regular mesh whose links carry one direction or both at "
      "once; WS1, WS2: a wrapped one; array, ring: one dimension with links "
      "of both directions; array1, ring1: of one direction; measured: any "
      "network, by the times of alltoall, reduce_scatter_block and allgather "
      "in the database at each group size (default: the line, ring or square "
      "grid of nodes that `chorale fit` found in the database; without a "
      "database RS2)", 0, 0 },
    { "n", 'n', CHORALE_OPT_INT, AT(n), "N", "elements in each dimension "
      "(default: the nodes of that grid); with measured, processes (default: "
      "the most)", 1, SIDE_MAX },
    { "accesses", 0, CHORALE_OPT_REAL, AT(accesses), "N_A",
      "how often each element modifies each datum (default: 1)", 1e-9, MOST },
    { "tx", 0, CHORALE_OPT_REAL, AT(tx), "T_X",
      "time to send a datum while groups update, in units of sending one at "
      "the end (default: 1)", 0, MOST },
    { "tm", 0, CHORALE_OPT_REAL, AT(tm), "T_M",
      "time to modify a datum, in the same units (default: tau / beta of the "
      "database)", 0, MOST },
    { "divisors", 0, CHORALE_OPT_FLAG, AT(divisors), NULL,
      "use only groups whose sides divide N", 0, 0 },
    { "open-groups", 0, CHORALE_OPT_FLAG, AT(open), NULL,
      "use the model of real links, as --measure does: groups that do not "
      "span a wrapped system are not wrapped (default: as in the paper they "
      "are, and if it matters both are printed)", 0, 0 },
    { "alpha", 0, CHORALE_OPT_REAL, AT(alpha), "ALPHA",
      "latency of a message, in the same units; with --data (default: that of "
      "the database, else 0)", 0, MOST },
    { "latency", 0, CHORALE_OPT_REAL, AT(alpha), "ALPHA", "the same as --alpha",
      0, MOST },
    { "data", 0, CHORALE_OPT_REAL, AT(data), "M",
      "number of data, over which latencies are spread (default: latency is "
      "ignored)", 1, MOST },
    { "bands", 0, CHORALE_OPT_REAL, AT(bands), "N_B",
      "number of update rounds; with a latency (default: 1)", 1,
      MOST },
    { "datum", 0, CHORALE_OPT_SIZE, AT(datum), "BYTES",
      "size of a datum, for the latency of a database (default: 8)", 1,
      1 << 30 },
    { "in", 0, CHORALE_OPT_TEXT, AT(in), "NAME",
      "system of the database, if there are several", 0, 0 },
    { "plot", 0, CHORALE_OPT_TEXT, AT(plot), "FILE",
      "draw T_o against the side into FILE.svg, FILE.png or FILE.pdf, with a "
      "data file beside it", 0, 0 },
    { "measure", 0, CHORALE_OPT_FLAG, AT(measure), NULL,
      "run the pattern in groups of all sides that divide N, on a Cartesian "
      "communicator, and print measured beside predicted times", 0, 0 },
    { "placements", 0, CHORALE_OPT_FLAG, AT(both), NULL,
      "with --measure: also run groups whose elements lie N / x apart "
      "(scatter allocation), not side by side (aggregate)", 0, 0 },
    { "repetitions", 'i', CHORALE_OPT_INT, AT(nrep), "NUMBER",
      "with --measure: repetitions, of which the median counts (default: 9; "
      "simulated: 1)",
      1, 1000 },
    { "launcher", 0, CHORALE_OPT_TEXT, AT(launcher), "NAME",
      "with --measure: mpiexec, srun, or smpirun to simulate (default: "
      "mpiexec)", 0, 0 },
    { "launcher-cmd", 0, CHORALE_OPT_TEXT, AT(command), "COMMAND",
      "with --measure: another launcher, as 'flux run -n {P}'", 0, 0 },
    CHORALE_NO_BIND_OPT(struct chorale_rep_opts, no_bind),
    { "ppn", 0, CHORALE_OPT_INT, AT(ppn), "N",
      "with --measure: ranks a node (default: all; simulated: 1)", 1,
      SIDE_MAX },
    { "platform", 0, CHORALE_OPT_TEXT, AT(platform), "FILE",
      "for smpirun: a platform file (default: the network of --system, built "
      "from the links between neighbours)", 0, 0 },
    { "network", 0, CHORALE_OPT_TEXT, AT(network), "NAME",
      "for smpirun: hockney, loggp or smpi (default: hockney)", 0, 0 },
    { "link-bandwidth", 0, CHORALE_OPT_REAL, AT(bandwidth), "B/S",
      "bandwidth of built links, bytes a second (default: 1.25e9)", 1, 0 },
    { "link-latency", 0, CHORALE_OPT_SECONDS, AT(latency), "TIME",
      "latency of built links (default: 0, as SimGrid gives messages with a "
      "longer path a smaller share of a link)", 0, 0 },
    { "save-platform", 0, CHORALE_OPT_TEXT, AT(save), "FILE",
      "only write the platform file that would be simulated",
      0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL, "print JSON: all sides", 0,
      0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_replicate = {
    .name = "replicate",
    .args = "[results.db]",
    .summary = "how large should groups be that share replicated data?",
    .detail =
        "Data that all elements of a mesh modify are replicated on each "
        "element, or shared by groups. Larger groups save modifications but "
        "cost more updates. Prints the best side of square groups by the "
        "model of Chen and Lee, T_o and its parts around it, and the result "
        "of the closed form. The paper's own proposition 3.7 is printed "
        "beside it, as it fails if N_a T_x is small.\n"
        "With a database the fitted model gives T_m = tau / beta, with --data "
        "the latency (not in the paper), and the network if `chorale fit` "
        "found a line, ring or square grid of links, whose elements are nodes. "
        "The latency of a simulated network contains the time of the 16 bytes "
        "that SimGrid adds to each message.\n"
        "--system measured uses the times of the collectives themselves, "
        "interpolated between measured sizes; groups with a missing time are "
        "listed with the reason. Groups are blocks of consecutive processes. "
        "If nodes hold several processes, a group updates with as many a node "
        "as it has there, and integration joins processes on different nodes, "
        "as many at once as a group has on a node; `plan --ppn` and "
        "`--siblings` measure this. If a collective was measured differently, "
        "its time is used and its row shows the difference.\n"
        "--measure runs the pattern: bands of updating (an alltoall between "
        "neighbours) and modification, integration (a reduce-scatter) and "
        "broadcasting (an allgather). Every rank verifies its result. In "
        "simulation T_m is charged; elsewhere additions are timed. The "
        "prediction uses the model of real links: a wrapped group that does "
        "not span its system is no ring, a ring through 3 x 3 elements shares "
        "links, and half-way round an odd half of a ring one direction is "
        "overloaded. If this changes T_o, the paper's form is printed as well.",
    .example = "chorale replicate --system RS2 --n 16 --accesses 2 --tm 50\n"
               "chorale replicate results.db --system WS2 --n 32 --accesses 4 "
               "--data 1e6 --plot groups.svg\n"
               "chorale replicate --measure --launcher smpirun --system WS2 "
               "--n 8 --tm 3\n"
               "chorale replicate results.db --system measured --data 1e6",
    .opt = rows,
    .run = run,
};

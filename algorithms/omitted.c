/* SPDX-License-Identifier: BSD-3-Clause */
/* omitted.c - table of published algorithms that the catalogue omits. */
#include "algorithms/omitted.h"

#include <stddef.h>

/* Reasons shared by several entries. */
static const char shared_memory[] =
    "works on flags and buffers in memory shared by the ranks of a node, "
    "which point-to-point messages do not provide";
static const char nic[] =
    "needs operations that the network card triggers without the CPU";
static const char bine_tree[] =
    "same messages, bytes and rounds as the binomial tree, with edges "
    "between nearer ranks: no gain on a flat network, less load on links "
    "shared by distant ranks. Lower priority";
static const char bine[] =
    "same messages, bytes and rounds as other halving and doubling "
    "algorithms, between nearer ranks: no gain on a flat network, less load "
    "on shared links. It is one half of allreduce bine_bw; alone it has "
    "lower priority";
static const char swing[] =
    "same messages, bytes and rounds as other halving and doubling "
    "algorithms, with nearer partners on a ring or torus: no gain on a flat "
    "network. It is one half of allreduce swing_bw; alone it has lower "
    "priority";
static const char pat[] =
    "trades rounds for buffer space: with unlimited space it has the rounds "
    "and bytes of the circulant variant; less space is useful in "
    "accelerators with small buffers";
static const char k_ring[] =
    "same rounds and bytes as a ring, with fewer messages between groups of k "
    "neighbours: no gain on a flat network. With nodes as groups two_level "
    "keeps more messages inside them. Lower priority";
static const char two_level[] =
    "would move n bytes to a leader of each node before any leaves it, so it "
    "takes longer than recursive_halving on a flat network; it would gain "
    "for short vectors if messages between nodes are slow. Lower priority "
    "than allreduce two_level";
static const char arrival[] =
    "its messages depend on the order of arrival, so its results and times "
    "differ from call to call: it could be measured but never chosen";

const struct chorale_omitted chorale_omitted[] = {
    { CHORALE_BARRIER, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_BCAST, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_BCAST, "triggered_tagged", nic, "MPICH, ch4 OFI" },
    { CHORALE_BCAST, "bine_tree", bine_tree,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_BCAST, "topo_tree",
      "needs the coordinates of the ranks in the network, which MPI does not "
      "provide; two_level uses the nodes, which it does provide",
      "MPICH, topology-aware trees" },
    { CHORALE_BCAST, "arrival_aware", arrival, "Faraj, Yuan, ICS 2005" },
    { CHORALE_BCAST, "mesh2d",
      "a broadcast along rows and columns costs more than the binomial tree "
      "on a flat network; on a mesh it needs the ranks' coordinates",
      "Barnett, van de Geijn et al., 1994" },
    { CHORALE_BCAST, "k_ring", k_ring,
      "Wilkins et al., 2023; a branch of MPICH" },
    { CHORALE_REDUCE, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_REDUCE, "bine_tree", bine_tree,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_REDUCE, "arrival_aware", arrival, "Faraj, Yuan, ICS 2005" },
    { CHORALE_ALLREDUCE, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_ALLREDUCE, "ccl", "calls a vendor's library for accelerators",
      "MPICH, NCCL and RCCL" },
    { CHORALE_ALLREDUCE, "multi_lane",
      "reduce-scatter in the nodes, an allreduce of each part between them, "
      "allgather: with one port it costs no less than rabenseifner or "
      "torus_2d. It gains if a node has several network ports, which no cost "
      "model here includes",
      "Traeff, Hunold, 2020" },
    { CHORALE_ALLREDUCE, "dissemination",
      "valid only for powers of two or idempotent operations (max, min, and, "
      "or), a property of user operations that MPI does not expose; at "
      "powers of two it is recursive_doubling in another order",
      "Bruck et al., IEEE TPDS 8(11), 1997" },
    { CHORALE_ALLREDUCE, "permutation",
      "trades rounds for bytes between recursive_doubling, with the fewest "
      "rounds, and ring or circulant, with the fewest bytes; both extremes "
      "are in the catalogue. It could gain for medium sizes only; lower "
      "priority, as MPI libraries do not have it",
      "Kolmakov, Zhang, arXiv 2004.09362" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "two_level", two_level,
      "no published implementation" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "swing", swing,
      "De Sensi et al., Swing, arXiv 2401.09356" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "bine", bine,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "pat", pat,
      "Jeaugey, arXiv 2506.20252" },
    { CHORALE_REDUCE_SCATTER, "two_level", two_level,
      "no published implementation" },
    { CHORALE_REDUCE_SCATTER, "swing", swing,
      "De Sensi et al., Swing, arXiv 2401.09356" },
    { CHORALE_REDUCE_SCATTER, "bine", bine,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_REDUCE_SCATTER, "pat", pat,
      "Jeaugey, arXiv 2506.20252" },
    { CHORALE_GATHER, "bine_tree", bine_tree,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_GATHERV, "or_whole",
      "needs the displacements on every rank: one broadcast more than its "
      "regular form, which is already the slowest variant",
      "US 8,140,826" },
    { CHORALE_SCATTER, "bine_tree", bine_tree,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_ALLGATHER, "recursive_halving_vec",
      "recursive_doubling with one message more; SimGrid's implementation is "
      "valid for powers of two only",
      "SimGrid rhv" },
    { CHORALE_ALLGATHER, "swing", swing,
      "De Sensi et al., Swing, arXiv 2401.09356" },
    { CHORALE_ALLGATHER, "bine", bine,
      "De Sensi et al., Bine trees, SC 2025, arXiv 2508.17311" },
    { CHORALE_ALLGATHER, "pat", pat,
      "Jeaugey, arXiv 2506.20252" },
    { CHORALE_ALLGATHER, "k_ring", k_ring,
      "Wilkins et al., 2023; a branch of MPICH" },
    { CHORALE_ALLGATHER, "intra_smp",
      "returns blocks in node order, not in rank order: not an allgather",
      "MPICH, internal" },
    { CHORALE_ALLTOALL, "bruck_nocopy",
      "same messages as bruck, with indexed datatypes instead of copies: the "
      "library then copies the same bytes, and the cost model makes no "
      "difference",
      "Traeff, Rougier, Hunold, ICS 2014" },
    { CHORALE_ALLTOALL, "two_level",
      "a leader would hold p n bytes, more than any other variant; useful "
      "only for a few bytes",
      "no published implementation over messages" },
    { CHORALE_ALLTOALL, "circulant",
      "moves nL/2 bytes as bruck does, in another order",
      "Traeff, arXiv 2410.14234" },
    { CHORALE_ALLTOALL, "replicating_mesh",
      "moves whole send buffers, P times the bytes needed; known only as a "
      "bad example",
      "SimGrid 2dmesh, 3dmesh" },
    { CHORALE_ALLTOALL, "replicating_rd",
      "moves whole send buffers, P times the bytes needed; known only as a "
      "bad example",
      "SimGrid rdb" },
    { CHORALE_ALLTOALL, "pair_rma",
      "one-sided: needs a window on the receive buffers, made by all ranks in "
      "every call; SimGrid's returns wrong data",
      "SimGrid pair_rma" },
    { CHORALE_SCAN, "double_tree",
      "a pipelined scan on two trees: about lg P rounds until the pipe is "
      "full instead of linear_segmented's P - 2, so it could gain for medium "
      "sizes and many ranks, also on a flat network. Lower priority, as "
      "MPI libraries do not have it",
      "Sanders, Speck, Traeff, Parallel Computing 35, 2009" },
    { CHORALE_NCOLL, NULL, NULL, NULL },
};

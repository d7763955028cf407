/* SPDX-License-Identifier: BSD-3-Clause */
/* missing.c - what is published and left out: see missing.h. */
#include "algorithms/missing.h"

#include <stddef.h>

/* Reasons that several share. */
static const char shared_memory[] =
    "works on flags and buffers in memory shared by the ranks of a node, "
    "which MPI's messages do not give";
static const char nic[] =
    "needs operations that the network card triggers by itself";
static const char bine[] =
    "a locality-preserving order of the binomial tree's edges: on a flat "
    "network it costs what the binomial variant costs; to be added with "
    "measurements on a network where locality counts";
static const char arrival[] =
    "its messages depend on who arrives first, so its results and times "
    "differ from call to call: it could be measured, but never chosen";

const struct chorale_missing chorale_missing[] = {
    { CHORALE_BARRIER, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_BCAST, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_BCAST, "triggered_tagged", nic, "MPICH, ch4 OFI" },
    { CHORALE_BCAST, "bine_tree", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_BCAST, "topo_tree",
      "needs the coordinates of the ranks in the network, which MPI does not "
      "tell; two_level uses what it does tell",
      "MPICH, topology-aware trees" },
    { CHORALE_BCAST, "arrival_aware", arrival, "Faraj, Yuan, ICS 2005" },
    { CHORALE_BCAST, "mesh2d",
      "a broadcast along rows and columns costs more than the binomial tree "
      "on a flat network, and on a mesh it needs the ranks' places in it",
      "Barnett, van de Geijn et al., 1994" },
    { CHORALE_BCAST, "k_ring",
      "lives in a branch of MPICH only, and needs groups of k neighbours that "
      "share fast links: to be added with two_level's node maps",
      "Wilkins et al., 2023" },
    { CHORALE_REDUCE, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_REDUCE, "bine_tree", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_REDUCE, "arrival_aware", arrival, "Faraj, Yuan, ICS 2005" },
    { CHORALE_ALLREDUCE, "release_gather", shared_memory,
      "MPICH, ch4 shared memory" },
    { CHORALE_ALLREDUCE, "ccl", "calls a vendor's library for accelerators",
      "MPICH, NCCL and RCCL" },
    { CHORALE_ALLREDUCE, "multi_lane",
      "gains only where a node has several network ports at once, and needs a "
      "system with them to be shown right",
      "Traeff, Hunold, 2020" },
    { CHORALE_ALLREDUCE, "dissemination",
      "right only for powers of two or operations that may be applied twice "
      "(max, min, and, or), which MPI does not tell of a user's operation; at "
      "powers of two it is recursive_doubling in another order",
      "Bruck et al., IEEE TPDS 8(11), 1997" },
    { CHORALE_ALLREDUCE, "permutation",
      "a family between recursive_doubling and ring; its generator of "
      "permutations is not yet written",
      "Kolmakov, Zhang, arXiv 2004.09362" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "two_level",
      "needs blocks reordered by node at both levels",
      "no published implementation" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "swing",
      "costs what recursive_halving costs on a flat network; allreduce "
      "swing_bw has the exchange",
      "De Sensi et al., arXiv 2401.09356" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "bine", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "pat",
      "a ring of trees for small buffers in accelerators; circulant has its "
      "round count without the buffers",
      "Jeaugey, arXiv 2506.20252" },
    { CHORALE_GATHER, "bine_tree", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_GATHERV, "or_whole",
      "needs the displacements on every rank: a broadcast more than its "
      "regular form, which is already the slowest way",
      "US 8,140,826" },
    { CHORALE_SCATTER, "bine_tree", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_ALLGATHER, "recursive_halving_vec",
      "recursive_doubling with one message more; SimGrid's form is right for "
      "powers of two only",
      "SimGrid rhv" },
    { CHORALE_ALLGATHER, "swing",
      "costs what recursive_doubling costs on a flat network; allreduce "
      "swing_bw has the exchange",
      "De Sensi et al., arXiv 2401.09356" },
    { CHORALE_ALLGATHER, "bine", bine,
      "De Sensi et al., SC'25, arXiv 2508.17311" },
    { CHORALE_ALLGATHER, "pat",
      "a ring of trees for small buffers in accelerators; circulant_log has "
      "its round count without the buffers",
      "Jeaugey, arXiv 2506.20252" },
    { CHORALE_ALLGATHER, "k_ring",
      "lives in a branch of MPICH only, and needs groups of k neighbours that "
      "share fast links",
      "Wilkins et al., 2023" },
    { CHORALE_ALLGATHER, "intra_smp",
      "returns blocks in node order, not in rank order: not an allgather",
      "MPICH, internal" },
    { CHORALE_ALLTOALL, "bruck_nocopy",
      "the same messages as bruck with indexed datatypes instead of copies: "
      "slower than packing in the MPI libraries at hand",
      "Traeff, Rougier, Hunold, ICS 2014" },
    { CHORALE_ALLTOALL, "two_level",
      "a leader would hold p n bytes, more than any other variant; useful "
      "only for a few bytes",
      "no published implementation over messages" },
    { CHORALE_ALLTOALL, "circulant",
      "moves nL/2 bytes as bruck does, in another order",
      "Traeff, arXiv 2410.14234" },
    { CHORALE_ALLTOALL, "replicating_mesh",
      "moves whole send buffers, P times what is needed; known only as a "
      "warning",
      "SimGrid 2dmesh, 3dmesh" },
    { CHORALE_ALLTOALL, "replicating_rd",
      "moves whole send buffers, P times what is needed; known only as a "
      "warning",
      "SimGrid rdb" },
    { CHORALE_ALLTOALL, "pair_rma",
      "one-sided; SimGrid's returns wrong data", "SimGrid pair_rma" },
    { CHORALE_SCAN, "double_tree",
      "a pipelined scan on two trees; the schedule that keeps one port busy "
      "is not yet written",
      "Sanders, Speck, Traeff, 2009" },
    { CHORALE_NCOLL, NULL, NULL, NULL },
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* default_table.c - the compiled-in table, which leaves every collective to
 * the library. */
#include "algorithms/dispatch/table/table_load.h"

static const struct chorale_choice library = {
    .provider = "library", .variant = "default", .params = ""
};

const struct chorale_table chorale_default_table = {
    .abi = CHORALE_TABLE_ABI,
    .digest = "default",
    .campaign = "",
    .system = "",
    .mpi_library = "",
    .coverage = "no measurements: every call goes to the library",
    .nchoice = 1,
    .choice = &library
};

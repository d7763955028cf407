/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.h - every variant by name, chorale_<collective>_<name>: for the
 * registry and for variants made of others. catalogue.inc has one row
 * VARIANT(collective, name) a variant; it is generated from the lists of files
 * in the folders' local.am, in their order. */
#ifndef CHORALE_ALGORITHMS_CATALOGUE_H
#define CHORALE_ALGORITHMS_CATALOGUE_H

#include "algorithms/alg.h"

#define VARIANT(coll, name)                                                  \
    extern const struct chorale_alg chorale_##coll##_##name;
#include "algorithms/catalogue.inc"
#undef VARIANT

#endif

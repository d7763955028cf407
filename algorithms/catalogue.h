/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.h - declarations of all variants, chorale_<collective>_<name>.
 *
 * For the registry and for variants that use other variants. catalogue.inc has
 * one row VARIANT(collective, name) per variant; it is generated from the file
 * lists in the folders' local.am, in their order. */
#ifndef CHORALE_ALGORITHMS_CATALOGUE_H
#define CHORALE_ALGORITHMS_CATALOGUE_H

#include "algorithms/alg.h"

#define VARIANT(coll, name)                                                  \
    extern const struct chorale_alg chorale_##coll##_##name;
#include "algorithms/catalogue.inc"
#undef VARIANT

#endif

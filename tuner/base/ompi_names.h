/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_names.h - the algorithms of Open MPI's component tuned, by name and
 * number. */
#ifndef CHORALE_TUNER_BASE_OMPI_NAMES_H
#define CHORALE_TUNER_BASE_OMPI_NAMES_H

#include <stddef.h>

#include "algorithms/coll.h"

struct chorale_ompi_algorithm {
    enum chorale_coll coll;
    const char *name;        /* as in MPI_T and in the runner */
    int id, fanout;          /* fanout: the library's default for chains */
    int reorders;            /* reorders operands, whatever the operation */
};

/* Find an algorithm by name, which parameters may follow after a colon, or by
 * number; NULL if unknown. */
const struct chorale_ompi_algorithm *
chorale_ompi_find(enum chorale_coll coll, const char *name);
const struct chorale_ompi_algorithm *chorale_ompi_number(enum chorale_coll coll,
                                                         int id);
/* Algorithm i of all collectives, from 0; NULL after the last. */
const struct chorale_ompi_algorithm *chorale_ompi_algorithm(size_t i);

#endif

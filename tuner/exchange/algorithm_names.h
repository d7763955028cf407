/* SPDX-License-Identifier: BSD-3-Clause */
/* algorithm_names.h - tell by its name whether an algorithm of an imported file
 * is one of the MPI library, and which.
 *
 * Known are the values of MPICH's variables MPIR_CVAR_*_INTRA_ALGORITHM, the
 * names and numbers of Open MPI's component tuned, and those of Intel MPI's
 * variables I_MPI_ADJUST_*. Case, "_", "-" and spaces do not matter, and common
 * other spellings are known too. */
#ifndef CHORALE_TUNER_EXCHANGE_ALGORITHM_NAMES_H
#define CHORALE_TUNER_EXCHANGE_ALGORITHM_NAMES_H

#include "algorithms/coll.h"

enum { CHORALE_ALGORITHM_NAME = 64, CHORALE_ALGORITHM_PARAMS = 128 };

enum chorale_family {
    CHORALE_FAMILY_UNKNOWN, CHORALE_FAMILY_OMPI, CHORALE_FAMILY_MPICH,
    CHORALE_FAMILY_INTEL
};

/* An algorithm as table cell has it. */
struct chorale_algorithm_name {
    const char *provider;    /* "native" or "foreign" */
    char variant[CHORALE_ALGORITHM_NAME];
    char params[CHORALE_ALGORITHM_PARAMS];
    int guessed;             /* 1: native, but nothing names the library */
};

/* The family of an MPI library by its name or version text. */
enum chorale_family chorale_family_of(const char *library);

/* The library's own name of an algorithm, or NULL. CHORALE_FAMILY_UNKNOWN: of
 * any of the libraries. text: a name or number. The result is static. */
const char *chorale_native_name_of(enum chorale_family family,
                                   enum chorale_coll coll, const char *text);

/* Translate an algorithm and its parameters of a file.
 * name: a name that ends in _ompi, _mpich or _intel is one of that library; a
 *   name that ends in _over is foreign.
 * params: NAME=VALUE, separated by ";", "," or spaces. A variable that forces
 *   algorithms names the library. impl=mpi states that the algorithm is the
 *   library's, another impl that it is not.
 * In *out, params lacks what is no parameter of the algorithm (count, total,
 * the variable) and is sorted as in table cell. Returns NULL, or the reason why
 * the texts cannot be stored. */
const char *chorale_algorithm_of(enum chorale_family family,
                                 enum chorale_coll coll, const char *name,
                                 const char *params,
                                 struct chorale_algorithm_name *out);

/* Whether a line, such as an echoed command, forces an algorithm of coll. */
int chorale_line_forces(enum chorale_coll coll, const char *line);

/* The name of an algorithm of coll among the words of a file's base name, or
 * NULL. */
const char *chorale_file_forces(enum chorale_coll coll, const char *base);

/* The number in a word of a file's base name like alg4, ALG_4 or algorithm4; 0:
 * none, or the library's default. */
long chorale_file_number(const char *base);

#endif

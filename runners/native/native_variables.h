/* SPDX-License-Identifier: BSD-3-Clause */
/* native_variables.h - control variables of the MPI library, through MPI_T.
 * Call between MPI_T_init_thread and MPI_T_finalize. */
#ifndef CHORALE_RUNNERS_NATIVE_NATIVE_VARIABLES_H
#define CHORALE_RUNNERS_NATIVE_NATIVE_VARIABLES_H

#include <mpi.h>
#include <stddef.h>

struct chorale_variable {
    int index, scope;
    MPI_Datatype type;
    MPI_T_enum items;
    char *text;              /* allocated; the caller frees it */
};

/* A control variable that this program writes. */
struct chorale_knob {
    MPI_T_cvar_handle handle;
    int open;
    int initial;             /* value before: the library's or the user's */
};

/* Set *var to the description of a variable. Returns 0, or -1 if the library
 * has no such variable. */
int chorale_variable_describe(const char *name, struct chorale_variable *var);

/* Write the value of a variable that is a text or an int. Returns 0, or -1 if
 * the library has no such variable, or it is of another type, or too long. */
int chorale_variable_text(const char *name, char *text, size_t size);

/* 1 if a variable is a text that is not empty. */
int chorale_variable_is_set(const char *name);

/* Read the bytes of a variable; zeros if it does not exist. */
void chorale_variable_read(const char *name, unsigned char value[16]);

/* Open an int variable for writing. -1: read-only, or not an int. */
int chorale_knob_open(const struct chorale_variable *var,
                      struct chorale_knob *knob);
void chorale_knob_close(struct chorale_knob *knob);

#endif

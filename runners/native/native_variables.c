/* SPDX-License-Identifier: BSD-3-Clause */
/* native_variables.c - control variables of the MPI library, through MPI_T. */
#include "runners/native/native_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int chorale_variable_describe(const char *name, struct chorale_variable *var)
{
    int room = 0, verbosity, bind;

    var->text = NULL;
    var->items = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_index(name, &var->index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(var->index, NULL, NULL, &verbosity, &var->type,
                            &var->items, NULL, &room, &bind,
                            &var->scope) != MPI_SUCCESS || room < 1)
        return -1;
    var->text = calloc((size_t)room + 1, 1);
    if (var->text == NULL)
        return -1;
    return MPI_T_cvar_get_info(var->index, NULL, NULL, &verbosity, &var->type,
                               &var->items, var->text, &room, &bind,
                               &var->scope) == MPI_SUCCESS ? 0 : -1;
}

int chorale_knob_open(const struct chorale_variable *var,
                      struct chorale_knob *knob)
{
    int count = 0;

    if (var->type != MPI_INT || var->scope == MPI_T_SCOPE_CONSTANT ||
        var->scope == MPI_T_SCOPE_READONLY ||
        MPI_T_cvar_handle_alloc(var->index, NULL, &knob->handle, &count) !=
            MPI_SUCCESS)
        return -1;
    knob->open = 1;
    return count == 1 && MPI_T_cvar_read(knob->handle, &knob->initial) ==
                             MPI_SUCCESS ? 0 : -1;
}

int chorale_variable_text(const char *name, char *text, size_t size)
{
    struct chorale_variable var;
    MPI_T_cvar_handle handle;
    char *value;
    int count = 0, number, length = -1;

    if (chorale_variable_describe(name, &var) == 0 &&
        MPI_T_cvar_handle_alloc(var.index, NULL, &handle, &count) ==
            MPI_SUCCESS) {
        value = calloc((size_t)count + 1, 1);
        if (value != NULL && var.type == MPI_CHAR &&
            MPI_T_cvar_read(handle, value) == MPI_SUCCESS)
            length = snprintf(text, size, "%s", value);
        else if (var.type == MPI_INT && count == 1 &&
                 MPI_T_cvar_read(handle, &number) == MPI_SUCCESS)
            length = snprintf(text, size, "%d", number);
        free(value);
        MPI_T_cvar_handle_free(&handle);
    }
    free(var.text);
    return length >= 0 && length < (int)size ? 0 : -1;
}

int chorale_variable_is_set(const char *name)
{
    char text[4096];

    return chorale_variable_text(name, text, sizeof(text)) == 0 &&
           text[0] != '\0';
}

void chorale_knob_close(struct chorale_knob *knob)
{
    if (knob->open)
        MPI_T_cvar_handle_free(&knob->handle);
    knob->open = 0;
}

void chorale_variable_read(const char *name, unsigned char value[16])
{
    MPI_T_cvar_handle handle;
    struct chorale_variable var;
    int count;

    memset(value, 0, 16);
    if (chorale_variable_describe(name, &var) == 0 &&
        MPI_T_cvar_handle_alloc(var.index, NULL, &handle, &count) ==
            MPI_SUCCESS) {
        if (count != 1 || MPI_T_cvar_read(handle, value) != MPI_SUCCESS)
            memset(value, 0, 16);
        MPI_T_cvar_handle_free(&handle);
    }
    free(var.text);
}

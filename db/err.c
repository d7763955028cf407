/* SPDX-License-Identifier: BSD-3-Clause */
/* err.c - errors: see err.h. */
#include "db/err.h"

#include <stdarg.h>
#include <stdio.h>

const char *chorale_err_text(enum chorale_err err)
{
    switch (err) {
#define X(name, value, text)                                                 \
    case name:                                                               \
        return text;
        CHORALE_ERR_LIST(X)
#undef X
    }
    return "unknown error";
}

enum chorale_err chorale_fail(struct chorale_errmsg *msg, enum chorale_err err,
                              const char *format, ...)
{
    if (msg != NULL) {
        va_list ap;

        va_start(ap, format);
        vsnprintf(msg->text, sizeof(msg->text), format, ap);
        va_end(ap);
    }
    return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* compile_c.c - starts the C compiler on a generated table. */
#include "config.h"

#include "tuner/emit/compile_c.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/dispatch/table/table_load.h"
#include "tuner/base/process.h"

const char *chorale_c_compiler(void)
{
    static const char *const known[] = { "cc", "gcc", "clang" };
    const char *cc = getenv("CC");

    if (cc != NULL && cc[0] != '\0' && chorale_in_path(cc))
        return cc;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (chorale_in_path(known[i]))
            return known[i];
    return NULL;
}

static enum chorale_err compile(const char *source, const char *object,
                                const char *optimize,
                                struct chorale_errmsg *msg)
{
    const char *cc = chorale_c_compiler();
    struct chorale_args args = { .count = 0 };
    char output[1024] = "";
    int status = 0;
    enum chorale_err err;

    if (cc == NULL)
        return chorale_fail(msg, CHORALE_ENV,
                            "no C compiler to make the table with: neither "
                            "cc, gcc nor clang is in PATH; install one, or "
                            "name it in CC");
    chorale_args_add(&args, "%s", cc);
    chorale_args_add(&args, "%s", optimize);
    chorale_args_add(&args, "-shared");
    chorale_args_add(&args, "-fPIC");
    chorale_args_add(&args, "-o");
    chorale_args_add(&args, "%s", object);
    chorale_args_add(&args, "-x");
    chorale_args_add(&args, "c");
    chorale_args_add(&args, "%s", source);
    err = chorale_capture(&args, NULL, output, sizeof(output), &status, msg);
    chorale_args_free(&args);
    if (err == CHORALE_OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        err = chorale_fail(msg, CHORALE_ENV, "%s cannot compile the table: "
                           "%.300s; name another compiler in CC", cc, output);
    return err;
}

enum chorale_err chorale_c_compile(const char *source, const char *object,
                                   struct chorale_errmsg *msg)
{
    return compile(source, object, "-O2", msg);
}

enum chorale_err chorale_c_load(const char *source,
                                const struct chorale_table **table_p,
                                struct chorale_errmsg *msg)
{
    const char *tmp = getenv("TMPDIR");
    char dir[PATH_MAX - 16], object[PATH_MAX], why[300];
    int len = snprintf(dir, sizeof(dir), "%s/chorale-XXXXXX",
                       tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
    enum chorale_err err;

    if (len >= (int)sizeof(dir) || mkdtemp(dir) == NULL)
        return chorale_fail(msg, CHORALE_ENV, "%.200s: no folder can be made: "
                            "%s; name another one in TMPDIR", dir,
                            strerror(errno));
    snprintf(object, sizeof(object), "%s/table.so", dir);
    err = compile(source, object, "-O0", msg);
    if (err == CHORALE_OK &&
        chorale_table_load(object, table_p, NULL, why, sizeof(why)) != 0)
        err = chorale_fail(msg, CHORALE_ENV, "%.200s: the compiled table "
                           "cannot be loaded: %s; name another folder in "
                           "TMPDIR", dir, why);
    unlink(object);
    rmdir(dir);
    return err;
}

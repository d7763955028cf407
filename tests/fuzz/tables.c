/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - fuzzing target: output of other benchmarks. Accepted rows must be
 * valid for a database. */
#include <math.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/foreign.h"

static void check(const struct chorale_foreign_row *row)
{
    if (!(row->avg > 0) || !isfinite(row->avg))
        chorale_fuzz_broken("a time that is not positive and finite");
    if (row->msg_size < 0 || row->comm_size < 0 || row->nrep < 0 ||
        row->pass < 0)
        chorale_fuzz_broken("a negative number");
    if (row->dtype == NULL || row->op == NULL || row->root == NULL ||
        row->buffers == NULL || row->metric == NULL)
        chorale_fuzz_broken("a word is missing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = chorale_fuzz_file(data, size);
    struct chorale_foreign f;
    struct chorale_errmsg msg = { "" };
    int is = 0;

    if (path == NULL)
        return 0;
    if (chorale_foreign_read(path, size % 2 == 1, &is, &f, &msg) != CHORALE_OK) {
        if (msg.text[0] == '\0' || strchr(msg.text, '\n') != NULL)
            chorale_fuzz_broken("an error without its line");
    } else if (is) {
        if (f.nrow == 0)
            chorale_fuzz_broken("no row, and no error");
        for (size_t i = 0; i < f.nrow; i++)
            check(&f.row[i]);
    }
    chorale_foreign_release(&f);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* timings.c - fuzzing target: CSV files with timings of algorithms. Accepted
 * rows must be valid for a database. */
#include <math.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/timings.h"

static void check(const struct chorale_timing *row)
{
    const char *const text[] = { row->system, row->mpi,    row->provider,
                                 row->variant, row->params, row->dtype,
                                 row->op,      row->rep,    row->root };

    if (!(row->seconds > 0) || !isfinite(row->seconds))
        chorale_fuzz_broken("a time that is not positive and finite");
    if (row->msg_size < 0 || row->comm_size < 1 || row->ppn < 1 ||
        row->ppn > row->comm_size || row->line < 1)
        chorale_fuzz_broken("a number out of its range");
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (text[i] == NULL)
            chorale_fuzz_broken("a word is missing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = chorale_fuzz_file(data, size);
    const struct chorale_import_as as = { .command = "", .label = "",
                                          .statistic = -1 };
    struct chorale_timings t;
    struct chorale_errmsg msg = { "" };
    int is = 0;

    if (path == NULL)
        return 0;
    if (chorale_timings_read(path, &as, &is, &t, &msg) != CHORALE_OK) {
        if (msg.text[0] == '\0' || strchr(msg.text, '\n') != NULL)
            chorale_fuzz_broken("an error without its line");
    } else if (is) {
        if (t.nrow == 0)
            chorale_fuzz_broken("no row, and no error");
        for (size_t i = 0; i < t.nrow; i++)
            check(&t.row[i]);
    }
    chorale_timings_release(&t);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c - fuzzing target: files of CHORALE_TRACE. */
#include <math.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/trace_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = chorale_fuzz_file(data, size);
    struct chorale_trace_text t;
    struct chorale_errmsg msg = { "" };

    if (path == NULL)
        return 0;
    if (chorale_trace_read(path, &t, &msg) != CHORALE_OK) {
        if (msg.text[0] == '\0' || strchr(msg.text, '\n') != NULL)
            chorale_fuzz_broken("an error without its line");
    } else {
        for (size_t i = 0; i < t.npoint; i++)
            if (t.point[i].n < 0 || t.point[i].msg_size < 0 ||
                t.point[i].comm_size < 1 || !isfinite(t.point[i].seconds))
                chorale_fuzz_broken("an invalid point");
    }
    chorale_trace_release(&t);
    return 0;
}

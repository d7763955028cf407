/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c - output of squeue and sacct is parsed, and a waiting command
 * tolerates their failures for a limited time. */
#include "config.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/slurm/slurm.h"

static void is_text(const char *is, const char *wanted, const char *name)
{
    if (!tap_ok(strcmp(is, wanted) == 0, "%s", name))
        tap_diag("%s, wanted %s", is, wanted);
}

static void lines(void)
{
    static char said[] = "7 0 RUNNING None\n"
                         "7 1 PENDING launch failed requeued held\n"
                         "70 N/A PENDING Dependency\n";
    const struct chorale_slurm_queue queue = { said };
    char text[128] = "kept";

    tap_ok(chorale_slurm_state(&queue, "7", 0, text, sizeof(text)),
           "a task of an array is found");
    is_text(text, "RUNNING", "the reason None is left out");
    chorale_slurm_state(&queue, "7", 1, text, sizeof(text));
    is_text(text, "PENDING (launch failed requeued held)",
            "another reason is kept");
    tap_ok(chorale_slurm_held(text), "a held job is recognised");
    chorale_slurm_state(&queue, "70", -1, text, sizeof(text));
    is_text(text, "PENDING (Dependency)", "a job without an array is found");
    tap_ok(!chorale_slurm_held(text), "a dependency is not held");
    tap_ok(!chorale_slurm_state(&queue, "7", 2, text, sizeof(text)),
           "an unlisted task is not found");
    is_text(text, "PENDING (Dependency)",
            "the text is unchanged for an unlisted task");
    tap_ok(chorale_slurm_end_state("7_0|FAILED|3:0\n7_1|TIMEOUT|0:0\n", "7_0",
                                   text, sizeof(text)),
           "sacct's line of a task is found");
    is_text(text, "FAILED (exit code 3)",
            "sacct's line has state and exit code");
}

static void patience(void)
{
    const long long then = 1000000;
    long long since = 0;

    tap_ok(chorale_slurm_may_retry(CHORALE_OK, then, &since) && since == 0,
           "an answer resets the failures");
    tap_ok(chorale_slurm_may_retry(CHORALE_ENV, then, &since) && since == then,
           "one failure is tolerated");
    tap_ok(chorale_slurm_may_retry(CHORALE_ENV,
                                   then + CHORALE_SLURM_PATIENCE - 1, &since)
               && since == then, "further failures are tolerated within the "
                                 "limit");
    tap_ok(!chorale_slurm_may_retry(CHORALE_ENV, then + CHORALE_SLURM_PATIENCE,
                                  &since), "failures beyond the limit are not "
                                           "tolerated");
    tap_ok(chorale_slurm_may_retry(CHORALE_OK, then + 590, &since)
               && chorale_slurm_may_retry(CHORALE_ENV,
                                          then + CHORALE_SLURM_PATIENCE, &since)
               && since == then + CHORALE_SLURM_PATIENCE,
           "after an answer the limit starts again");
}

int main(void)
{
    lines();
    patience();
    return tap_done();
}

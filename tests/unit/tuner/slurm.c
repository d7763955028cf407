/* SPDX-License-Identifier: BSD-3-Clause */
/* What squeue and sacct say, and for how long one who waits goes on without
 * them. */
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
           "a task is there");
    is_text(text, "RUNNING", "without a reason that is none");
    chorale_slurm_state(&queue, "7", 1, text, sizeof(text));
    is_text(text, "PENDING (launch failed requeued held)", "with its reason");
    tap_ok(chorale_slurm_held(text), "which says that it is held");
    chorale_slurm_state(&queue, "70", -1, text, sizeof(text));
    is_text(text, "PENDING (Dependency)", "a job that is no array");
    tap_ok(!chorale_slurm_held(text), "is not held");
    tap_ok(!chorale_slurm_state(&queue, "7", 2, text, sizeof(text)),
           "another task is not there");
    is_text(text, "PENDING (Dependency)", "and nothing is said of it");
    tap_ok(chorale_slurm_ending("7_0|FAILED|3:0\n7_1|TIMEOUT|0:0\n", "7_0",
                                text, sizeof(text)), "sacct knows one");
    is_text(text, "FAILED (exit code 3)", "and how it ended");
}

static void patience(void)
{
    const long long then = 1000000;
    long long since = 0;

    tap_ok(chorale_slurm_patient(CHORALE_OK, then, &since) && since == 0,
           "an answer is no failure");
    tap_ok(chorale_slurm_patient(CHORALE_ENV, then, &since) && since == then,
           "one failure is waited out");
    tap_ok(chorale_slurm_patient(CHORALE_ENV,
                                 then + CHORALE_SLURM_PATIENCE - 1, &since)
               && since == then, "and more, for so long");
    tap_ok(!chorale_slurm_patient(CHORALE_ENV, then + CHORALE_SLURM_PATIENCE,
                                  &since), "no longer");
    tap_ok(chorale_slurm_patient(CHORALE_OK, then + 590, &since)
               && chorale_slurm_patient(CHORALE_ENV,
                                        then + CHORALE_SLURM_PATIENCE, &since)
               && since == then + CHORALE_SLURM_PATIENCE,
           "after an answer it begins anew");
}

int main(void)
{
    lines();
    patience();
    return tap_done();
}

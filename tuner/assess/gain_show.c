/* SPDX-License-Identifier: BSD-3-Clause */
/* gain_show.c - prints the gain of a table as text or JSON. */
#include "tuner/assess/gain_show.h"

#include <stdio.h>

#include "tuner/base/rows.h"
#include "tuner/base/units.h"

#define TOP 10

static const char *const kind[] = { "table", "library", "not measured",
                                    "tuned already" };

static double share(double part, double all)
{
    return all > 0 ? part / all : 0;
}

static const char columns[] =
    "collective=coll|=n|m=msg_size:B|P=comm_size|type=dtype|op=op|=choice|"
    "=covered|=seconds|share:%.1f %%|x library=ratio:%.3f|=won|won:%.1f %%||"
    "choice";

int chorale_gain_show(const struct chorale_gain *gain, int points, int json)
{
    const double other = gain->seconds - gain->covered;
    struct chorale_rows rows = { .columns = columns };
    char all[32], won[32];

    for (size_t i = 0; i < gain->count && (json || points || i < TOP); i++) {
        const struct chorale_gain_point *p = &gain->point[i];

        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(p->coll, p->n, p->msg_size, p->comm_size, p->dtype,
                           p->op, p->choice, kind[p->kind], p->seconds,
                           share(p->seconds, gain->seconds), p->ratio, p->won,
                           share(p->won, gain->seconds), kind[p->kind],
                           p->kind == CHORALE_GAIN_UNKNOWN ? "-" : p->choice));
    }
    if (json)
        return chorale_json_print(json_pack(
            "{s:f, s:f, s:f, s:f, s:o}", "program_seconds", gain->wall,
            "collective_seconds", gain->seconds, "covered_seconds",
            gain->covered, "won_seconds", gain->won, "points",
            chorale_rows_json(&rows)));
    printf("A rank's time in collectives: %s, %.1f %% of the program.\n"
           "The table wins %s of it: %.1f %%, and %.1f %% of the program.\n"
           "Covered by measurements: %.1f %%; the other %.1f %% count as the "
           "library's.\n\n",
           chorale_human_seconds(gain->seconds, all),
           100 * share(gain->seconds, gain->wall),
           chorale_human_seconds(gain->won, won),
           100 * share(gain->won, gain->seconds),
           100 * share(gain->won, gain->wall),
           100 * share(gain->covered, gain->seconds),
           100 * share(other, gain->seconds));
    if (chorale_rows_print(&rows, 0, stdout) != 0)
        return -1;
    if (!points && gain->count > TOP)
        printf("and %zu more point%s; use --points\n", gain->count - TOP,
               chorale_plural((long long)(gain->count - TOP)));
    return 0;
}

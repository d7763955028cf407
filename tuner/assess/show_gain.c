/* SPDX-License-Identifier: BSD-3-Clause */
/* show_gain.c - prints the gain of a table as text or JSON. */
#include "tuner/assess/show_gain.h"

#include <jansson.h>
#include <stdio.h>

#include "tuner/base/units.h"

#define TOP 10

static const char *const kind[] = { "table", "library", "not measured",
                                    "tuned already" };

static double share(double part, double all)
{
    return all > 0 ? part / all : 0;
}

static int show_json(const struct chorale_gain *gain)
{
    json_t *list = json_array(), *root;
    int bad = list == NULL;

    for (size_t i = 0; i < gain->count && !bad; i++) {
        const struct chorale_gain_point *p = &gain->point[i];

        bad = json_array_append_new(list, json_pack(
            "{s:s, s:I, s:I, s:i, s:s, s:s, s:s, s:s, s:f, s:f, s:f}",
            "coll", p->coll, "n", (json_int_t)p->n, "msg_size",
            (json_int_t)p->msg_size, "comm_size", p->comm_size, "dtype",
            p->dtype, "op", p->op, "choice", p->choice, "covered",
            kind[p->kind], "seconds", p->seconds, "ratio", p->ratio, "won",
            p->won)) != 0;
    }
    root = json_pack("{s:f, s:f, s:f, s:f, s:o}", "program_seconds",
                     gain->wall, "collective_seconds", gain->seconds,
                     "covered_seconds", gain->covered, "won_seconds",
                     gain->won, "points", list);
    if (root == NULL || bad || json_dumpf(root, stdout, JSON_INDENT(2)) != 0)
        bad = 1;
    else
        putchar('\n');
    json_decref(root);
    return bad ? -1 : 0;
}

int chorale_gain_show(const struct chorale_gain *gain, int points, int json)
{
    const double other = gain->seconds - gain->covered;
    char all[32], won[32];

    if (json)
        return show_json(gain);
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
    printf("%-20s %10s %6s %-8s %-5s %7s %9s %7s  %-13s %s\n", "", "m", "P",
           "type", "op", "share", "x library", "won", "", "choice");
    for (size_t i = 0; i < gain->count && (points || i < TOP); i++) {
        const struct chorale_gain_point *p = &gain->point[i];
        char m[32];

        printf("%-20s %10s %6d %-8s %-5s %5.1f %% %9.3f %5.1f %%  %-13s %s\n",
               p->coll, chorale_human_bytes((double)p->msg_size, m),
               p->comm_size, p->dtype, p->op[0] != '\0' ? p->op : "-",
               100 * share(p->seconds, gain->seconds), p->ratio,
               100 * share(p->won, gain->seconds), kind[p->kind],
               p->kind == CHORALE_GAIN_UNKNOWN ? "-" : p->choice);
    }
    if (!points && gain->count > TOP)
        printf("and %zu more points; use --points\n", gain->count - TOP);
    return 0;
}

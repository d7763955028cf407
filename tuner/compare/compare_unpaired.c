/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_unpaired.c - explains why two sides share no cell: how the two most
 * similar cells differ, and how to plan equal ones. */
#include "tuner/compare/comparison.h"

#include <stdio.h>
#include <string.h>

#define NEAR 2000 /* most cells of a side to examine */

enum key { COLL, PROCS, PPN, SHAPE, TYPE, OP, SIZE, VARIANT, ROOT, BUFFERS,
           NKEY };

static const struct {
    const char *name;
    const char *option;      /* of `chorale plan`; NULL: has no option */
} keys[NKEY] = {
    [COLL] = { "collective", "-c" }, [PROCS] = { "P", "-P" },
    [PPN] = { "ranks a node", "--ppn" }, [SHAPE] = { "placement", NULL },
    [TYPE] = { "type", "--type" }, [OP] = { "operation", "--op" },
    [SIZE] = { "m", "-m" }, [VARIANT] = { "variant", "--variants" },
    [ROOT] = { "root", "--root" }, [BUFFERS] = { "buffers", "--buffers" },
};

static void say(const struct chorale_run_point *p, enum key key, char text[160])
{
    int root = (int)strcspn(p->conditions, " ");

    switch (key) {
    case COLL:
        snprintf(text, 160, "%s", chorale_coll_info(p->coll)->name);
        break;
    case PROCS:
        snprintf(text, 160, "%d", p->comm_size);
        break;
    case PPN:
        snprintf(text, 160, "%d", p->ppn);
        break;
    case SHAPE:
        snprintf(text, 160, "%.60s", p->shape);
        break;
    case TYPE:
        snprintf(text, 160, "%.60s", p->dtype);
        break;
    case OP:
        snprintf(text, 160, "%.60s", p->op[0] != '\0' ? p->op : "none");
        break;
    case SIZE:
        snprintf(text, 160, "%zu", p->msg_size);
        break;
    case VARIANT:
        snprintf(text, 160, "%.20s %.60s %.60s", p->provider, p->variant,
                 p->params);
        break;
    case ROOT:
        snprintf(text, 160, "%.*s", root < 60 ? root : 60, p->conditions);
        break;
    default:
        snprintf(text, 160, "%.60s", p->conditions[root] != '\0'
                                         ? p->conditions + root + 1 : "");
    }
}

static int differs(const struct chorale_run_point *a,
                   const struct chorale_run_point *b, enum key key)
{
    char x[160], y[160];

    say(a, key, x);
    say(b, key, y);
    return strcmp(x, y) != 0;
}

/* A distance between cells. The benchmark and the placement weigh more than a
 * size or an option of `plan`. */
static int distance(const struct chorale_run_point *a,
                    const struct chorale_run_point *b)
{
    static const int weight[NKEY] = { [COLL] = 100, [PROCS] = 20, [PPN] = 10,
                                      [SHAPE] = 5, [TYPE] = 4, [OP] = 4,
                                      [SIZE] = 2, [VARIANT] = 50, [ROOT] = 3,
                                      [BUFFERS] = 3 };
    int d = a->coll != b->coll ? weight[COLL] : 0;

    if (d > 0)
        return d;
    for (int k = 1; k < NKEY; k++)
        if (differs(a, b, (enum key)k))
            d += weight[k];
    return d;
}

/* Suggest what to do about a key that differs. */
static void remedy_for(const struct chorale_comparison *cmp, enum key key,
                       const char *base, const char *head, char *text,
                       size_t size)
{
    const int plan_head = !cmp->head.imported;
    const char *value = plan_head ? base : head;

    text[0] = '\0';
    if (cmp->base.imported && cmp->head.imported)
        snprintf(text, size, key == PPN || key == SHAPE || key == PROCS
                                 ? "; both are imported: import one again as "
                                   "the other was, see `chorale import --help`"
                                 : "; both are imported: run both with the "
                                   "same benchmark options");
    else if (keys[key].option != NULL && key != VARIANT && key != OP)
        snprintf(text, size, "; `chorale plan %s %s` gives %s this value",
                 keys[key].option, value, plan_head ? "head" : "base");
}

void chorale_comparison_unpaired(struct chorale_comparison *cmp)
{
    const struct chorale_run_point *a = NULL, *b = NULL;
    size_t nbase = 0, nhead;
    int best = -1, d;

    for (size_t i = 0; i < cmp->count; i++)
        if (cmp->cell[i].nbase > 0 && cmp->cell[i].nhead > 0)
            return;
    for (size_t i = 0; i < cmp->count && nbase < NEAR && best != 0; i++) {
        if (cmp->cell[i].nbase == 0)
            continue;
        nbase++;
        nhead = 0;
        for (size_t k = 0; k < cmp->count && nhead < NEAR; k++) {
            if (cmp->cell[k].nhead == 0)
                continue;
            nhead++;
            d = distance(&cmp->cell[i].at, &cmp->cell[k].at);
            if (best < 0 || d < best) {
                best = d;
                a = &cmp->cell[i].at;
                b = &cmp->cell[k].at;
            }
        }
    }
    if (best < 0)
        return;
    chorale_comparison_note(cmp, "no cell is in both databases; the two most "
                            "similar cells differ in");
    for (int k = 0; k < NKEY; k++) {
        char x[160], y[160], how[200];

        say(a, (enum key)k, x);
        say(b, (enum key)k, y);
        if (strcmp(x, y) == 0)
            continue;
        remedy_for(cmp, (enum key)k, x, y, how, sizeof(how));
        chorale_comparison_note(cmp, "%s: %.60s in base, %.60s in head%s",
                                keys[k].name, x, y, how);
        if (k == COLL) /* other differences follow from it */
            return;
    }
}

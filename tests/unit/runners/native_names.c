/* SPDX-License-Identifier: BSD-3-Clause */
/* native_names.c - algorithm names are extracted from the descriptions of
 * MPICH's variables: glued to the text as in version 4.0, and in other forms.
 * */
#include <stdlib.h>
#include <string.h>

#include "runners/native/native_names.h"
#include "tests/tap.h"

#define AUTO "auto - Internal algorithm selection (overridden with X_FILE)"

static const char bcast[] =
    "Variable to select bcast algorithm" AUTO "binomial        - Force "
    "Binomial Treenb              - Force nonblocking algorithmsmp      - "
    "Force smp algorithmscatter_recursive_doubling_allgather    - Force "
    "Scatter Recursive-Doubling Allgatherscatter_ring_allgather  - Force "
    "Scatter Ring";
static const char ibcast[] =
    "Variable to select ibcast algorithm" AUTO "sched_auto - Internal "
    "selection for sched-based algorithmssched_binomial  - Force Binomial "
    "algorithmsched_scatter_ring_allgather - Force Scatter Ring Allgather "
    "algorithmtsp_tree - Force Generic Transport Tree algorithm";
static const char gather[] =
    "Variable to select gather algorithm" AUTO "binomial - Force binomial "
    "algorithmnb       - Force nonblocking algorithm";

static void list(const struct chorale_native_words *words, const char *what,
                 const char *text, const char *want)
{
    char got[512] = "", name[CHORALE_NATIVE_NAME];

    for (int i = 0; chorale_native_name(words, text, i, name); i++) {
        if (i > 0)
            strcat(got, " ");
        strcat(got, name);
    }
    if (!tap_ok(strcmp(got, want) == 0, "%s", what))
        tap_diag("got '%s'", got);
}

int main(void)
{
    struct chorale_native_words words = { NULL, 0 };
    struct chorale_native_words none = { NULL, 0 };

    chorale_native_words_add(&words, bcast);
    chorale_native_words_add(&words, ibcast);
    tap_ok(chorale_native_words_add(&words, gather) == 0,
           "the words of descriptions are learnt");
    list(&words, "names glued to the text before them are found",
         bcast, "auto binomial nb smp scatter_recursive_doubling_allgather "
                "scatter_ring_allgather");
    list(&words, "names glued to 'algorithm' are found", gather,
         "auto binomial nb");
    list(&words, "the longest matching name is taken",
         "auto - (it)binomial - By Phasescatter_ring_allgather - Ring",
         "auto binomial scatter_ring_allgather");
    list(&none, "names in a text with line ends are found",
         "Choose\nauto - it does\nk_tree - Force Tree\nnb - Force nb\n",
         "auto k_tree nb");
    list(&none, "an unknown glued name keeps its position",
         "auto - (it)one - Force Treetwo - Force Two", "auto one reetwo");
    list(&none, "an empty name keeps its position", "auto - (it) - Force Tree",
         "auto ");
    list(&none, "a text without a list has no names", "How much, in bytes.",
         "");
    list(&none, "an empty text has no names", "", "");
    free(words.word);
    return tap_done();
}

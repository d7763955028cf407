/* SPDX-License-Identifier: BSD-3-Clause */
/* search_template.h - the search function of a generated decision table. The
 * code below is copied into every table. */
static const struct chorale_choice *
find(const struct rule *rule, int nrule, size_t n, int comm_size)
{
    int lo = 0, hi = nrule;

    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;

        if (rule[mid].last < comm_size)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == nrule || rule[lo].comm_size > comm_size)
        return &choices[0];
    lo = rule[lo].first + rule[lo].count - 1;
    while (n < bands[lo].from) /* a rule's first band starts at 0 */
        lo--;
    return &choices[bands[lo].choice];
}

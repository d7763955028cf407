/* SPDX-License-Identifier: BSD-3-Clause */
/* edit_distance.h - how far a mistyped word is from a name: the number of
 * inserted, deleted, replaced and exchanged neighbouring letters (Damerau and
 * Levenshtein, each letter edited once), without regard to case. */
#ifndef CHORALE_ALGORITHMS_EDIT_DISTANCE_H
#define CHORALE_ALGORITHMS_EDIT_DISTANCE_H

#include <ctype.h>
#include <string.h>

/* Words of up to LONGEST letters are compared; the result is at most MOST + 1,
 * which means farther than MOST. */
enum { CHORALE_EDIT_MOST = 2, CHORALE_EDIT_LONGEST = 64 };

static inline int chorale_edit_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static inline int chorale_edit_distance(const char *a, const char *b)
{
    int row[3][CHORALE_EDIT_LONGEST + 1];
    const size_t n = strlen(a), m = strlen(b);

    if (n > CHORALE_EDIT_LONGEST || m > CHORALE_EDIT_LONGEST)
        return CHORALE_EDIT_MOST + 1;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3];

        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int step = before[j] < now[j - 1] ? before[j] : now[j - 1];

            now[j] = before[j - 1] + !chorale_edit_same(a[i - 1], b[j - 1]);
            now[j] = step + 1 < now[j] ? step + 1 : now[j];
            if (i > 1 && j > 1 && chorale_edit_same(a[i - 1], b[j - 2]) &&
                chorale_edit_same(a[i - 2], b[j - 1]) &&
                row[(i + 1) % 3][j - 2] + 1 < now[j])
                now[j] = row[(i + 1) % 3][j - 2] + 1;
        }
    }
    return row[n % 3][m] <= CHORALE_EDIT_MOST ? row[n % 3][m]
                                              : CHORALE_EDIT_MOST + 1;
}

#endif

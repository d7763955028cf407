/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_ring.c - see mesh_ring.h. */
#include "algorithms/engines/mesh_ring.h"

/* The ring on its way. turned: rows and columns have changed places. */
struct way {
    int turned, cols;
    int *next;
};

static void visit(struct way *way, int row, int col)
{
    *way->next++ = way->turned ? col * way->cols + row
                               : row * way->cols + col;
}

/* Two rows at once, from the right to the left: the second by itself in the
 * last column, where the step across the corner is, else two by two. */
static void double_row(struct way *way, int row, int cols)
{
    visit(way, row, cols - 1);
    visit(way, row + 1, cols - 1);
    for (int col = cols - 2; col > 0; col -= 2) {
        visit(way, row, col);
        visit(way, row + 1, col);
        visit(way, row + 1, col - 1);
        visit(way, row, col - 1);
    }
}

void chorale_mesh_ring(int rows, int cols, int *order)
{
    struct way way = { rows % 2 != 0 && cols % 2 == 0, cols, order };
    int r = way.turned ? cols : rows, c = way.turned ? rows : cols;
    int last = r - r % 2 - 1, row;

    if (r == 1 || c == 1) {
        for (int i = 0; i < rows * cols; i++)
            order[i] = i;
        return;
    }
    for (row = 0; row < last || (row == last && r % 2 == 0); row++) {
        for (int col = row > 0; row % 2 == 0 && col < c; col++)
            visit(&way, row, col);
        for (int col = c - 1; row % 2 != 0 && col > 0; col--)
            visit(&way, row, col);
    }
    if (r % 2 != 0)
        double_row(&way, last, c);
    else
        visit(&way, last, 0);
    for (row = last - 1; row > 0; row--)
        visit(&way, row, 0);
}

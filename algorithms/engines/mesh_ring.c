/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_ring.c - a Hamiltonian cycle (ring) through all ranks of a mesh. */
#include "algorithms/engines/mesh_ring.h"

/* The ring under construction. turned: rows and columns are swapped. */
struct way {
    int turned, cols;
    int *next;
};

static void visit(struct way *way, int row, int col)
{
    *way->next++ = way->turned ? col * way->cols + row
                               : row * way->cols + col;
}

/* Along a row from one column to another, both included. */
static void along(struct way *way, int row, int from, int to)
{
    int step = from < to ? 1 : -1;

    for (int col = from; col != to + step; col += step)
        visit(way, row, col);
}

/* Down the first column from a row, and back through the columns right of it.
 * The number of rows from that row on must be even. */
static void down_and_back(struct way *way, int row, int rows, int cols)
{
    for (int r = row; r < rows; r++)
        visit(way, r, 0);
    for (int r = rows - 1; r >= row; r--)
        if ((rows - r) % 2 != 0)
            along(way, r, 1, cols - 1);
        else
            along(way, r, cols - 1, 1);
}

/* Rows and columns odd, at least 3 and 5. One step goes from the fourth rank of
 * the second row to the second rank, over the third one, which the ring passes
 * vertically. */
static void odd_ring(struct way *way, int rows, int cols)
{
    for (int row = 0; row < 3; row++)
        visit(way, row, 0);
    down_and_back(way, 3, rows, cols);
    visit(way, 2, 1);
    for (int row = 2; row > 0; row--)
        visit(way, row, 2);
    along(way, 0, 2, cols - 1);
    for (int col = cols - 1; col > 2; col -= 2) {
        visit(way, 1, col);
        visit(way, 2, col);
        visit(way, 2, col - 1);
        visit(way, 1, col - 1);
    }
    visit(way, 1, 1);
    visit(way, 0, 1);
}

/* Even number of rows. */
static void even_ring(struct way *way, int rows, int cols)
{
    for (int row = 0; row < rows; row++)
        if (row % 2 == 0)
            along(way, row, row > 0, cols - 1);
        else
            along(way, row, cols - 1, row < rows - 1);
    for (int row = rows - 2; row > 0; row--)
        visit(way, row, 0);
}

void chorale_mesh_ring(int rows, int cols, int *order)
{
    static const int smallest[] = { 0, 1, 2, 5, 8, 4, 7, 6, 3 };
    int odd = rows % 2 != 0 && cols % 2 != 0;
    struct way way = { odd ? cols == 3 : rows % 2 != 0, cols, order };
    int r = way.turned ? cols : rows, c = way.turned ? rows : cols;

    if (r == 1 || c == 1 || (odd && r == 3 && c == 3))
        for (int i = 0; i < rows * cols; i++)
            order[i] = odd && r == c ? smallest[i] : i;
    else if (odd)
        odd_ring(&way, r, c);
    else
        even_ring(&way, r, c);
}

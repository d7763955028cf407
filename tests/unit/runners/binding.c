/* SPDX-License-Identifier: BSD-3-Clause */
/* binding.c - the verdict on the processors of all ranks. */
#include "config.h"

#include <sched.h>
#include <string.h>

#include "runners/launch/environment.h"
#include "tests/tap.h"

enum { N = 4 };

struct {
    const char *name;
    int node[N];
    const char *text[N], *verdict;
} cases[] = {
    { "one core each", { 0, 0, 2, 2 },
      { "bound: processors 0, cores 0", "bound: processors 1",
        "bound: processors 0", "bound: processors 1, cores 1" },
      "own processors" },
    { "ranges that do not meet", { 0, 0, 0, 0 },
      { "bound: processors 0,8, cores 0", "bound: processors 1-2,9",
        "bound: processors 3-7", "bound: processors 10-1000" },
      "own processors" },
    { "the same core on two nodes", { 0, 1, 2, 3 },
      { "bound: processors 0", "bound: processors 0", "bound: processors 0",
        "bound: processors 0" }, "own processors" },
    { "ranges that meet", { 0, 0, 0, 0 },
      { "bound: processors 0-3", "bound: processors 4-7,12, packages 0",
        "bound: processors 8-11", "bound: processors 10,20" },
      "shared: rank 3 may run on a processor of another rank" },
    { "the last processor of a list", { 0, 0, 2, 2 },
      { "bound: processors 1,5", "bound: processors 5", "bound: processors 0",
        "bound: processors 1" },
      "shared: rank 1 may run on a processor of another rank" },
    { "free ranks", { 0, 0, 0, 0 },
      { "free: processors 0-3", "bound: processors 1", "bound: processors 2",
        "free: processors 0-3" },
      "free: 2 of 4 ranks may run on every processor of their node" },
    { "unknown ranks", { 0, 0, 0, 0 },
      { "free: processors 0-3", "unknown: hwloc fails", "bound: processors 2",
        "free: processors 0-3" }, "unknown: of 1 of 4 ranks" },
};

int main(void)
{
    cpu_set_t set;
    int cores = chorale_binding_cores();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[N][CHORALE_BINDING_TEXT], verdict[CHORALE_BINDING_TEXT];

        for (int r = 0; r < N; r++)
            snprintf(text[r], sizeof(text[r]), "%s", cases[i].text[r]);
        chorale_binding_judge(text[0], sizeof(text[0]), cases[i].node, N,
                              verdict);
        if (!tap_ok(strcmp(verdict, cases[i].verdict) == 0, "%s: %s",
                cases[i].name, cases[i].verdict))
            tap_diag("got '%s'", verdict);
    }
    CPU_ZERO(&set);
    if (cores >= 2 && sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (int i = CPU_SETSIZE - 1; CPU_COUNT(&set) > 1; i--)
            CPU_CLR((size_t)i, &set);
        sched_setaffinity(0, sizeof(set), &set);
        tap_ok(chorale_binding_cores() == 0, "a process bound to a part of its "
               "processors has no cores for ranks");
    } else {
        tap_diag("one core, or this process is itself bound: not tested");
    }
    return tap_done();
}

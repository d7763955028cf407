/* SPDX-License-Identifier: BSD-3-Clause */
/* other_load.c - processor time that other programs take during a launch.
 * On each node it is the time in which the ranks' processors were busy,
 * less the ranks' own time. Interrupts are not counted, since the ranks
 * cause them too. */
#include "config.h"

#include "runners/measure/other_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "db/remarks.h"

/* Shortest interval that the clock ticks of /proc/stat resolve, and the
 * interval after which the next one begins. */
#define LEAST_SECONDS 0.3
#define INTERVAL_SECONDS 1.0

double chorale_load_most(const struct chorale_load_rank *rank, int n,
                         double seconds)
{
    double most = 0;

    for (int first = 0; first < n; first++) {
        double other = 0;

        if (rank[first].node != first)
            continue;
        for (int r = first; r < n; r++)
            if (rank[r].node == first)
                other += (rank[r].counts ? rank[r].busy : 0) - rank[r].own;
        other = other / seconds - rank[first].spare;
        most = other > most ? other : most;
    }
    return most;
}

/* Seconds since the node's start in which any program used the processors of
 * the set; 0 if /proc/stat cannot be read. */
static double busy_seconds(const cpu_set_t *set)
{
    const double tick = (double)sysconf(_SC_CLK_TCK);
    FILE *in = fopen("/proc/stat", "r");
    double sum = 0;
    char line[512];

    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        unsigned long long user, nice, kernel;
        int cpu;

        if (sscanf(line, "cpu%d %llu %llu %llu", &cpu, &user, &nice,
                   &kernel) == 4 && cpu >= 0 && cpu < CPU_SETSIZE &&
            CPU_ISSET((size_t)cpu, set))
            sum += (double)(user + nice + kernel) / tick;
    }
    if (in != NULL)
        fclose(in);
    return sum;
}

static double own_seconds(void)
{
    struct rusage use;

    if (getrusage(RUSAGE_SELF, &use) != 0)
        return 0;
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int chorale_load_look(struct chorale_bench *bench)
{
    struct chorale_load *load = bench->load;
    struct chorale_load_use mine;
    cpu_set_t set;
    double seconds;
    int rc;

    if (!bench->watches_load)
        return MPI_SUCCESS;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    mine.busy = busy_seconds(&set);
    mine.own = own_seconds();
    rc = chorale_p2p_gather(bench, &mine, load != NULL ? load->now : NULL,
                            sizeof(mine));
    if (rc != MPI_SUCCESS || load == NULL)
        return rc;
    seconds = MPI_Wtime() - load->since;
    for (int r = 0; r < bench->world_size; r++) {
        load->rank[r].busy = load->now[r].busy - load->before[r].busy;
        load->rank[r].own = load->now[r].own - load->before[r].own;
    }
    if (load->since > 0 && seconds >= LEAST_SECONDS) {
        const double most = chorale_load_most(load->rank, bench->world_size,
                                              seconds);

        bench->loaded = most > CHORALE_LOAD_LIMIT;
        load->most = most > load->most ? most : load->most;
    }
    if (load->since > 0 && seconds < INTERVAL_SECONDS)
        return rc;
    load->since += seconds;
    for (int r = 0; r < bench->world_size; r++)
        load->before[r] = load->now[r];
    return rc;
}

struct chorale_load *chorale_load_new(const int *node, int n,
                                      const cpu_set_t *may)
{
    struct chorale_load *load = calloc(1, sizeof(*load));

    if (load == NULL)
        return NULL;
    load->rank = calloc((size_t)n, sizeof(*load->rank));
    load->before = calloc((size_t)n, sizeof(*load->before));
    load->now = calloc((size_t)n, sizeof(*load->now));
    if (load->rank == NULL || load->before == NULL || load->now == NULL) {
        chorale_load_free(load);
        return NULL;
    }
    for (int r = 0; r < n; r++) {
        struct chorale_load_rank *rank = &load->rank[r];
        int q = node[r];

        rank->node = node[r];
        while (q < r && (node[q] != node[r] || !CPU_EQUAL(&may[q], &may[r])))
            q++;
        rank->counts = q == r;
        load->rank[node[r]].spare += (rank->counts ? CPU_COUNT(&may[r]) : 0) - 1;
    }
    for (int r = 0; r < n; r++)
        if (load->rank[r].spare < 0)
            load->rank[r].spare = 0;
    return load;
}

void chorale_load_free(struct chorale_load *load)
{
    if (load == NULL)
        return;
    free(load->rank);
    free(load->before);
    free(load->now);
    free(load);
}

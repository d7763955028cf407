/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_quota.c - the processor time that control groups leave to this process.
 *
 * A quota of Q microseconds in a period of P microseconds is worth Q / P
 * processors. It limits all processes of a group and of its subgroups. The
 * smallest quota counts, of the process's group and of all groups above it. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/environment.h"

#define HIERARCHIES 32 /* lines of /proc/self/cgroup that are read */

/* Files of a control group, by the version of the interface. */
static const struct {
    const char *root;
    int v1;
} version[] = { { "/sys/fs/cgroup", 0 }, { "/sys/fs/cgroup/cpu", 1 } };

/* Is "cpu" in a list such as "cpu,cpuacct" of this length? */
static int has_cpu(const char *list, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t word = strcspn(list + at, ",:");

        if (word == 3 && strncmp(list + at, "cpu", 3) == 0)
            return 1;
        at += word + 1;
    }
    return 0;
}

/* The group of this process below version[v].root; "" in the root group or if
 * this version is not in use. */
static void find_group(int v, char *group, size_t size)
{
    char value[1024], prefix[16];
    const char *colon;

    group[0] = '\0';
    for (int i = 0; i < HIERARCHIES; i++) {
        snprintf(prefix, sizeof(prefix), "%d:", i);
        if (chorale_facts_line("/proc/self/cgroup", prefix, value,
                               sizeof(value)) != 0)
            continue;
        colon = strchr(value, ':');
        if (colon == NULL || colon[1] != '/')
            continue;
        if (version[v].v1 ? has_cpu(value, (size_t)(colon - value))
                          : colon == value)
            snprintf(group, size, "%s", colon + 1);
    }
}

/* Processors that the quota of one group is worth; INFINITY without a quota. */
static double quota_of(int v, const char *group)
{
    char path[1100], value[64];
    double quota, period = 0;

    snprintf(path, sizeof(path), "%s%s/%s", version[v].root, group,
             version[v].v1 ? "cpu.cfs_quota_us" : "cpu.max");
    if (chorale_facts_line(path, NULL, value, sizeof(value)) != 0)
        return INFINITY;
    if (!version[v].v1)
        return sscanf(value, "%lf %lf", &quota, &period) == 2 && quota > 0 &&
               period > 0 ? quota / period : INFINITY; /* "max 100000" */
    quota = strtod(value, NULL);
    snprintf(path, sizeof(path), "%s%s/cpu.cfs_period_us", version[v].root,
             group);
    if (chorale_facts_line(path, NULL, value, sizeof(value)) == 0)
        period = strtod(value, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY; /* -1 */
}

static double throttled_of(int v, const char *group)
{
    char path[1100], value[64];

    snprintf(path, sizeof(path), "%s%s/cpu.stat", version[v].root, group);
    return chorale_facts_line(path, "nr_throttled", value, sizeof(value)) == 0
               ? strtod(value, NULL) : 0;
}

static void consider(int v, const char *group, struct chorale_cpu_quota *q,
                     char *strictest, size_t size)
{
    double here = quota_of(v, group);

    if (here < INFINITY)
        q->throttled += throttled_of(v, group);
    if (here < q->processors) {
        q->processors = here;
        snprintf(strictest, size, "%s%s", version[v].root, group);
    }
}

void chorale_cpu_quota(struct chorale_cpu_quota *q)
{
    char group[1024], text[1200] = "";
    size_t len;
    struct stat space;

    *q = (struct chorale_cpu_quota){ .processors = INFINITY };
    for (int v = 0; v < (int)(sizeof(version) / sizeof(version[0])); v++) {
        find_group(v, group, sizeof(group));
        if (strcmp(group, "/") == 0)
            group[0] = '\0';
        consider(v, group, q, text, sizeof(text));
        while (group[0] != '\0') {
            *strrchr(group, '/') = '\0';
            consider(v, group, q, text, sizeof(text));
        }
    }
    /* Groups of two containers may have the same name. */
    len = strlen(text);
    if (len > 0 && stat("/proc/self/ns/cgroup", &space) == 0)
        snprintf(text + len, sizeof(text) - len, " %llu",
                 (unsigned long long)space.st_ino);
    chorale_uuid_of(text, q->group);
}

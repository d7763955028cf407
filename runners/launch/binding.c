/* SPDX-License-Identifier: BSD-3-Clause */
/* binding.c - the processors on which a rank may run. A rank is "free" if it
 * may use all processors that its job has on the node, and they are at least
 * two. */
#include "config.h"

#include "runners/launch/environment.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>

const char *const chorale_binding_source = "hwloc";

/* Append ", cores 0-3": logical numbers of the objects in the set. */
static void add_objects(hwloc_topology_t topology, hwloc_const_cpuset_t set,
                        hwloc_obj_type_t type, const char *what, char *text,
                        size_t size)
{
    hwloc_bitmap_t numbers = hwloc_bitmap_alloc();
    hwloc_obj_t obj = NULL;
    size_t len = strlen(text);
    char list[64];

    while (numbers != NULL &&
           (obj = hwloc_get_next_obj_by_type(topology, type, obj)) != NULL)
        if (hwloc_bitmap_intersects(obj->cpuset, set))
            hwloc_bitmap_set(numbers, obj->logical_index);
    if (numbers != NULL && !hwloc_bitmap_iszero(numbers) && len < size) {
        hwloc_bitmap_list_snprintf(list, sizeof(list), numbers);
        snprintf(text + len, size - len, ", %s %s", what, list);
    }
    hwloc_bitmap_free(numbers);
}

static int describe(hwloc_topology_t topology, hwloc_bitmap_t set, char *text,
                    size_t size)
{
    hwloc_const_cpuset_t all;
    char list[96];

    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE,
                                   HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
                                   HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) != 0 ||
        hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) != 0)
        return -1;
    all = hwloc_topology_get_allowed_cpuset(topology);
    hwloc_bitmap_list_snprintf(list, sizeof(list), set);
    snprintf(text, size, "%s: processors %s",
             hwloc_bitmap_weight(all) > 1 && hwloc_bitmap_isincluded(all, set)
                 ? "free"
                 : "bound", list);
    add_objects(topology, set, HWLOC_OBJ_CORE, "cores", text, size);
    add_objects(topology, set, HWLOC_OBJ_PACKAGE, "packages", text, size);
    add_objects(topology, set, HWLOC_OBJ_NUMANODE, "NUMA nodes", text, size);
    return 0;
}

void chorale_binding_describe(char text[CHORALE_BINDING_TEXT])
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_topology_t topology;

    snprintf(text, CHORALE_BINDING_TEXT, "unknown: hwloc fails");
    if (set != NULL && hwloc_topology_init(&topology) == 0) {
        describe(topology, set, text, CHORALE_BINDING_TEXT);
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
}

int chorale_binding_cores(void)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_topology_t topology;
    hwloc_obj_t core = NULL;
    char text[CHORALE_BINDING_TEXT];
    int n = -1;

    if (set == NULL || hwloc_topology_init(&topology) != 0) {
        hwloc_bitmap_free(set);
        return -1;
    }
    if (describe(topology, set, text, sizeof(text)) == 0)
        n = 0;
    if (n == 0 &&
        hwloc_bitmap_isincluded(hwloc_topology_get_allowed_cpuset(topology),
                                set))
        while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE,
                                                  core)) != NULL)
            n += hwloc_bitmap_intersects(core->cpuset, set);
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(set);
    return n;
}

#else

const char *const chorale_binding_source =
    "sched_getaffinity (built without hwloc)";

void chorale_binding_describe(char text[CHORALE_BINDING_TEXT])
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t len;
    cpu_set_t set;
    int first = -1;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        snprintf(text, CHORALE_BINDING_TEXT, "unknown: too many processors "
                                             "for sched_getaffinity");
        return;
    }
    len = (size_t)snprintf(text, CHORALE_BINDING_TEXT, "%s: processors",
                           online > 1 && CPU_COUNT(&set) >= online ? "free"
                                                                   : "bound");
    for (int i = 0; i <= CPU_SETSIZE && len < CHORALE_BINDING_TEXT; i++) {
        int in = i < CPU_SETSIZE && CPU_ISSET((size_t)i, &set);

        if (in && first < 0)
            first = i;
        if (in || first < 0)
            continue;
        len += (size_t)snprintf(text + len, CHORALE_BINDING_TEXT - len,
                                first < i - 1 ? "%s%d-%d" : "%s%d",
                                text[len - 1] == 's' ? " " : ",", first,
                                i - 1);
        first = -1;
    }
}

/* Returns 1 if a processor is the first one of its core. */
static int leads_core(int cpu)
{
    char path[128], list[64];

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/"
                                 "thread_siblings_list", cpu);
    return chorale_facts_line(path, NULL, list, sizeof(list)) != 0 ||
           strtol(list, NULL, 10) == cpu;
}

int chorale_binding_cores(void)
{
    cpu_set_t set;
    int n = 0;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return -1;
    if (CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN))
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        n += CPU_ISSET((size_t)i, &set) && leads_core(i);
    return n;
}
#endif

/* Add the processors of a description to *set. Returns 0, or -1 if it names
 * none. */
static int read_processors(const char *text, cpu_set_t *set)
{
    static const char mark[] = ": processors ";
    const char *at = strstr(text, mark);
    char *end;

    if (at == NULL)
        return -1;
    for (at += strlen(mark);; at = end + 1) {
        long first = strtol(at, &end, 10), last = first;

        if (end == at || first < 0)
            return -1;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (; first <= last && first < CPU_SETSIZE; first++)
            CPU_SET((size_t)first, set);
        if (end[0] != ',' || end[1] == ' ')
            return 0;
    }
}

void chorale_binding_judge(const char *text, size_t room, const int *node,
                           int n, char verdict[CHORALE_BINDING_TEXT])
{
    cpu_set_t mine, other, both;
    int nfree = 0, unknown = 0;

    snprintf(verdict, CHORALE_BINDING_TEXT, "own processors");
    for (int r = 0; r < n; r++) {
        nfree += strncmp(text + (size_t)r * room, "free", 4) == 0;
        unknown += strncmp(text + (size_t)r * room, "unknown", 7) == 0;
    }
    if (unknown > 0 || nfree > 0) {
        snprintf(verdict, CHORALE_BINDING_TEXT,
                 unknown > 0 ? "unknown: of %d of %d ranks"
                             : "free: %d of %d ranks may run on every "
                               "processor of their node",
                 unknown > 0 ? unknown : nfree, n);
        return;
    }
    /* Ranks of a node that share processors; node[r] is the first rank of rank
     * r's node, and each node's ranks are compared with all before them. */
    for (int first = 0; first < n; first++) {
        if (node[first] != first)
            continue;
        CPU_ZERO(&other);
        for (int r = first; r < n; r++) {
            if (node[r] != first)
                continue;
            CPU_ZERO(&mine);
            if (read_processors(text + (size_t)r * room, &mine) != 0)
                continue;
            CPU_AND(&both, &mine, &other);
            if (CPU_COUNT(&both) > 0) {
                snprintf(verdict, CHORALE_BINDING_TEXT, "shared: rank %d may "
                         "run on a processor of another rank", r);
                return;
            }
            CPU_OR(&other, &other, &mine);
        }
    }
}

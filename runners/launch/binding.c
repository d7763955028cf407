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
#endif

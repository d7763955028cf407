/* SPDX-License-Identifier: BSD-3-Clause */
/* host_facts.c - facts about this node: processors, kernel, clock, load. */
#include "config.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "db/environment.h"

#define CPU "/sys/devices/system/cpu"

static void put_line(struct chorale_facts *facts, const char *key,
                     const char *path, const char *prefix)
{
    char value[512];

    if (chorale_facts_line(path, prefix, value, sizeof(value)) == 0)
        chorale_facts_put(facts, key, value);
}

/* The distinct governors of all processors: "performance,powersave". */
static void put_governor(struct chorale_facts *facts, long processors)
{
    char path[128], one[64], all[256] = "";
    size_t len = 0;

    for (long i = 0; i < processors; i++) {
        snprintf(path, sizeof(path), CPU "/cpu%ld/cpufreq/scaling_governor",
                 i);
        if (chorale_facts_line(path, NULL, one, sizeof(one)) != 0 ||
            strstr(all, one) != NULL || len + strlen(one) + 2 > sizeof(all))
            continue;
        len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
                                len > 0 ? "," : "", one);
    }
    chorale_facts_put(facts, "cpu_governor", all);
}

static void put_mhz(struct chorale_facts *facts, const char *key,
                    const char *file)
{
    char path[128], khz[64];

    snprintf(path, sizeof(path), CPU "/cpu0/cpufreq/%s", file);
    if (chorale_facts_line(path, NULL, khz, sizeof(khz)) == 0)
        chorale_facts_putf(facts, key, "%.0f", strtod(khz, NULL) / 1000);
}

static void put_frequency(struct chorale_facts *facts)
{
    char value[32];

    put_line(facts, "cpu_frequency_mhz", "/proc/cpuinfo", "cpu MHz");
    put_mhz(facts, "cpu_frequency_mhz", "scaling_cur_freq");
    put_mhz(facts, "cpu_frequency_max_mhz", "scaling_max_freq");
    if (chorale_facts_line(CPU "/intel_pstate/no_turbo", NULL, value,
                           sizeof(value)) == 0)
        chorale_facts_put(facts, "cpu_turbo",
                          value[0] == '0' ? "on" : "off");
    else if (chorale_facts_line(CPU "/cpufreq/boost", NULL, value,
                                sizeof(value)) == 0)
        chorale_facts_put(facts, "cpu_turbo",
                          value[0] == '0' ? "off" : "on");
}

/* The hypervisor's name, "yes" if it is unknown, or "no". */
static void put_virtual(struct chorale_facts *facts)
{
    static const char *const products[] = { "KVM", "QEMU", "VMware", "HVM",
                                            "VirtualBox", "Virtual Machine",
                                            "Firecracker" };
    char text[4096], product[128] = "";
    const char *which = "no";

    if (chorale_facts_line("/sys/class/dmi/id/product_name", NULL, product,
                           sizeof(product)) == 0)
        for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
            if (strstr(product, products[i]) != NULL)
                which = product;
    if (strcmp(which, "no") == 0 &&
        chorale_facts_line("/sys/hypervisor/type", NULL, product,
                           sizeof(product)) == 0)
        which = product;
    if (strcmp(which, "no") == 0 &&
        chorale_facts_line("/proc/cpuinfo", "flags", text, sizeof(text)) ==
            0 && strstr(text, " hypervisor") != NULL)
        which = "yes";
    chorale_facts_put(facts, "virtual_machine", which);
}

static void put_clock(struct chorale_facts *facts)
{
    struct timex state = { .modes = 0 };
    int code = adjtimex(&state);

    put_line(facts, "clock_source",
             "/sys/devices/system/clocksource/clocksource0/"
             "current_clocksource", NULL);
    if (code >= 0)
        chorale_facts_put(facts, "clock_disciplined",
                          code == TIME_ERROR ? "no" : "yes");
}

/* Does the address end with a dot and the first len letters of name? */
static int ends_with(const char *address, const char *name, size_t len)
{
    size_t n = strlen(address);

    return len > 0 && n > len + 1 && address[n - len - 1] == '.' &&
           strncmp(address + n - len, name, len) == 0;
}

const char *chorale_facts_switch(const char *address, const char *host)
{
    return address != NULL && (ends_with(address, host, strlen(host)) ||
                               ends_with(address, host, strcspn(host, ".")))
               ? address
               : NULL;
}

void chorale_facts_loadavg(struct chorale_facts *facts, const char *key)
{
    put_line(facts, key, "/proc/loadavg", NULL);
}

void chorale_facts_machine(struct chorale_facts *facts)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct chorale_cpu_quota quota;
    struct utsname name;
    char fabric[512];
    cpu_set_t set;

    if (uname(&name) == 0)
        chorale_facts_putf(facts, "kernel", "%s %s %s", name.sysname,
                           name.release, name.machine);
    put_line(facts, "cpu_model", "/proc/cpuinfo", "model name");
    put_governor(facts, processors);
    put_frequency(facts);
    chorale_facts_putf(facts, "processors", "%ld", processors);
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        chorale_facts_putf(facts, "processors_usable", "%d", CPU_COUNT(&set));
    chorale_cpu_quota(&quota);
    if (isfinite(quota.processors))
        chorale_facts_putf(facts, "cpu_quota", "%.6g", quota.processors);
    put_line(facts, "smt", CPU "/smt/active", NULL);
    put_line(facts, "huge_pages",
             "/sys/kernel/mm/transparent_hugepage/enabled", NULL);
    put_virtual(facts);
    chorale_fabric_describe(fabric, sizeof(fabric));
    chorale_facts_put(facts, "fabric", fabric);
    put_clock(facts);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.c - network between nodes, read from the devices of this node. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/environment.h"

#define MAX_WORDS 16

/* Distinct words, sorted. */
struct words {
    char text[MAX_WORDS][96];
    int count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void add(struct words *w, const char *text)
{
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->text[i], text) == 0)
            return;
    if (w->count == MAX_WORDS)
        return;
    snprintf(w->text[w->count++], sizeof(w->text[0]), "%s", text);
    qsort(w->text, (size_t)w->count, sizeof(w->text[0]), compare);
}

/* Call fn for each name in a system folder. */
static void each(const char *folder,
                 void (*fn)(const char *name, struct words *w),
                 struct words *w)
{
    const char *root = getenv("CHORALE_SYSROOT");
    char path[1024];
    struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof(path), "%s%s", root != NULL ? root : "", folder);
    dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            fn(entry->d_name, w);
    if (dir != NULL)
        closedir(dir);
}

/* A device of the verbs interface: "InfiniBand 100 Gb/sec (4X EDR)". */
static void add_verbs(const char *name, struct words *w)
{
    char path[320], rate[48] = "", layer[32] = "", text[96];
    const char *kind = "InfiniBand";

    snprintf(path, sizeof(path), "/sys/class/infiniband/%.200s/ports/1/rate",
             name);
    if (chorale_facts_line(path, NULL, rate, sizeof(rate)) != 0)
        rate[0] = '\0';
    snprintf(path, sizeof(path),
             "/sys/class/infiniband/%.200s/ports/1/link_layer", name);
    if (chorale_facts_line(path, NULL, layer, sizeof(layer)) != 0)
        layer[0] = '\0';
    if (strncmp(name, "hfi1", 4) == 0 || strncmp(name, "opa", 3) == 0)
        kind = "Omni-Path";
    else if (strncmp(name, "efa", 3) == 0)
        kind = "EFA";
    else if (strcmp(layer, "Ethernet") == 0)
        kind = "RoCE";
    snprintf(text, sizeof(text), "%s%s%s", kind, rate[0] != '\0' ? " " : "",
             rate);
    add(w, text);
}

/* A Slingshot device such as "cxi0". It has no rate; only its network interface
 * has a speed. */
static void add_cxi(const char *name, struct words *w)
{
    (void)name;
    add(w, "Slingshot");
}

static double speed_of(const char *name)
{
    char path[320], text[32];

    snprintf(path, sizeof(path), "/sys/class/net/%.200s/speed", name);
    if (chorale_facts_line(path, NULL, text, sizeof(text)) != 0)
        return 0;
    return strtod(text, NULL); /* -1: unknown */
}

static void add_slingshot(const char *name, struct words *w)
{
    if (strncmp(name, "hsn", 3) == 0)
        add(w, "Slingshot");
}

/* A network interface with a known speed and a hardware device behind it:
 * "Ethernet 25000 Mb/s". Leading zeros make the words sort by speed. */
static void add_net(const char *name, struct words *w)
{
    double mbit = speed_of(name);
    char path[320], text[96];

    snprintf(path, sizeof(path), "/sys/class/net/%.200s/device/uevent", name);
    if (mbit > 0 && chorale_facts_line(path, NULL, text, sizeof(text)) == 0) {
        snprintf(text, sizeof(text), "Ethernet %09.0f Mb/s", mbit);
        add(w, text);
    }
}

/* Keep the last word only, the fastest: "Ethernet 000025000 Mb/s". */
static void keep_fastest(struct words *w)
{
    char text[96];

    if (w->count == 0)
        return;
    snprintf(text, sizeof(text), "Ethernet %.0f Mb/s",
             strtod(w->text[w->count - 1] + strlen("Ethernet "), NULL));
    w->count = 0;
    add(w, text);
}

void chorale_fabric_describe(char *text, size_t size)
{
    struct words w = { .count = 0 };
    size_t len = 0;

    each("/sys/class/infiniband", add_verbs, &w);
    each("/sys/class/cxi", add_cxi, &w);
    each("/sys/class/net", add_slingshot, &w);
    if (w.count == 0) {
        each("/sys/class/net", add_net, &w);
        keep_fastest(&w);
    }
    text[0] = '\0';
    for (int i = 0; i < w.count && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s",
                                i > 0 ? ", " : "", w.text[i]);
}

/* Variables that select network devices and protocols. */
static const char *const choosing[] = {
    "FI_PROVIDER", "I_MPI_FABRICS", "MPICH_OFI_NIC_POLICY",
    "MPICH_OFI_NUM_NICS", "MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_OFI_USE_PROVIDER",
    "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_pml", "PSM3_NIC",
    "UCX_NET_DEVICES", "UCX_TLS",
};

void chorale_fabric_choice(char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(choosing) / sizeof(choosing[0]); i++) {
        const char *value = getenv(choosing[i]);

        if (value != NULL && value[0] != '\0' && len < size)
            len += (size_t)snprintf(text + len, size - len, "%s%s=%s",
                                    len > 0 ? " " : "", choosing[i], value);
    }
}

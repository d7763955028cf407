/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.c - list of facts, and the list of environment variables that
 * may be recorded. */
#include "config.h"

#include "db/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static struct chorale_fact *find(const struct chorale_facts *facts,
                                 const char *key)
{
    for (int i = 0; i < facts->count; i++)
        if (strcmp(facts->fact[i].key, key) == 0)
            return &facts->fact[i];
    return NULL;
}

const char *chorale_facts_get(const struct chorale_facts *facts,
                              const char *key)
{
    const struct chorale_fact *fact = find(facts, key);

    return fact != NULL ? fact->value : NULL;
}

static struct chorale_fact *append(struct chorale_facts *facts,
                                   const char *key)
{
    struct chorale_fact *grown = facts->fact;
    int room = facts->room > 0 ? 2 * facts->room : 64;

    if (facts->count == facts->room) {
        grown = realloc(grown, sizeof(*grown) * (size_t)room);
        if (grown == NULL)
            return NULL;
        facts->fact = grown;
        facts->room = room;
    }
    grown[facts->count] = (struct chorale_fact){ strdup(key), NULL };
    return grown[facts->count].key != NULL ? &grown[facts->count++] : NULL;
}

void chorale_facts_put(struct chorale_facts *facts, const char *key,
                       const char *value)
{
    char *copy = value != NULL && value[0] != '\0' ? strdup(value) : NULL;
    struct chorale_fact *fact = find(facts, key);

    if (value == NULL || value[0] == '\0')
        return;
    if (fact == NULL && copy != NULL)
        fact = append(facts, key);
    if (fact == NULL || copy == NULL) {
        facts->lacks = 1;
        free(copy);
        return;
    }
    for (char *p = copy; *p != '\0'; p++)
        if (*p == '\n' || *p == '\t' || *p == '\r')
            *p = ' ';
    free(fact->value);
    fact->value = copy;
}

void chorale_facts_putf(struct chorale_facts *facts, const char *key,
                        const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0) {
        facts->lacks = 1;
        return;
    }
    chorale_facts_put(facts, key, text);
    free(text);
}

void chorale_facts_release(struct chorale_facts *facts)
{
    for (int i = 0; i < facts->count; i++) {
        free(facts->fact[i].key);
        free(facts->fact[i].value);
    }
    free(facts->fact);
    *facts = (struct chorale_facts){ NULL, 0, 0, 0 };
}

int chorale_facts_line(const char *path, const char *prefix, char *value,
                       size_t size)
{
    const char *root = getenv("CHORALE_SYSROOT");
    char line[4096], full[1024];
    int found = 0;
    FILE *in;

    snprintf(full, sizeof(full), "%s%s", root != NULL ? root : "", path);
    in = fopen(full, "r");
    if (in == NULL)
        return -1;
    while (!found && fgets(line, sizeof(line), in) != NULL) {
        const char *text = line;

        line[strcspn(line, "\n")] = '\0';
        found = prefix == NULL || strncmp(line, prefix, strlen(prefix)) == 0;
        if (found && prefix != NULL) {
            text = strchr(line, ':');
            text = text != NULL ? text + 1 + strspn(text + 1, " \t")
                                : line + strlen(prefix);
        }
        if (found)
            snprintf(value, size, "%s", text);
    }
    fclose(in);
    return found ? 0 : -1;
}

/* --- variables -------------------------------------------------------- */

/* Full names, because a prefix would also match secrets:
 * OMPI_MCA_orte_precondition_transports is a key. The MPI library itself is
 * queried for its control variables (runners/launch/variables.c). */
static const char *const allow[] = {
    /* read by Chorale */
    "CHORALE_MPIEXEC", "CHORALE_SYSROOT",
    /* threads, their binding, and the allocator */
    "OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY", "MALLOC_ARENA_MAX", "MALLOC_TOP_PAD_",
    "MALLOC_MMAP_THRESHOLD_", "LD_PRELOAD", "LD_BIND_NOW",
    /* UCX */
    "UCX_TLS", "UCX_NET_DEVICES", "UCX_SHM_DEVICES", "UCX_SELF_DEVICES",
    "UCX_ACC_DEVICES", "UCX_RNDV_THRESH", "UCX_RNDV_SCHEME",
    "UCX_ZCOPY_THRESH", "UCX_BCOPY_THRESH", "UCX_MAX_EAGER_RAILS",
    "UCX_MAX_RNDV_RAILS", "UCX_PROTO_ENABLE", "UCX_POSIX_FIFO_SIZE",
    "UCX_POSIX_SEG_SIZE", "UCX_SYSV_SEG_SIZE", "UCX_IB_GPU_DIRECT_RDMA",
    "UCX_IB_GID_INDEX", "UCX_IB_PCI_RELAXED_ORDERING", "UCX_IB_REG_METHODS",
    "UCX_IB_SL", "UCX_IB_TRAFFIC_CLASS", "UCX_RC_VERBS_TIMEOUT",
    "UCX_RC_MLX5_TIMEOUT", "UCX_DC_MLX5_NUM_DCI", "UCX_UD_MLX5_TIMEOUT",
    "UCX_TCP_CM_REUSEADDR", "UCX_TCP_MAX_CONN_RETRIES", "UCX_MEMTYPE_CACHE",
    "UCX_UNIFIED_MODE", "UCX_ADAPTIVE_PROGRESS", "UCX_LOG_LEVEL",
    "UCX_HANDLE_ERRORS", "UCX_KEEPALIVE_INTERVAL",
    /* libfabric */
    "FI_PROVIDER", "FI_LOG_LEVEL", "FI_TCP_IFACE", "FI_SOCKETS_IFACE",
    "FI_VERBS_IFACE", "FI_VERBS_INLINE_SIZE", "FI_VERBS_RX_SIZE",
    "FI_VERBS_TX_SIZE", "FI_VERBS_USE_ODP", "FI_OFI_RXM_BUFFER_SIZE",
    "FI_OFI_RXM_USE_SRX", "FI_PSM2_INJECT_SIZE", "FI_PSM3_INJECT_SIZE",
    "FI_EFA_USE_DEVICE_RDMA", "FI_CXI_RDZV_THRESHOLD",
    "FI_CXI_RDZV_PROTO", "FI_CXI_RX_MATCH_MODE", "FI_CXI_DEFAULT_CQ_SIZE",
    "FI_CXI_REQ_BUF_SIZE", "FI_MR_CACHE_MONITOR", "FI_MR_CACHE_MAX_SIZE",
    "PSM2_MULTIRAIL", "PSM3_MULTIRAIL", "PSM3_NIC",
    "MPICH_OFI_NIC_POLICY", "MPICH_OFI_NUM_NICS", "MPICH_OFI_NIC_MAPPING",
    /* launchers: binding and mapping */
    "HYDRA_BINDING", "HYDRA_USER_PROVIDED_BINDING", "HYDRA_MEMBIND",
    "HYDRA_TOPOLIB", "HYDRA_BOOTSTRAP",
    "HYDRA_IFACE", "HYDRA_HOST_FILE", "HYDRA_RMK", "I_MPI_PIN",
    "I_MPI_PIN_DOMAIN", "I_MPI_PIN_ORDER", "I_MPI_FABRICS",
    "I_MPI_TUNING_MODE",
    "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_hwloc_base_binding_policy",
    "OMPI_MCA_rmaps_base_oversubscribe",
    "PRTE_MCA_rmaps_default_mapping_policy",
    "PRTE_MCA_hwloc_default_binding_policy",
    /* Slurm */
    "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID",
    "SLURM_CLUSTER_NAME", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST",
    "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_QOS",
    "SLURM_TASKS_PER_NODE", "SLURM_RESTART_COUNT", "SLURM_NTASKS",
    "SLURM_NNODES", "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK",
    "SLURM_CPUS_ON_NODE", "SLURM_DISTRIBUTION", "SLURM_CPU_BIND",
    "SLURM_CPU_BIND_TYPE", "SLURM_CPU_BIND_LIST", "SLURM_CPU_FREQ_REQ",
    "SLURM_MEM_BIND", "SLURM_HINT", "SLURM_MPI_TYPE", "SLURM_NETWORK",
    "SLURM_STEP_ID", "SLURM_STEP_NODELIST", "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_TOPOLOGY_ADDR", "SLURM_THREADS_PER_CORE",
};

/* Prefixes of variables that probably belong to an MPI library. */
static const char *const families[] = {
    "UCX_", "FI_", "HYDRA_", "I_MPI_", "MPICH_", "MV2_", "MVP_",
    "PSM2_", "PSM3_", "OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_",
};

int chorale_facts_allowed(const char *name)
{
    for (size_t i = 0; i < sizeof(allow) / sizeof(allow[0]); i++)
        if (strcmp(name, allow[i]) == 0)
            return 1;
    return 0;
}

static int in_family(const char *name)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0)
            return 1;
    return 0;
}

void chorale_facts_variables(struct chorale_facts *facts)
{
    char name[128], key[136], others[2048] = "";
    size_t len = 0;

    for (char **e = environ; *e != NULL; e++) {
        size_t n = strcspn(*e, "=");

        if ((*e)[n] != '=' || n >= sizeof(name))
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)n, *e);
        snprintf(key, sizeof(key), "env:%s", name);
        if (chorale_facts_allowed(name))
            chorale_facts_put(facts, key, *e + n + 1);
        else if (in_family(name) && len < sizeof(others))
            len += (size_t)snprintf(others + len, sizeof(others) - len,
                                    "%s%s", len > 0 ? "," : "", name);
    }
    chorale_facts_put(facts, "variables_not_recorded", others);
}

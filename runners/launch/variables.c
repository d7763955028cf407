/* SPDX-License-Identifier: BSD-3-Clause */
/* variables.c - control variables of the MPI library that are not at their
 * defaults, through MPI_T, and the transport of its messages.
 *
 * MPI_T does not report defaults. Therefore this program runs itself once more,
 * without MPI_Init and with an almost empty environment, to print them.
 *
 * In MPI_Init Open MPI computes hundreds of values, and version 5.0 most of its
 * values. But it keeps the source of each value, which `ompi_info` prints. A
 * value from the command line, the environment, a file or an override is the
 * user's; all others count as defaults. */
#include "config.h"

#include "runners/launch/environment.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULTS_MAX (1 << 20) /* bytes of all variables' defaults */
#define DEFAULTS_SECONDS 10    /* time limit */

/* --- allow-list ------------------------------------------------------- */

/* All of MPICH's variables; of Open MPI's only those of message transport,
 * since others hold addresses and keys of its daemons. */
static int recordable(const char *name)
{
    static const char *const parts[] = {
        "MPIR_CVAR_", "pml_", "btl_", "mtl_", "bml_", "coll_", "mpi_",
        "mpool_", "rcache_", "opal_common_ucx_",
    };
    static const char *const secrets[] = { "key", "secret", "passw", "token",
                                           "credential", "uri", "auth" };
    char low[256];
    int in = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        in |= strncmp(name, parts[i], strlen(parts[i])) == 0;
    snprintf(low, sizeof(low), "%s", name);
    for (char *p = low; *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
        if (strstr(low, secrets[i]) != NULL)
            in = 0;
    return in;
}

/* --- values ----------------------------------------------------------- */

/* Format element i of a variable's value. */
static int format_one(MPI_Datatype type, const char *value, int i, char *text,
                      size_t size)
{
    if (type == MPI_INT)
        return snprintf(text, size, "%d", ((const int *)value)[i]);
    if (type == MPI_UNSIGNED)
        return snprintf(text, size, "%u", ((const unsigned *)value)[i]);
    if (type == MPI_UNSIGNED_LONG)
        return snprintf(text, size, "%lu", ((const unsigned long *)value)[i]);
    if (type == MPI_UNSIGNED_LONG_LONG)
        return snprintf(text, size, "%llu",
                        ((const unsigned long long *)value)[i]);
    if (type == MPI_COUNT)
        return snprintf(text, size, "%lld",
                        (long long)((const MPI_Count *)value)[i]);
    if (type == MPI_DOUBLE)
        return snprintf(text, size, "%.15g", ((const double *)value)[i]);
    if (type == MPI_C_BOOL)
        return snprintf(text, size, "%d", ((const signed char *)value)[i]);
    return -1;
}

/* Format a value; of an enumeration its name. Returns 0, or -1: unknown
 * type. */
static int format(MPI_Datatype type, MPI_T_enum items, const char *value,
                  int count, char *text, size_t size)
{
    int n, len = (int)size - 1, at;
    size_t done = 0;

    if (type == MPI_CHAR) {
        snprintf(text, size, "%.*s", count, value);
        return 0;
    }
    if (type == MPI_INT && items != MPI_T_ENUM_NULL && count == 1 &&
        MPI_T_enum_get_info(items, &n, NULL, NULL) == MPI_SUCCESS)
        for (int i = 0; i < n; i++) {
            len = (int)size - 1;
            if (MPI_T_enum_get_item(items, i, &at, text, &len) ==
                    MPI_SUCCESS && at == *(const int *)value)
                return 0;
        }
    text[0] = '\0';
    for (int i = 0; i < count && done < size; i++) {
        if (i > 0)
            done += (size_t)snprintf(text + done, size - done, ",");
        n = format_one(type, value, i, text + done, size - done);
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

/* Read name and value of variable i. Returns 0, or -1 if it is not allowed or
 * not readable. */
static int read_variable(int i, char name[256], char text[512])
{
    int room = 256, zero = 0, verbosity, bind, scope, count = 0, rc = -1;
    MPI_T_cvar_handle handle;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_Datatype type;
    char *value;

    if (MPI_T_cvar_get_info(i, name, &room, &verbosity, &type, &items, NULL,
                            &zero, &bind, &scope) != MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT || !recordable(name) ||
        MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS)
        return -1;
    value = count > 0 ? calloc((size_t)count + 1, 16) : NULL;
    if (value != NULL && MPI_T_cvar_read(handle, value) == MPI_SUCCESS)
        rc = format(type, items, value, count, text, 512);
    free(value);
    MPI_T_cvar_handle_free(&handle);
    for (char *p = text; rc == 0 && *p != '\0'; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    return rc;
}

void chorale_variables_print(FILE *out)
{
    char name[256], text[512];
    int provided, n = 0;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return;
    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; i++)
        if (read_variable(i, name, text) == 0)
            fprintf(out, "%s\t%s\n", name, text);
    MPI_T_finalize();
}

/* --- defaults --------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Read until the end within the time limit. Returns 0, or -1. */
static int read_all(int fd, char *text, size_t size)
{
    double end = now() + DEFAULTS_SECONDS;
    size_t len = 0;
    ssize_t n = 1;

    while (n > 0 && len + 1 < size) {
        struct pollfd p = { fd, POLLIN, 0 };
        double left = end - now();

        n = -1;
        if (left > 0 && poll(&p, 1, (int)(1000 * left) + 1) > 0)
            n = read(fd, text + len, size - len - 1);
        if (n > 0)
            len += (size_t)n;
    }
    text[len] = '\0';
    return n == 0 ? 0 : -1;
}

/* The variables that this program prints in an empty environment, one a line,
 * allocated; NULL on failure. */
static char *ask_defaults(void)
{
    char *argv[] = { (char *)"chorale-runner", (char *)"--variables", NULL };
    char path[4096 + 8], *env[3] = { NULL, NULL, NULL }, *text;
    const char *libraries = getenv("LD_LIBRARY_PATH");
    posix_spawn_file_actions_t acts;
    int fd[2], status = -1, bad;
    pid_t pid;

    snprintf(path, sizeof(path), "LD_LIBRARY_PATH=%s",
             libraries != NULL ? libraries : "");
    env[0] = (char *)"HOME=/"; /* without one, Open MPI 5 does not start */
    env[1] = libraries != NULL ? path : NULL;
    text = malloc(DEFAULTS_MAX);
    if (text == NULL || pipe2(fd, O_CLOEXEC) != 0) {
        free(text);
        return NULL;
    }
    posix_spawn_file_actions_init(&acts);
    posix_spawn_file_actions_adddup2(&acts, fd[1], 1);
    bad = posix_spawn(&pid, "/proc/self/exe", &acts, NULL, argv, env) != 0;
    posix_spawn_file_actions_destroy(&acts);
    close(fd[1]);
    if (!bad) {
        bad = read_all(fd[0], text, DEFAULTS_MAX) != 0;
        if (bad)
            kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    close(fd[0]);
    if (!bad && status == 0)
        return text;
    free(text);
    return NULL;
}

/* 1 if that line is among the defaults. */
static int is_default(const char *defaults, const char *line)
{
    size_t n = strlen(line);
    const char *at = defaults;

    while ((at = strstr(at, line)) != NULL) {
        if ((at == defaults || at[-1] == '\n') && at[n] == '\n')
            return 1;
        at++;
    }
    return 0;
}

/* --- sources ---------------------------------------------------------- */

enum source { UNKNOWN = -1, DEFAULT, USER };

/* The source of a value, by internal functions of Open MPI that MPI_T and
 * `ompi_info` use; UNKNOWN in other libraries. Values that Open MPI has set
 * itself count as defaults. */
static enum source source_of(const char *name)
{
    enum { COMMAND_LINE = 1, ENVIRONMENT, FROM_FILE, SET, OVERRIDE };
    int (*find)(const char *name, int *index);
    int (*get)(int index, const void *value, int *source, const char **file);
    int index = -1, source = -1;

    *(void **)&find = dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name");
    *(void **)&get = dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    if (find == NULL || get == NULL || find(name, &index) != 0 ||
        get(index, NULL, &source, NULL) != 0)
        return UNKNOWN;
    return source == COMMAND_LINE || source == ENVIRONMENT ||
                   source == FROM_FILE || source == OVERRIDE
               ? USER : DEFAULT;
}

/* --- transport -------------------------------------------------------- */

/* Open MPI components that carry messages, " pml:ob1". Open MPI closes unused
 * components, so the remaining variables name the used ones. Byte transports
 * (btl) serve pml ob1 only; message transports (mtl) serve pml cm only. */
enum { PML, BTL, MTL, NFRAMEWORK };
struct components {
    char list[NFRAMEWORK][128];
};

static void note_component(const char *name, struct components *all)
{
    static const char *const framework[NFRAMEWORK] = { "pml", "btl", "mtl" };
    char one[64];
    size_t n;

    for (int i = 0; i < NFRAMEWORK; i++) {
        if (strncmp(name, framework[i], 3) != 0 || name[3] != '_')
            continue;
        n = 4 + strcspn(name + 4, "_");
        if (name[n] != '_' || strncmp(name + 4, "base_", 5) == 0)
            continue;
        snprintf(one, sizeof(one), " %s:%.*s", framework[i], (int)(n - 4),
                 name + 4);
        if (strstr(all->list[i], one) == NULL &&
            strlen(all->list[i]) + strlen(one) < sizeof(all->list[i]))
            strcat(all->list[i], one);
    }
}

/* MPICH names its device, "ch4:ucx", in the version text. */
static void put_transport(struct chorale_facts *facts,
                          const struct components *all)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", *device;
    const char *pml = all->list[PML];
    int len;

    PMPI_Get_library_version(text, &len);
    device = strstr(text, "Device:");
    if (device != NULL) {
        device += strlen("Device:");
        device += strspn(device, " \t");
        device[strcspn(device, "\n")] = '\0';
        chorale_facts_put(facts, "transport", device);
    } else if (pml[0] != '\0') {
        chorale_facts_putf(facts, "transport", "%s%s%s", pml + 1,
                           strstr(pml, ":ob1") != NULL ? all->list[BTL] : "",
                           strstr(pml, ":cm") != NULL ? all->list[MTL] : "");
    } else {
        chorale_facts_put(facts, "transport", "unknown");
    }
}

/* --- libraries that tune themselves ------------------------------------- */

/* MVAPICH-Plus chooses algorithms anew during the run unless this is 0; 1 is
 * its default. Source: MVAPICH-Plus 4.1, "Dynamic-Tuning"
 * (mvapich-docs.readthedocs.io, 2025-06-09). */
#define DYNAMIC_TUNING "MPIR_CVAR_ENABLE_DYNAMIC_TUNING"

/* Intel MPI tries algorithms during the run with auto, auto:application or
 * auto:cluster; it is off by default. Source: Intel MPI Library Developer
 * Reference 2021, "Autotuning". */
#define TUNING_MODE "I_MPI_TUNING_MODE"

/* Put the setting by which Intel MPI tunes itself; other libraries ignore the
 * variable. */
static void put_tuning_mode(struct chorale_facts *facts)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    const char *mode = getenv(TUNING_MODE);
    int len;

    PMPI_Get_library_version(text, &len);
    if (mode != NULL && strncmp(mode, "auto", 4) == 0 &&
        strstr(text, "Intel(R) MPI") != NULL)
        chorale_facts_putf(facts, "self_tuning", "%s=%.40s", TUNING_MODE,
                           mode);
}

void chorale_variables_put(struct chorale_facts *facts)
{
    char name[256], text[512], line[800], key[270];
    struct components components = { { "" } };
    char *defaults = ask_defaults();
    int provided, n = 0, nsource = 0;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS) {
        MPI_T_cvar_get_num(&n);
        for (int i = 0; i < n; i++) {
            enum source source;

            if (read_variable(i, name, text) != 0)
                continue;
            note_component(name, &components);
            if (strcmp(name, DYNAMIC_TUNING) == 0 && strcmp(text, "0") != 0)
                chorale_facts_putf(facts, "self_tuning", "%s=%.40s", name,
                                   text);
            snprintf(line, sizeof(line), "%s\t%s", name, text);
            snprintf(key, sizeof(key), "mpi:%s", name);
            source = source_of(name);
            nsource += source != UNKNOWN;
            if (source == DEFAULT)
                continue;
            if (defaults != NULL ? !is_default(defaults, line)
                                 : source == USER || getenv(name) != NULL)
                chorale_facts_put(facts, key,
                                  text[0] != '\0' ? text : "(empty)");
        }
        MPI_T_finalize();
    }
    chorale_facts_put(facts, "mpi_defaults",
                      n == 0 ? "the library has no control variables"
                      : nsource > 0
                          ? "the library names the source of each value"
                      : defaults != NULL
                          ? "asked in an empty environment"
                          : "unknown: only variables of the environment are "
                            "listed");
    put_transport(facts, &components);
    put_tuning_mode(facts);
    free(defaults);
}

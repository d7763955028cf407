/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi.c - simulated launches: options of smpirun, hosts of a platform. */
#include "config.h"

#include "algorithms/coll.h"
#include "tuner/run/smpi.h"
#include "tuner/base/units.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_TEXT (1 << 20)

/* Options of every simulation: no log; only messages take time; ranks share one
 * process image, since neither the runner nor the catalogue keeps state of a
 * rank at file scope. A stack of SimGrid's default size, 8 MiB, takes a huge
 * page of 2 MiB for each rank. */
static const char *const common_flags[] = {
    "--log=root.threshold:error",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/host-speed:1Gf",
    "--cfg=smpi/wtime:0",
    "--cfg=smpi/privatization:no",
    "--cfg=contexts/stack-size:512",
    "--cfg=surf/precision:1e-12", /* the default merges events within 1 ns */
    NULL,
};

/* A message takes exactly alpha + beta (n + 16), one at a time per direction:
 * SimGrid's CM02 without TCP corrections, with blocking sends. In all these
 * models SMPI adds 16 bytes to each message (CHORALE_MODEL_SIM_HEADER). */
static const char *const hockney_flags[] = {
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:1e15",
    "--cfg=smpi/send-is-detached-thresh:0",
    NULL,
};

/* The same links with all sends eager; a send takes 0.3 us of processor time, a
 * receive 0.2 us. */
static const char *const loggp_flags[] = {
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:1e15",
    "--cfg=smpi/send-is-detached-thresh:2147483647",
    "--cfg=smpi/async-small-thresh:2147483647",
    "--cfg=smpi/os:0:3e-7:0",
    "--cfg=smpi/ois:0:3e-7:0",
    "--cfg=smpi/or:0:2e-7:0",
    NULL,
};

static const char *const smpi_flags[] = { NULL };

/* malloc settings of a simulation: all ranks are one process whose memory grows
 * and shrinks with their messages. Keep freed memory, and use huge pages. Works
 * from glibc 2.35 on; other libraries ignore it. */
static const char simulator_memory[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=68719476736:"
    "glibc.malloc.mmap_threshold=33554432";

static const struct chorale_network networks[] = {
    { "hockney", "alpha + beta (n + 16), exact, one port", hockney_flags },
    { "loggp", "LogGP: eager sends with processor overhead", loggp_flags },
    { "smpi", "SimGrid's own default model", smpi_flags },
};

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

const struct chorale_network *chorale_network(int i)
{
    return i >= 0 && i < COUNT(networks) ? &networks[i] : NULL;
}

const struct chorale_network *chorale_network_find(const char *name)
{
    for (int i = 0; i < COUNT(networks); i++)
        if (strcmp(networks[i].name, name) == 0)
            return &networks[i];
    return NULL;
}

void chorale_sim_files_close(struct chorale_sim_files *files)
{
    if (files->platform_fd > 0)
        close(files->platform_fd);
    if (files->hosts_fd > 0)
        close(files->hosts_fd);
    free(files->still);
    memset(files, 0, sizeof(*files));
}

/* Create an in-memory file with that text. Other processes can open it by its
 * path until this process ends. */
static enum chorale_err memory_file(int *fd_p, char path[64],
                                    const char *text,
                                    struct chorale_errmsg *msg)
{
    size_t len = strlen(text);
    int fd = memfd_create("chorale", MFD_CLOEXEC);

    if (fd < 0)
        return chorale_fail_system(msg, "memfd_create", errno);
    *fd_p = fd;
    snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
    while (len > 0) {
        ssize_t put = write(fd, text, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return chorale_fail_memory(msg, NULL);
        text += put;
        len -= (size_t)put;
    }
    return CHORALE_OK;
}

static void add_flags(struct chorale_args *args, const char *const *flag)
{
    for (; *flag != NULL; flag++)
        chorale_args_add(args, "%s", *flag);
}

static int natural(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

void chorale_sim_hosts_free(char **host, int nhost)
{
    for (int i = 0; i < nhost; i++)
        free(host[i]);
    free(host);
}

/* Parse the lines "@host NAME" and "@version V" of the runner's --hosts. */
static enum chorale_err parse_hosts(char *text, char ***host_p, int *nhost_p,
                                    char version[64],
                                    struct chorale_errmsg *msg)
{
    char **host = NULL, *save = NULL;
    int nhost = 0;

    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char **grown;

        if (strncmp(line, "@version ", 9) == 0)
            snprintf(version, 64, "%s", line + 9);
        if (strncmp(line, "@host ", 6) != 0)
            continue;
        grown = realloc(host, (size_t)(nhost + 1) * sizeof(*host));
        if (grown != NULL)
            host = grown;
        if (grown == NULL || (host[nhost] = strdup(line + 6)) == NULL) {
            chorale_sim_hosts_free(host, nhost);
            return chorale_fail_memory(msg, NULL);
        }
        nhost++;
    }
    if (nhost == 0)
        return chorale_fail(msg, CHORALE_DATA, "platform: no host; name "
                            "another file, or add hosts");
    qsort(host, (size_t)nhost, sizeof(*host), natural);
    *host_p = host;
    *nhost_p = nhost;
    return CHORALE_OK;
}

static const char smpirun_remedy[] =
    "install SimGrid (Debian: libsimgrid-dev) or use --launcher mpiexec";

/* Report SimGrid's error in a platform, without its prefix "[0.000000]
 * [category/LEVEL] "; the name of the temporary file is replaced by "line". */
static enum chorale_err bad_platform(char *text, const char *path,
                                     struct chorale_errmsg *msg)
{
    char *why = strstr(text, "/ERROR] "), *at = strstr(text, path);

    if (why == NULL)
        why = strstr(text, "/CRITICAL] ");
    why = why != NULL ? strchr(why, ' ') + 1 : text;
    why[strcspn(why, "\n")] = '\0';
    if (at != NULL && at[strlen(path)] == ':')
        return chorale_fail(msg, CHORALE_DATA, "platform: SimGrid cannot use "
                            "line %s; correct the file",
                            at + strlen(path) + 1);
    return chorale_fail(
        msg, CHORALE_DATA, "platform: SimGrid cannot use it: %s; %s", why,
        strncmp(why, "Segmentation fault", 18) == 0
            ? "SimGrid 4.0 needs a zone around a cluster with a topology, "
              "<zone id=\"world\" routing=\"Full\">"
            : "correct the file");
}

/* Run the runner's --hosts in a simulation of one rank with those options, and
 * an optional argument (word). *files must be closed by the caller. */
static enum chorale_err ask_hosts(const char *platform_text,
                                  const char *const *flag, const char *word,
                                  struct chorale_sim_files *files, char *text,
                                  size_t size, int *status,
                                  struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char runner[PATH_MAX];
    enum chorale_err err;

    err = chorale_find_program("chorale-runner-sim", PKGLIBEXECDIR, runner,
                               sizeof(runner), msg);
    if (err == CHORALE_OK)
        err = memory_file(&files->platform_fd, files->platform, platform_text,
                          msg);
    if (err == CHORALE_OK) {
        chorale_args_add(&args, "smpirun");
        chorale_args_add(&args, "-np");
        chorale_args_add(&args, "1");
        chorale_args_add(&args, "-platform");
        chorale_args_add(&args, "%s", files->platform);
        add_flags(&args, common_flags);
        add_flags(&args, flag);
        if (word != NULL)
            chorale_args_add(&args, "%s", word);
        chorale_args_add(&args, "%s", runner);
        chorale_args_add(&args, "--hosts");
        err = chorale_capture(&args, smpirun_remedy, text, size, status, msg);
    }
    chorale_args_free(&args);
    return err;
}

enum chorale_err chorale_sim_hosts(const char *platform_text,
                                   const char *network, char ***host_p,
                                   int *nhost_p, char version[64],
                                   struct chorale_errmsg *msg)
{
    struct chorale_sim_files files = { 0, 0, "", "", NULL };
    char *text = malloc(HOST_TEXT);
    enum chorale_err err;
    int status = 0;

    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    err = ask_hosts(platform_text, chorale_network_find(network)->flag, NULL,
                    &files, text, HOST_TEXT, &status, msg);
    if (err == CHORALE_OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
                              strncmp(text, "@", 1) != 0))
        err = bad_platform(text, files.platform, msg);
    if (err == CHORALE_OK)
        err = parse_hosts(text, host_p, nhost_p, version, msg);
    chorale_sim_files_close(&files);
    free(text);
    return err;
}

enum chorale_err chorale_sim_complaint(const char *coll, char *text,
                                       size_t size,
                                       struct chorale_errmsg *msg)
{
    static const char platform[] =
        "<?xml version='1.0'?><!DOCTYPE platform SYSTEM "
        "\"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">"
        "<zone id=\"z\" routing=\"Full\"><host id=\"n0\" speed=\"1Gf\"/></zone>"
        "</platform>\n";
    struct chorale_sim_files files = { 0, 0, "", "", NULL };
    char word[64];
    int status = 0;
    enum chorale_err err;

    snprintf(word, sizeof(word), "--cfg=smpi/%s:chorale_asks", coll);
    err = ask_hosts(platform, smpi_flags, word, &files, text, size, &status,
                    msg);
    chorale_sim_files_close(&files);
    return err;
}

static enum chorale_err write_hosts(struct chorale_sim_files *files,
                                    char **host, int nhost, int comm_size,
                                    int ppn, struct chorale_errmsg *msg)
{
    size_t room = 1, len = 0;
    enum chorale_err err;
    char *text;

    if ((comm_size + ppn - 1) / ppn > nhost)
        return chorale_fail(msg, CHORALE_USAGE, "platform: P = %d at %d a node "
                            "needs %d hosts, it has %d; ask for fewer ranks, "
                            "or for more a node", comm_size, ppn,
                            (comm_size + ppn - 1) / ppn, nhost);
    for (int r = 0; r < comm_size; r++)
        room += strlen(host[r / ppn]) + 1;
    text = malloc(room);
    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    for (int r = 0; r < comm_size; r++)
        len += (size_t)snprintf(text + len, room - len, "%s\n",
                                host[r / ppn]);
    err = memory_file(&files->hosts_fd, files->hosts, text, msg);
    free(text);
    return err;
}

/* Length of one word of a selector, -1: invalid. The first must be the name of
 * a selector, the others COLLECTIVE:ALGORITHM. */
static int selector_word(const char *word, int first)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = strspn(word, letters), rest;
    char coll[32];

    if (first) {
        char list[32];

        snprintf(list, sizeof(list), "%.*s", (int)length, word);
        return length > 0 &&
                       chorale_spec_listed("mpich,ompi,mvapich2,impi", list)
                   ? (int)length
                   : -1;
    }
    snprintf(coll, sizeof(coll), "%.*s", (int)length, word);
    if (chorale_coll_find(coll) < 0 || word[length] != ':')
        return -1;
    rest = strspn(word + length + 1, letters);
    return rest > 0 ? (int)(length + 1 + rest) : -1;
}

int chorale_selector_ok(const char *selector)
{
    int length = selector_word(selector, 1);

    while (length > 0 && selector[length] == ',') {
        selector += length + 1;
        length = selector_word(selector, 0);
    }
    return length > 0 && selector[length] == '\0';
}

int chorale_forced_valid(const char *forced)
{
    int length = selector_word(forced, 0);

    return length > 0 && forced[length] == '\0';
}

/* Add the options for a selector such as mpich,bcast:ompi_pipeline. */
static void add_selector(const char *selector, struct chorale_args *args)
{
    size_t length = strcspn(selector, ",");

    chorale_args_add(args, "--cfg=smpi/coll-selector:%.*s", (int)length,
                     selector);
    while (selector[length] == ',') {
        selector += length + 1;
        length = strcspn(selector, ",");
        chorale_args_add(args, "--cfg=smpi/%.*s", (int)length, selector);
    }
}

/* Path of the preloaded library that freezes clocks which simulations do not
 * need: beside this build, or installed. NULL: missing, which is only
 * slower. */
static char *find_frozen_clock(void)
{
    char path[PATH_MAX];

    if (chorale_find_program(".libs/libchorale_still.so", "", path,
                             sizeof(path), NULL) != CHORALE_OK)
        snprintf(path, sizeof(path), "%s/libchorale_still.so", PKGLIBDIR);
    return strpbrk(path, " :") == NULL && access(path, R_OK) == 0
               ? strdup(path) : NULL;
}

enum chorale_err chorale_sim_args(const struct chorale_simulation *sim,
                                  int comm_size, int ppn, const char *db_path,
                                  struct chorale_args *args,
                                  struct chorale_sim_files *files,
                                  struct chorale_errmsg *msg)
{
    char version[64], **host = NULL;
    int nhost = 0;
    enum chorale_err err;

    if (chorale_network_find(sim->network) == NULL)
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: a plan's --network is '%s'; there are "
                            "hockney, loggp, smpi: plan its cells again",
                            db_path, sim->network);
    err = chorale_sim_hosts(sim->platform, sim->network, &host,
                            &nhost, version, msg);
    if (err == CHORALE_OK)
        err = memory_file(&files->platform_fd, files->platform,
                          sim->platform, msg);
    if (err == CHORALE_OK)
        err = write_hosts(files, host, nhost, comm_size, ppn, msg);
    chorale_sim_hosts_free(host, nhost);
    if (err != CHORALE_OK)
        return err;
    args->tunables = simulator_memory;
    args->preload = files->still = find_frozen_clock();
    chorale_args_add(args, "smpirun");
    chorale_args_add(args, "-np");
    chorale_args_add(args, "%d", comm_size);
    chorale_args_add(args, "-platform");
    chorale_args_add(args, "%s", files->platform);
    chorale_args_add(args, "-hostfile");
    chorale_args_add(args, "%s", files->hosts);
    add_flags(args, common_flags);
    add_flags(args, chorale_network_find(sim->network)->flag);
    add_selector(sim->selector, args);
    if (sim->forced != NULL)
        chorale_args_add(args, "--cfg=smpi/%s", sim->forced);
    return CHORALE_OK;
}

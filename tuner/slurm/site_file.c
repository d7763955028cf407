/* SPDX-License-Identifier: BSD-3-Clause */
/* site_file.c - reads site files. */
#include "config.h"

#include "tuner/slurm/site_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LETTERS                                                              \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"         \
    "_.,:@%+=/-"

/* A key, the place of its value, and its allowed words, separated by bars; "/":
 * an absolute path; NULL: any word. */
static const struct {
    const char *key, *among;
    size_t offset;
} keys[] = {
    { "partition", NULL, offsetof(struct chorale_site, partition) },
    { "account", NULL, offsetof(struct chorale_site, account) },
    { "qos", NULL, offsetof(struct chorale_site, qos) },
    { "reservation", NULL, offsetof(struct chorale_site, reservation) },
    { "constraint", NULL, offsetof(struct chorale_site, constraint) },
    { "switches", NULL, offsetof(struct chorale_site, switches) },
    { "launcher", "srun|mpiexec", offsetof(struct chorale_site, launcher) },
    { "mpi", NULL, offsetof(struct chorale_site, mpi) },
    { "shards", "/", offsetof(struct chorale_site, shards) },
    { "prologue", "/", offsetof(struct chorale_site, prologue) },
    { "bind", "yes|no", offsetof(struct chorale_site, bind) },
    { "exclusive", "yes|no", offsetof(struct chorale_site, exclusive) },
    { "spread", "yes|no", offsetof(struct chorale_site, spread) },
};

static int letters_only(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && length < CHORALE_SITE_WORD &&
           strspn(text, LETTERS) == length;
}

int chorale_site_word(const char *text)
{
    return letters_only(text) && text[0] != '-';
}

/* Returns 1 if the bar-separated list has the word. */
static int listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (; *list != '\0'; list += strcspn(list, "|"), list += *list == '|')
        if (strcspn(list, "|") == length && strncmp(list, word, length) == 0)
            return 1;
    return 0;
}

/* Returns 1 if sbatch may read name as that option: it accepts prefixes. */
static int begins(const char *option, const char *name)
{
    return strncmp(option, name, strlen(name)) == 0;
}

/* Add an option for sbatch. Options that the scripts set themselves, or that
 * have a key of the site file, are refused. */
static enum chorale_err add_option(struct chorale_site *site,
                                   const char *value,
                                   struct chorale_errmsg *msg)
{
    static const char *const ours[] = {
        "--array", "--nodes", "--ntasks", "--ntasks-per-node", "--time",
        "--signal", "--requeue", "--no-requeue", "--output", "--error",
        "--open-mode", "--dependency", "--wrap", "--job-name", "--parsable",
        "--exclusive", "--chdir", "--export",
    };
    static const char *const instead[][2] = {
        { "--partition", "partition" },
        { "--account", "account" },
        { "--qos", "qos" },
        { "--reservation", "reservation" },
        { "--constraint", "constraint" },
        { "--switches", "switches" },
        { "--oversubscribe", "exclusive" },
        { "--share", "exclusive" },
    };
    /* sbatch would wait, use another cluster or submit nothing. */
    static const char *const never[] = {
        "--clusters", "--cluster", "--wait", "--test-only", "--help",
        "--usage", "--version", "--uid", "--gid", "--time-min",
        "--tasks-per-node", "--export-file", "--quiet",
    };
    char name[CHORALE_SITE_WORD];

    if (!letters_only(value) || strncmp(value, "--", 2) != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "option '%.100s': invalid; begin with two dashes "
                            "and use letters, digits and _.,:@%%+=/-", value);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, "="), value);
    for (size_t i = 0; i < COUNT(ours); i++)
        if (begins(ours[i], name))
            return chorale_fail(msg, CHORALE_USAGE,
                                "option '%.100s': the scripts set %s "
                                "themselves; leave it out", value, ours[i]);
    for (size_t i = 0; i < COUNT(never); i++)
        if (begins(never[i], name))
            return chorale_fail(msg, CHORALE_USAGE,
                                "option '%.100s': it would change how `chorale "
                                "submit` submits and follows jobs; leave it "
                                "out", value);
    for (size_t i = 0; i < COUNT(instead); i++)
        if (begins(instead[i][0], name))
            return chorale_fail(msg, CHORALE_USAGE,
                                "option '%.100s': %s has its own key; "
                                "write '%s = ...'", value, instead[i][0],
                                instead[i][1]);
    if (site->noption == CHORALE_SITE_OPTIONS)
        return chorale_fail(msg, CHORALE_USAGE, "option '%.100s': too many; "
                            "give at most %d", value, CHORALE_SITE_OPTIONS);
    snprintf(site->option[site->noption++], CHORALE_SITE_WORD, "%s", value);
    return CHORALE_OK;
}

enum chorale_err chorale_site_set(struct chorale_site *site, const char *key,
                                  const char *value,
                                  struct chorale_errmsg *msg)
{
    if (value == NULL)
        return CHORALE_OK;
    if (strcmp(key, "option") == 0)
        return add_option(site, value, msg);
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *among = keys[i].among;

        if (strcmp(key, keys[i].key) != 0)
            continue;
        if (!chorale_site_word(value))
            return chorale_fail(msg, CHORALE_USAGE,
                                "%s '%.100s': invalid; use letters, digits and "
                                "_.,:@%%+=/- only, below %d of them, and no "
                                "dash first", key, value, CHORALE_SITE_WORD);
        if (among != NULL && (among[0] == '/' ? value[0] != '/'
                                              : !listed(among, value)))
            return chorale_fail(msg, CHORALE_USAGE, "%s '%.100s': write %s",
                                key, value,
                                among[0] == '/' ? "an absolute path" : among);
        snprintf((char *)site + keys[i].offset, CHORALE_SITE_WORD, "%s",
                 value);
        return CHORALE_OK;
    }
    return chorale_fail(msg, CHORALE_USAGE,
                        "'%.100s': unknown key; `chorale submit --help` lists "
                        "the keys of a site file",
                        key);
}

/* Remove white space at both ends, in place. */
static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static enum chorale_err read_line(struct chorale_site *site, char *line,
                                  struct chorale_errmsg *msg)
{
    char *equals;

    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (line[0] == '\0')
        return CHORALE_OK;
    equals = strchr(line, '=');
    if (equals == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "'%.100s': no key; write KEY = "
                            "VALUE", line);
    *equals = '\0';
    return chorale_site_set(site, trim(line), trim(equals + 1), msg);
}

enum chorale_err chorale_site_load(const char *name, struct chorale_site *site,
                                   struct chorale_errmsg *msg)
{
    char line[2 * CHORALE_SITE_WORD];
    struct chorale_errmsg why;
    enum chorale_err err = CHORALE_OK;
    FILE *in;

    memset(site, 0, sizeof(*site));
    if (name == NULL)
        return CHORALE_OK;
    in = fopen(name, "r");
    if (in == NULL)
        return chorale_fail(msg, CHORALE_ENV, "--site %s: %s; name a "
                            "file that you may read", name, strerror(errno));
    for (int n = 1; err == CHORALE_OK && fgets(line, sizeof(line), in); n++) {
        if (strchr(line, '\n') == NULL && !feof(in))
            err = chorale_fail(&why, CHORALE_USAGE, "longer than %zu bytes; "
                               "shorten the line", sizeof(line) - 2);
        else
            err = read_line(site, line, &why);
        if (err != CHORALE_OK)
            chorale_fail(msg, err, "%.300s:%d: %.600s", name, n, why.text);
    }
    if (err == CHORALE_OK && ferror(in))
        err = chorale_fail_read(msg, name, errno);
    fclose(in);
    return err;
}

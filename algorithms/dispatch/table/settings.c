/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - reads environment variables into struct chorale_settings. Each
 * rank reads its own; different settings are found when the ranks of a
 * communicator compare digests. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "algorithms/edit_distance.h"
#include "algorithms/dispatch/table/settings.h"

#ifndef CHORALE_SYSCONFDIR
#define CHORALE_SYSCONFDIR "/etc"
#endif

#define WORD 256

typedef void warn_fn(const char *line);

__attribute__((format(printf, 2, 3)))
static void complain(warn_fn *warn, const char *format, ...)
{
    char line[1024];
    va_list ap;

    if (warn == NULL)
        return;
    va_start(ap, format);
    vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    warn(line);
}

/* Read the next word that ends at stop, and move *text_p behind it. 1: word
 * filled; 0: end of text; -1: the word is too long and was skipped. */
static int next_word(const char **text_p, char stop, char *word)
{
    const char *start = *text_p, *end;
    size_t length;

    if (*start == '\0')
        return 0;
    end = strchr(start, stop);
    length = end != NULL ? (size_t)(end - start) : strlen(start);
    *text_p = start + length + (end != NULL);
    if (length >= WORD)
        return -1;
    memcpy(word, start, length);
    word[length] = '\0';
    return 1;
}

static void read_disable(struct chorale_settings *set, const char *text,
                         warn_fn *warn)
{
    char word[WORD];
    int got;

    while ((got = next_word(&text, ',', word)) != 0) {
        int coll = got < 0 ? -1 : chorale_coll_find(word);

        if (coll >= 0)
            set->disabled |= 1u << coll;
        else if (got < 0 || word[0] != '\0')
            complain(warn, "CHORALE_DISABLE: no collective '%.40s'; see "
                     "chorale list", got < 0 ? "(too long)" : word);
    }
}

/* Parse a variant and its parameters into plan. Returns 0, or -1 and a line in
 * why. */
static int read_plan(enum chorale_coll coll, const char *name,
                     const char *params, struct chorale_plan *plan, char *why,
                     size_t why_size)
{
    const char *word = chorale_coll_info(coll)->name, *never;

    plan->alg = chorale_alg_find(coll, name);
    if (plan->alg == NULL) {
        snprintf(why, why_size, "%s has no variant '%.40s'; see chorale list",
                 word, name);
        return -1;
    }
    never = chorale_alg_unselectable(plan->alg, 1);
    if (never != NULL) {
        snprintf(why, why_size, "%s %s is never selected: %s", word, name,
                 never);
        return -1;
    }
    return chorale_alg_params_parse(plan->alg, params, plan->param, why,
                                    why_size);
}

/* "bcast=binomial:segsize=8K:max_reqs=2" */
static int read_force_word(struct chorale_settings *set, char *word,
                           char *why, size_t why_size)
{
    char *name = strchr(word, '='), *params;
    struct chorale_plan plan = {0};
    int coll;

    snprintf(why, why_size, "write collective=variant:name=value");
    if (name == NULL)
        return -1;
    *name++ = '\0';
    coll = chorale_coll_find(word);
    params = strchr(name, ':');
    if (params != NULL)
        *params++ = '\0';
    for (char *p = params; p != NULL && (p = strchr(p, ':')) != NULL;)
        *p = ',';
    if (coll < 0) {
        snprintf(why, why_size, "no collective '%.40s'", word);
        return -1;
    }
    if (strcmp(name, "library") != 0 &&
        read_plan((enum chorale_coll)coll, name, params != NULL ? params : "",
                  &plan, why, why_size) != 0)
        return -1;
    set->force[coll] = plan;
    set->forced |= 1u << coll;
    return 0;
}

static void read_force(struct chorale_settings *set, const char *text,
                       warn_fn *warn)
{
    char word[WORD], copy[WORD], why[256];
    int got;

    while ((got = next_word(&text, ',', word)) != 0) {
        if (got < 0) {
            complain(warn, "CHORALE_FORCE: an entry of more than %d "
                     "characters is ignored; see chorale list", WORD - 1);
            continue;
        }
        if (word[0] == '\0')
            continue;
        strcpy(copy, word);
        if (read_force_word(set, word, why, sizeof(why)) != 0)
            complain(warn, "CHORALE_FORCE: '%s' is ignored: %s", copy, why);
    }
}

/* Read a number from least to 1000000000. *number stays unchanged if the
 * variable is unset or invalid. */
static void read_number(const char *name, int least, int *number,
                        warn_fn *warn)
{
    const char *text = getenv(name);
    char *end;
    long value;

    if (text == NULL || text[0] == '\0')
        return;
    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least
        || value > 1000000000)
        complain(warn, "%s: '%.40s' is not a number from %d to 1000000000; "
                 "%d is used", name, text, least, *number);
    else
        *number = (int)value;
}

/* Parse "64M" into bytes. Returns 0, or -1 if it is not a size. */
static int read_size(const char *text, size_t *size)
{
    unsigned long long value;
    unsigned shift = 0;
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end == 'K' || *end == 'M' || *end == 'G')
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
    end += shift != 0;
    if (errno != 0 || *end != '\0' || value > SIZE_MAX >> shift)
        return -1;
    *size = (size_t)value << shift;
    return 0;
}

static const char *get(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? text : NULL;
}

static int get_flag(const char *name)
{
    const char *text = get(name);

    return text != NULL && strcmp(text, "0") != 0;
}

/* The value if it is an absolute path; else NULL. Relative paths are refused
 * because ranks may start in different folders. */
static const char *get_path(const char *name, warn_fn *warn)
{
    const char *text = get(name);

    if (text == NULL || text[0] == '/')
        return text;
    complain(warn, "%s: '%.200s' is not an absolute path and is ignored; "
             "write it from / on", name, text);
    return NULL;
}

/* Both settings must hold for the whole run, so they apply from the first
 * call. */
static void read_from_first(struct chorale_settings *set)
{
    set->check = get_flag("CHORALE_CHECK");
    set->deterministic = get_flag("CHORALE_DETERMINISTIC");
    if (set->check || set->deterministic)
        set->after = 1;
}

extern char **environ;

/* Name variables that are probably misspelt, since they would have no
 * effect. */
static void check_names(warn_fn *warn)
{
    static const char *const known[] = {
        "CHORALE_AFTER", "CHORALE_ANY_SYSTEM", "CHORALE_CHECK",
        "CHORALE_DETERMINISTIC", "CHORALE_DISABLE", "CHORALE_DISPATCH",
        "CHORALE_FORCE", "CHORALE_HOST_BUFFERS", "CHORALE_MAX_COMMS",
        "CHORALE_MAX_SCRATCH", "CHORALE_MPIEXEC", "CHORALE_SITE",
        "CHORALE_TRACE", "CHORALE_TRACE_SIGNAL", "CHORALE_VERBOSE",
    };
    const size_t count = sizeof(known) / sizeof(known[0]);

    for (char **at = environ; at != NULL && *at != NULL; at++) {
        char name[CHORALE_EDIT_LONGEST + 1];
        int least = CHORALE_EDIT_MOST + 1;
        size_t best = 0;

        if (strncmp(*at, "CHORAL", 6) != 0 ||
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(*at, "="),
                     *at) >= (int)sizeof(name))
            continue;
        for (size_t i = 0; i < count && least > 0; i++) {
            const int d = chorale_edit_distance(name, known[i]);

            if (d < least) {
                least = d;
                best = i;
            }
        }
        if (least > 0 && least <= CHORALE_EDIT_MOST)
            complain(warn, "%s: unknown and ignored; did you mean %s?", name,
                     known[best]);
    }
}

void chorale_settings_read(struct chorale_settings *set, warn_fn *warn)
{
    const char *text;

    memset(set, 0, sizeof(*set));
    set->after = CHORALE_AFTER_DEFAULT;
    set->max_comms = CHORALE_MAX_COMMS_DEFAULT;
    set->max_scratch = CHORALE_MAX_SCRATCH_DEFAULT;
    set->site = CHORALE_SYSCONFDIR "/chorale";
    set->secure = getauxval(AT_SECURE) != 0;
    if (set->secure)
        return;
    check_names(warn);
    set->verbose = get_flag("CHORALE_VERBOSE");
    set->host_buffers = get_flag("CHORALE_HOST_BUFFERS");
    set->any_system = get_flag("CHORALE_ANY_SYSTEM");
    set->dispatch = get_path("CHORALE_DISPATCH", warn);
    if ((text = get_path("CHORALE_SITE", warn)) != NULL)
        set->site = text;
    if ((text = get("CHORALE_MAX_SCRATCH")) != NULL &&
        read_size(text, &set->max_scratch) != 0)
        complain(warn, "CHORALE_MAX_SCRATCH: '%.40s' is not a number of bytes "
                 "like 64M; %zu is used", text, set->max_scratch);
    read_number("CHORALE_AFTER", 1, &set->after, warn);
    read_number("CHORALE_MAX_COMMS", 0, &set->max_comms, warn);
    read_from_first(set);
    if ((text = get("CHORALE_DISABLE")) != NULL)
        read_disable(set, text, warn);
    if ((text = get("CHORALE_FORCE")) != NULL)
        read_force(set, text, warn);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* export_anonymous.c - remove identifying data from exported rows. Of a
 * launch's environment only the keys listed here are kept: a new key stays
 * private until it is added. */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/exchange/export.h"

struct alias {
    sqlite3_int64 id;
    char *name;
    char alias[24];
};

/* Texts of one row that may be replaced. */
enum { MOST_TEXTS = 4 };

struct chorale_anonymous {
    struct alias *system;
    size_t nsystem;
    char *value[MOST_TEXTS]; /* replacements for the current row */
    size_t nvalue;
};

/* How much of a value is kept. */
enum keep { KEEP_NOT, KEEP_ALL, KEEP_WORDS, KEEP_NUMBER, KEEP_CPU };

/* Columns of free text written by Chorale, and the words that it uses there.
 * Other words are not Chorale's and are hidden. */
static const char *const told[] = { "reason", "level", "regime", "network",
                                    "sim_selector" };
static const char told_words[] =
    " a algorithm algorithms all allgather allgatherv allreduce alltoall"
    " alltoallv an and are as at barrier bcast be below between both by"
    " certain chance choice choices choose chosen communicate confirm"
    " confirmed correctly count default did each enough equal expected"
    " explain exploratory exscan failed fast faster fastest files flat for"
    " gain gather gatherv grid has hockney hop impi in is it its itself"
    " know launches library line loggp may measured measurement mirror"
    " more most mpich mvapich2 n net next no node not nothing of ompi one"
    " only or other others over oversubscribed own P p pairs point points"
    " predictions process programs ran rank ranks reduce ring rule same"
    " say says scan scatter scatterv shift simulation size sizes smoothed"
    " smpi such takes than that the threshold time to torus tree two"
    " usable variant was way were which whose why wrong ";

/* The same for the reason why a run was inapplicable or invalid: words of the
 * catalogue and the runner. A message of the library follows library_said. */
static const char library_said[] = "the library: ";
static const char ended_words[] =
    " a adapt after algorithm algorithms all allocated alone an and another"
    " are as at back barriers be before below block blocks buffer buffers"
    " by byte bytes caches call called calls came cannot cells choose"
    " chorale chosen cold columns commutative component could count"
    " counted counts data"
    " depend did divide do does doubling each element elements equally even"
    " exchange factors fewer first floor for force group groups halving"
    " han has have how in is it its larger last late launch left let libchorale"
    " library loaded made many max meet memory message messages more MPI"
    " name near need"
    " needs neighbor no node nodes not number of on one only operation"
    " or order own pairwise parts patented physical place placed pmpi"
    " power precede process processes ran rank ranks repetitions result"
    " results rows rules run s samples see sees segments sends sent serve"
    " served serves several shim sm smp so such"
    " system table take takes than that the their there this three"
    " throughput timing to too tuned two type unproved unseen up validate"
    " validated value was with without work works would wrong wrote xor ";

/* Makers, product families and units in processor names. */
static const char cpu_words[] =
    " AMD ARM Altra Ampere Apple Athlon Atom Bronze CPU Celeron Core Cortex"
    " Dual EPYC Fujitsu GHz Genuine Gold Grace Graviton IBM Intel Max M MHz"
    " Neoverse Opteron POWER PRO Pentium Phi Platinum Pro Processor Quad R"
    " Ryzen Silver TM Threadripper Ultra Virtual Xeon processor version with"
    " virtual x ";

static const struct {
    const char *key;
    int prefix; /* of keys */
    enum keep keep;
} keys[] = {
    { "mpi_standard", 0, KEEP_ALL },
    { "tool_version", 0, KEEP_ALL },
    { "kernel", 0, KEEP_WORDS },
    { "cpu_model", 0, KEEP_CPU },
    { "cpu_governor", 0, KEEP_ALL },
    { "cpu_quota", 0, KEEP_ALL },
    { "cpu_throttled", 0, KEEP_ALL },
    { "load_before", 0, KEEP_ALL },
    { "other_load", 0, KEEP_ALL },
    { "processors", 0, KEEP_ALL },
    { "nodes", 0, KEEP_ALL },
    { "sync", 0, KEEP_ALL },
    { "seed", 0, KEEP_ALL },
    { "clock_residual_s", 0, KEEP_ALL },
    { "clock_resolution_s", 0, KEEP_ALL },
    { "sync_slack_s", 0, KEEP_ALL },
    { "message_alpha_s", 0, KEEP_ALL },
    { "message_beta_s", 0, KEEP_ALL },
    { "rank_ports", 0, KEEP_ALL },
    { "distance_alpha_s:", 1, KEEP_ALL },
    { "distance_kappa:", 1, KEEP_ALL },
    { "distance_mirror", 0, KEEP_ALL },
    { "distance_pairs:", 1, KEEP_ALL },
    { "memory_copy_s:", 1, KEEP_ALL },
    { "memory_exchange_s:", 1, KEEP_ALL },
    { "memory_message_s:", 1, KEEP_ALL },
    { "memory_times", 0, KEEP_ALL },
    { "cpu_turbo", 0, KEEP_ALL },
    { "copy_bytes_per_s", 0, KEEP_ALL },
    { "next_node_s", 0, KEEP_ALL },
    { "next_node_bytes_per_s", 0, KEEP_ALL },
    { "stragglers", 0, KEEP_ALL },
    { "cpus_mixed", 0, KEEP_ALL },
    { "preflight_s", 0, KEEP_ALL },
    { "fabric", 0, KEEP_ALL },
    { "cpu_frequency_max_mhz", 0, KEEP_ALL },
    { "smt", 0, KEEP_ALL },
    { "huge_pages", 0, KEEP_WORDS },
    { "clock_source", 0, KEEP_ALL },
    { "cpu_frequency_mhz", 0, KEEP_ALL },
    { "virtual_machine", 0, KEEP_ALL },
    { "clock_disciplined", 0, KEEP_ALL },
    { "processors_usable", 0, KEEP_ALL },
    { "ranks", 0, KEEP_ALL },
    { "ranks_per_node", 0, KEEP_ALL },
    { "siblings", 0, KEEP_ALL },
    { "oversubscribed", 0, KEEP_ALL },
    { "binding_source", 0, KEEP_ALL },
    { "campaign_seed", 0, KEEP_ALL },
    { "self_tuning", 0, KEEP_ALL },
    { "tool_revision", 0, KEEP_ALL },
    { "mpi_defaults", 0, KEEP_ALL },
    { "binding", 0, KEEP_WORDS },
    { "binding:", 1, KEEP_WORDS },
    { "binding_request", 0, KEEP_WORDS },
    { "mpi:", 1, KEEP_NUMBER },
    { "transport", 0, KEEP_WORDS },
    { "mpi_library", 0, KEEP_WORDS },
    { "tool_options", 0, KEEP_WORDS },
    { "compiler", 0, KEEP_WORDS },
    { "compiler_flags", 0, KEEP_WORDS },
    { "env:SLURM_JOB_NUM_NODES", 0, KEEP_NUMBER },
    { "env:SLURM_TASKS_PER_NODE", 0, KEEP_NUMBER },
    { "env:SLURM_RESTART_COUNT", 0, KEEP_NUMBER },
    { "env:OMP_NUM_THREADS", 0, KEEP_NUMBER },
    { "env:MPIR_CVAR_", 1, KEEP_NUMBER },
    { "env:MPICH_", 1, KEEP_NUMBER },
    { "env:UCX_", 1, KEEP_NUMBER },
    { "env:FI_", 1, KEEP_NUMBER },
    { "env:OMPI_MCA_", 1, KEEP_NUMBER },
    { "env:PMIX_MCA_", 1, KEEP_NUMBER },
};

static int compare_ids(const void *a, const void *b)
{
    const struct alias *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

enum chorale_err chorale_anonymous_new(struct chorale_store *store,
                                       struct chorale_anonymous **anon_p,
                                       struct chorale_errmsg *msg)
{
    struct chorale_anonymous *anon = calloc(1, sizeof(*anon));
    struct chorale_system_row *list = NULL;
    size_t count = 0;
    enum chorale_err err = CHORALE_OK;
    sqlite3_int64 systems = 0;

    if (anon == NULL)
        return chorale_fail_memory(msg, NULL);
    err = chorale_store_int(store, "SELECT count(*) FROM system", 0, &systems,
                            msg);
    if (err == CHORALE_OK && systems > 0)
        err = chorale_systems_load(store, NULL, &list, &count, msg);
    if (err == CHORALE_OK && count > 0) {
        anon->system = calloc(count, sizeof(*anon->system));
        if (anon->system == NULL)
            err = chorale_fail_memory(msg, NULL);
    }
    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        anon->system[i].id = list[i].id;
        anon->system[i].name = list[i].name;
        list[i].name = NULL;
        anon->nsystem++;
    }
    if (anon->nsystem > 0)
        qsort(anon->system, anon->nsystem, sizeof(*anon->system), compare_ids);
    for (size_t i = 0; i < anon->nsystem; i++)
        snprintf(anon->system[i].alias, sizeof(anon->system[i].alias), "s%zu",
                 i + 1);
    chorale_systems_free(list, count);
    if (err != CHORALE_OK) {
        chorale_anonymous_free(anon);
        return err;
    }
    *anon_p = anon;
    return CHORALE_OK;
}

void chorale_anonymous_free(struct chorale_anonymous *anon)
{
    if (anon == NULL)
        return;
    for (size_t i = 0; i < anon->nsystem; i++)
        free(anon->system[i].name);
    free(anon->system);
    for (size_t i = 0; i < MOST_TEXTS; i++)
        free(anon->value[i]);
    free(anon);
}

static const char *alias_of(const struct chorale_anonymous *anon,
                            const char *name)
{
    for (size_t i = 0; name != NULL && i < anon->nsystem; i++)
        if (strcmp(anon->system[i].name, name) == 0)
            return anon->system[i].alias;
    return "s0"; /* the name is not in this database */
}

static enum keep find_keep(const char *key)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        size_t len = strlen(keys[i].key);

        if (!keys[i].prefix && strcmp(key, keys[i].key) == 0)
            return keys[i].keep;
        if (keys[i].prefix && strncmp(key, keys[i].key, len) == 0)
            return strspn(key + len, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "abcdefghijklmnopqrstuvwxyz"
                                     "0123456789_") == strlen(key + len)
                       ? keys[i].keep
                       : KEEP_NOT;
    }
    return KEEP_NOT;
}

/* Numbers, sizes, task counts, switches. Other values may be names; numbers
 * with several points may be addresses. */
static int is_number(const char *text)
{
    static const char *const word[] = { "yes", "no", "on", "off", "true",
                                        "false", "none", "auto", "inf" };

    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
        if (strcasecmp(text, word[i]) == 0)
            return 1;
    return isdigit((unsigned char)text[text[0] == '-']) &&
           strchr(text, '.') == strrchr(text, '.') &&
           strspn(text, "0123456789.,()x-kKmMgGbB") == strlen(text);
}

/* Replace each word that holds a path or an account by a star; cut the text
 * where the library's configuration begins. */
static void hide_words(char *text)
{
    char *from = text, *to = text, *end = strcasestr(text, "configure");

    if (end != NULL) {
        while (end > text && !isspace((unsigned char)end[-1]))
            end--;
        while (end > text && isspace((unsigned char)end[-1]))
            end--;
        *end = '\0';
    }
    while (*from != '\0') {
        size_t len = strcspn(from, " \t");
        char next = from[len];

        from[len] = '\0';
        if (strpbrk(from, "/@~") != NULL) {
            *to++ = '*';
        } else {
            memmove(to, from, len);
            to += len;
        }
        from += len;
        if (next != '\0') {
            *to++ = next;
            from++;
        }
    }
    *to = '\0';
}

/* "8192", "4x4", the "5e" of 1.5e-06. */
static int is_count(const char *part, size_t len)
{
    size_t digits = strspn(part, "0123456789"), more;

    if (digits == 0 || digits >= len)
        return digits > 0;
    more = strspn(part + digits + 1, "0123456789");
    return strchr("ex", part[digits]) != NULL && digits + 1 + more >= len;
}

/* A processor model number with at most two letters before it and three in all:
 * 6148, E5, 9950X3D; also 40GHz. */
static int is_model(const char *part, size_t len)
{
    size_t before = 0, letters = 0;

    while (before < len && !isdigit((unsigned char)part[before]))
        before++;
    for (size_t i = 0; i < len; i++)
        letters += (size_t)!isdigit((unsigned char)part[i]);
    return before <= 2 && before < len && letters <= 3;
}

/* Whether a part of a word, between punctuation, is in the list. */
static int is_known(const char *part, size_t len, const char *list)
{
    char word[32];

    if (len + 3 > sizeof(word))
        return 0;
    snprintf(word, sizeof(word), " %.*s ", (int)len, part);
    return strstr(list, word) != NULL || is_count(part, len) ||
           (list == cpu_words && is_model(part, len));
}

/* Whether all parts of a word are known. Numbers with several points may be
 * addresses and are not. */
static int all_parts_known(const char *word, const char *list)
{
    static const char between[] = "<>=;:,.()%@-+_'`?";
    int points = 0;

    for (const char *p = word; *p != '\0'; p++)
        points += *p == '.' && isdigit((unsigned char)p[1]);
    if (points > 1)
        return 0;
    while (*word != '\0') {
        size_t len = 0;

        while (isalnum((unsigned char)word[len]))
            len++;
        if (len > 0 && !is_known(word, len, list))
            return 0;
        word += len;
        if (*word != '\0' && strchr(between, *word) == NULL)
            return 0;
        word += *word != '\0';
    }
    return 1;
}

/* Replace each word that is not in the list by a star. */
static void hide_unknown(char *text, const char *list)
{
    char *from = text, *to = text;

    while (*from != '\0') {
        size_t len = strcspn(from, " ");
        char next = from[len];

        from[len] = '\0';
        if (all_parts_known(from, list)) {
            memmove(to, from, len);
            to += len;
        } else {
            *to++ = '*';
        }
        from += len;
        if (next != '\0') {
            *to++ = next;
            from++;
        }
    }
    *to = '\0';
}

/* A copy of value with words hidden, valid until the next row. */
static const char *hidden(struct chorale_anonymous *anon, const char *value,
                          const char *list)
{
    char *copy = anon->nvalue < MOST_TEXTS ? strdup(value) : NULL;

    if (copy == NULL)
        return "*";
    if (list != NULL)
        hide_unknown(copy, list);
    else
        hide_words(copy);
    anon->value[anon->nvalue++] = copy;
    return copy;
}

/* The reason of an inapplicable or invalid run, with words hidden. The reason
 * of a failed run is output of some program and is removed. */
static const char *hide_reason(struct chorale_anonymous *anon,
                               const char *status, const char *reason)
{
    const char *said = strstr(reason, library_said);
    char text[256];

    if (strcmp(status, "inapplicable") != 0 && strcmp(status, "invalid") != 0)
        return "";
    if (said == NULL)
        return hidden(anon, reason, ended_words);
    snprintf(text, sizeof(text), "%.*s*",
             (int)(said + strlen(library_said) - reason), reason);
    return hidden(anon, text, ended_words);
}

/* Returns 0 if the row must be omitted. */
static int hide_environment(struct chorale_anonymous *anon, const char *key,
                            const char *value, const char **text)
{
    enum keep keep = key != NULL ? find_keep(key) : KEEP_NOT;

    if (keep == KEEP_NOT || value == NULL)
        return 0;
    if (keep == KEEP_NUMBER && !is_number(value))
        *text = "*";
    if (keep == KEEP_WORDS)
        *text = hidden(anon, value, NULL);
    if (keep == KEEP_CPU)
        *text = hidden(anon, value, cpu_words);
    return 1;
}

/* The column of that name, or -1. */
static int find_column(sqlite3_stmt *stmt, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *have = sqlite3_column_name(stmt, i);

        if (have != NULL && strcmp(have, name) == 0)
            return i;
    }
    return -1;
}

static const char *value_of(sqlite3_stmt *stmt, int column)
{
    return column >= 0 ? (const char *)sqlite3_column_text(stmt, column)
                       : NULL;
}

int chorale_anonymous_row(struct chorale_anonymous *anon, sqlite3_stmt *stmt,
                          const char **text)
{
    int system = find_column(stmt, "system"), key = find_column(stmt, "key");
    int value = find_column(stmt, "value");
    int reason = find_column(stmt, "reason");
    int status = find_column(stmt, "status");
    const char *ended = value_of(stmt, status);

    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        text[i] = NULL;
    for (size_t i = 0; i < anon->nvalue; i++) {
        free(anon->value[i]);
        anon->value[i] = NULL;
    }
    anon->nvalue = 0;
    if (system >= 0)
        text[system] = alias_of(anon, value_of(stmt, system));
    if (reason >= 0 && ended != NULL && value_of(stmt, reason) != NULL)
        text[reason] = hide_reason(anon, ended, value_of(stmt, reason));
    for (size_t i = status >= 0; i < sizeof(told) / sizeof(told[0]); i++) {
        int column = find_column(stmt, told[i]);

        if (column >= 0 && value_of(stmt, column) != NULL)
            text[column] = hidden(anon, value_of(stmt, column), told_words);
    }
    if (key >= 0 && value >= 0)
        return hide_environment(anon, value_of(stmt, key),
                                value_of(stmt, value), &text[value]);
    return 1;
}

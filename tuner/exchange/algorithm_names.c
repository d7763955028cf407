/* SPDX-License-Identifier: BSD-3-Clause */
/* algorithm_names.c - names of algorithms inside MPI libraries.
 *
 * Source  MPICH 4.0 to 4.3, descriptions of MPIR_CVAR_*_INTRA_ALGORITHM;
 *         Open MPI 4.1 to 6, enumerations of ompi/mca/coll/tuned;
 *         Intel MPI Library Developer Reference, I_MPI_ADJUST Family. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/ompi_names.h"
#include "tuner/exchange/algorithm_names.h"

enum { MAX_WORDS = 16 };

/* Names of a library, separated by spaces. Of Intel MPI in the order of their
 * numbers, from 1. */
static const char *const mpich[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = "nb smp dissemination k_dissemination recexch"
                        " release_gather",
    [CHORALE_BCAST] = "binomial nb smp scatter_recursive_doubling_allgather"
                      " scatter_ring_allgather pipelined_tree tree"
                      " release_gather",
    [CHORALE_REDUCE] = "binomial nb smp reduce_scatter_gather release_gather",
    [CHORALE_ALLREDUCE] = "nb smp recursive_doubling recursive_multiplying"
                          " reduce_scatter_allgather"
                          " k_reduce_scatter_allgather tree recexch ring"
                          " release_gather",
    [CHORALE_REDUCE_SCATTER_BLOCK] = "noncommutative recursive_doubling"
                                     " pairwise recursive_halving nb",
    [CHORALE_REDUCE_SCATTER] = "nb noncommutative pairwise recursive_doubling"
                               " recursive_halving",
    [CHORALE_GATHER] = "binomial nb",
    [CHORALE_GATHERV] = "linear nb",
    [CHORALE_SCATTER] = "binomial nb",
    [CHORALE_SCATTERV] = "linear nb",
    [CHORALE_ALLGATHER] = "brucks k_brucks nb recursive_doubling ring"
                          " recexch_doubling recexch_halving",
    [CHORALE_ALLGATHERV] = "brucks nb recursive_doubling ring",
    [CHORALE_ALLTOALL] = "brucks k_brucks nb pairwise"
                         " pairwise_sendrecv_replace scattered",
    [CHORALE_ALLTOALLV] = "nb pairwise_sendrecv_replace scattered",
    [CHORALE_SCAN] = "nb smp recursive_doubling",
    [CHORALE_EXSCAN] = "nb recursive_doubling",
};

static const char *const intel[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = "dissemination recursive_doubling"
                        " topology_aware_dissemination"
                        " topology_aware_recursive_doubling"
                        " binomial_gather_scatter"
                        " topology_aware_binomial_gather_scatter shm_flat"
                        " shm_knomial shm_knary",
    [CHORALE_BCAST] = "binomial recursive_doubling ring"
                      " topology_aware_binomial"
                      " topology_aware_recursive_doubling topology_aware_ring"
                      " shumilin knomial shm_flat shm_knomial shm_knary",
    [CHORALE_REDUCE] = "shumilin binomial topology_aware_shumilin"
                       " topology_aware_binomial rabenseifner"
                       " topology_aware_rabenseifner knomial shm_flat"
                       " shm_knomial shm_knary shm_binomial",
    [CHORALE_ALLREDUCE] = "recursive_doubling rabenseifner reduce_bcast"
                          " topology_aware_reduce_bcast"
                          " binomial_gather_scatter"
                          " topology_aware_binomial_gather_scatter"
                          " shumilin_ring ring knomial shm_flat shm_knomial"
                          " shm_knary",
    [CHORALE_REDUCE_SCATTER] = "recursive_halving pairwise recursive_doubling"
                               " reduce_scatterv"
                               " topology_aware_reduce_scatterv",
    [CHORALE_GATHER] = "binomial topology_aware_binomial shumilin"
                       " segmented_binomial",
    [CHORALE_GATHERV] = "linear topology_aware_linear knomial",
    [CHORALE_SCATTER] = "binomial topology_aware_binomial shumilin",
    [CHORALE_SCATTERV] = "linear topology_aware_linear",
    [CHORALE_ALLGATHER] = "recursive_doubling bruck ring"
                          " topology_aware_gatherv_bcast knomial",
    [CHORALE_ALLGATHERV] = "recursive_doubling bruck ring"
                           " topology_aware_gatherv_bcast",
    [CHORALE_ALLTOALL] = "bruck isend_irecv_waitall pairwise plum",
    [CHORALE_ALLTOALLV] = "isend_irecv_waitall plum",
    [CHORALE_SCAN] = "partial_results topology_aware_partial_results",
    [CHORALE_EXSCAN] = "partial_results topology_aware_partial_results",
};

/* Open MPI's names that its rules files do not use here. */
static const char *const ompi_more[CHORALE_NCOLL] = {
    [CHORALE_REDUCE] = "knomial",
    [CHORALE_ALLREDUCE] = "allgather_reduce",
    [CHORALE_ALLGATHER] = "sparbit direct",
};

/* Other spellings, of a collective or CHORALE_NCOLL for all. */
static const struct {
    enum chorale_family family;
    enum chorale_coll coll;
    const char *text, *name;
} spelling[] = {
    { CHORALE_FAMILY_OMPI, CHORALE_BCAST, "linear", "basic_linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_BCAST, "binary", "binary_tree" },
    { CHORALE_FAMILY_OMPI, CHORALE_BCAST, "split_binary",
      "split_binary_tree" },
    { CHORALE_FAMILY_OMPI, CHORALE_BCAST, "scatter_ring_allgather",
      "scatter_allgather_ring" },
    { CHORALE_FAMILY_OMPI, CHORALE_REDUCE, "basic_linear", "linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_REDUCE, "binary_tree", "binary" },
    { CHORALE_FAMILY_OMPI, CHORALE_REDUCE, "in_order", "in-order_binary" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLREDUCE, "linear", "basic_linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLREDUCE, "ring_segmented",
      "segmented_ring" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLREDUCE, "reduce_scatter_allgather",
      "rabenseifner" },
    { CHORALE_FAMILY_OMPI, CHORALE_GATHER, "linear", "basic_linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_GATHER, "linear_synch", "linear_sync" },
    { CHORALE_FAMILY_OMPI, CHORALE_SCATTER, "linear", "basic_linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLGATHER, "neighbor_exchange",
      "neighbor" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLGATHERV, "neighbor_exchange",
      "neighbor" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLGATHERV, "default_linear", "default" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLGATHERV, "linear", "default" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLTOALL, "basic_linear", "linear" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLTOALL, "linear_synch", "linear_sync" },
    { CHORALE_FAMILY_OMPI, CHORALE_ALLTOALLV, "linear", "basic_linear" },
    { CHORALE_FAMILY_MPICH, CHORALE_NCOLL, "non_blocking", "nb" },
    { CHORALE_FAMILY_MPICH, CHORALE_NCOLL, "bruck", "brucks" },
    { CHORALE_FAMILY_MPICH, CHORALE_NCOLL, "k_bruck", "k_brucks" },
    { CHORALE_FAMILY_MPICH, CHORALE_BCAST, "scatter_allgather",
      "scatter_recursive_doubling_allgather" },
    { CHORALE_FAMILY_MPICH, CHORALE_BCAST, "scatter_allgather_ring",
      "scatter_ring_allgather" },
    { CHORALE_FAMILY_MPICH, CHORALE_REDUCE, "rabenseifner",
      "reduce_scatter_gather" },
    { CHORALE_FAMILY_MPICH, CHORALE_ALLREDUCE, "rabenseifner",
      "reduce_scatter_allgather" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "brucks", "bruck" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "pair_wise_exchange", "pairwise" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "rabenseifners", "rabenseifner" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "shumilins", "shumilin" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "shumilins_ring", "shumilin_ring" },
    { CHORALE_FAMILY_INTEL, CHORALE_NCOLL, "plums", "plum" },
};

/* Copy the letters and digits of text[0, n), in lower case. */
static void letters(const char *text, size_t n,
                    char out[CHORALE_ALGORITHM_NAME])
{
    size_t len = 0;

    for (size_t i = 0; i < n && len + 1 < CHORALE_ALGORITHM_NAME; i++)
        if (isalnum((unsigned char)text[i]))
            out[len++] = (char)tolower((unsigned char)text[i]);
    out[len] = '\0';
}

static int same(const char *a, const char *b)
{
    char x[CHORALE_ALGORITHM_NAME], y[CHORALE_ALGORITHM_NAME];

    letters(a, strlen(a), x);
    letters(b, strlen(b), y);
    return strcmp(x, y) == 0;
}

/* Find a word of a list by its letters, or with number > 0 by its place. */
static const char *find_word(const char *list, const char *text, long number)
{
    static char word[CHORALE_ALGORITHM_NAME];

    for (long i = 1; list != NULL && *list != '\0'; i++) {
        const size_t n = strcspn(list, " ");

        snprintf(word, sizeof(word), "%.*s", (int)n, list);
        if (number > 0 ? i == number : same(word, text))
            return word;
        list += n + (list[n] == ' ');
    }
    return NULL;
}

static const char *find_ompi(enum chorale_coll coll, const char *text,
                             long number)
{
    const struct chorale_ompi_algorithm *a;

    if (number > 0) {
        a = chorale_ompi_number(coll, (int)number);
        return a != NULL ? a->name : NULL;
    }
    for (size_t i = 0; (a = chorale_ompi_algorithm(i)) != NULL; i++)
        if (a->coll == coll && same(a->name, text))
            return a->name;
    return find_word(ompi_more[coll], text, 0);
}

static const char *find_exact(enum chorale_family family,
                              enum chorale_coll coll, const char *text,
                              long number)
{
    switch (family) {
    case CHORALE_FAMILY_OMPI:
        return find_ompi(coll, text, number);
    case CHORALE_FAMILY_MPICH:
        return number > 0 ? NULL : find_word(mpich[coll], text, 0);
    case CHORALE_FAMILY_INTEL:
        return find_word(intel[coll], text, number);
    default:
        return NULL;
    }
}

/* Skip the start of an MPICH function, "MPIR_Bcast_intra_". */
static const char *skip_function(enum chorale_coll coll, const char *text)
{
    char start[80];
    const int n = snprintf(start, sizeof(start), "mpir_%s_intra_",
                           chorale_coll_info(coll)->name);

    return strncasecmp(text, start, (size_t)n) == 0 ? text + n : text;
}

/* The number that text consists of; 0: it is no number. */
static long number_of(const char *text)
{
    return *text != '\0' && strlen(text) <= 4 &&
                   strspn(text, "0123456789") == strlen(text)
               ? strtol(text, NULL, 10)
               : 0;
}

const char *chorale_native_name_of(enum chorale_family family,
                                   enum chorale_coll coll, const char *text)
{
    const long number = number_of(text);
    const char *name;

    if (family == CHORALE_FAMILY_UNKNOWN) {
        if (number > 0)
            return NULL;
        for (int f = CHORALE_FAMILY_OMPI; f <= CHORALE_FAMILY_INTEL; f++) {
            name = chorale_native_name_of((enum chorale_family)f, coll, text);
            if (name != NULL)
                return name;
        }
        return NULL;
    }
    text = skip_function(coll, text);
    name = find_exact(family, coll, text, number);
    for (size_t i = 0; name == NULL &&
                       i < sizeof(spelling) / sizeof(spelling[0]); i++)
        if (spelling[i].family == family &&
            (spelling[i].coll == coll || spelling[i].coll == CHORALE_NCOLL) &&
            same(spelling[i].text, text))
            name = find_exact(family, coll, spelling[i].name, 0);
    return name;
}

enum chorale_family chorale_family_of(const char *library)
{
    static const struct {
        const char *word;
        enum chorale_family family;
    } known[] = {
        { "openmpi", CHORALE_FAMILY_OMPI }, { "ompi", CHORALE_FAMILY_OMPI },
        { "intel", CHORALE_FAMILY_INTEL }, { "mpich", CHORALE_FAMILY_MPICH },
        { "mvapich", CHORALE_FAMILY_MPICH }, { "cray", CHORALE_FAMILY_MPICH },
    };
    char text[CHORALE_ALGORITHM_NAME];

    letters(library, strlen(library), text);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(text, known[i].word) != NULL)
            return known[i].family;
    return CHORALE_FAMILY_UNKNOWN;
}

/* --- names and parameters of a file ----------------------------------- */

struct word {
    const char *text, *value; /* value: after "=", or the end of text */
    size_t len;
};

static int is_word(const struct word *w, const char *name)
{
    return (size_t)(w->value - w->text) == strlen(name) + 1 &&
           strncasecmp(w->text, name, strlen(name)) == 0;
}

/* Whether a name is that of a variable that selects algorithms. */
static enum chorale_family variable_family(const char *text, size_t n)
{
    static const struct {
        const char *start;
        enum chorale_family family;
    } known[] = {
        { "coll_tuned_", CHORALE_FAMILY_OMPI },
        { "OMPI_MCA_coll_tuned_", CHORALE_FAMILY_OMPI },
        { "MPIR_CVAR_", CHORALE_FAMILY_MPICH },
        { "I_MPI_ADJUST_", CHORALE_FAMILY_INTEL },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (n > strlen(known[i].start) &&
            strncasecmp(text, known[i].start, strlen(known[i].start)) == 0)
            return known[i].family;
    return CHORALE_FAMILY_UNKNOWN;
}

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    const size_t n = x->len < y->len ? x->len : y->len;
    const int d = strncmp(x->text, y->text, n);

    return d != 0 ? d : (x->len > y->len) - (x->len < y->len);
}

/* Split params into words; -1: too many. */
static int split(const char *params, struct word word[MAX_WORDS])
{
    int n = 0;

    for (params += strspn(params, ";, "); *params != '\0';
         params += strspn(params, ";, ")) {
        const size_t len = strcspn(params, ";, ");
        const char *equal = memchr(params, '=', len);

        if (n == MAX_WORDS)
            return -1;
        word[n++] = (struct word){ params, equal != NULL ? equal + 1
                                                         : params + len, len };
        params += len;
    }
    return n;
}

/* The family in the last part of a name, "_ompi", which is then cut off.
 * *over: 1 if the last part states that the algorithm calls MPI. */
static enum chorale_family cut_family(char *name, int *over)
{
    static const struct {
        const char *end;
        enum chorale_family family;
    } known[] = {
        { "_ompi", CHORALE_FAMILY_OMPI }, { "_openmpi", CHORALE_FAMILY_OMPI },
        { "_mpich", CHORALE_FAMILY_MPICH }, { "_intel", CHORALE_FAMILY_INTEL },
        { "_impi", CHORALE_FAMILY_INTEL },
    };
    const size_t n = strlen(name);

    *over = n > 5 && strcasecmp(name + n - 5, "_over") == 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t len = strlen(known[i].end);

        if (n > len && strcasecmp(name + n - len, known[i].end) == 0) {
            name[n - len] = '\0';
            return known[i].family;
        }
    }
    return CHORALE_FAMILY_UNKNOWN;
}

/* The parameter of rules that a variable of Open MPI sets, or NULL. 0 is the
 * library's default of each. */
static const char *rule_parameter(const struct word *w)
{
    static const char *const known[][2] = {
        { "_algorithm_segmentsize=", "segsize" },
        { "_algorithm_chain_fanout=", "fanout" },
        { "_algorithm_tree_fanout=", "fanout" },
        { "_algorithm_max_requests=", "maxreq" },
    };
    const size_t n = (size_t)(w->value - w->text);

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t len = strlen(known[i][0]);

        if (n > len && strncasecmp(w->value - len, known[i][0], len) == 0 &&
            strtol(w->value, NULL, 10) > 0)
            return known[i][1];
    }
    return NULL;
}

static int is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            return 0;
    return 1;
}

/* Join the sorted words of the algorithm's own parameters. */
static int join(struct word *word, int n, int foreign,
                char params[CHORALE_ALGORITHM_PARAMS])
{
    size_t len = 0;

    params[0] = '\0';
    qsort(word, (size_t)n, sizeof(*word), compare_words);
    for (int i = 0; i < n; i++) {
        const struct word *w = &word[i];
        const char *of_rules = rule_parameter(w);

        if (of_rules != NULL) {
            len += (size_t)snprintf(
                params + len, CHORALE_ALGORITHM_PARAMS - len, "%s%s=%ld",
                len > 0 ? "," : "", of_rules, strtol(w->value, NULL, 10));
            if (len >= CHORALE_ALGORITHM_PARAMS)
                return -1;
            continue;
        }
        if (is_word(w, "count") || is_word(w, "total") ||
            (is_word(w, "impl") && !foreign) ||
            variable_family(w->text, w->len) != CHORALE_FAMILY_UNKNOWN)
            continue;
        len += (size_t)snprintf(params + len, CHORALE_ALGORITHM_PARAMS - len,
                                "%s%.*s", len > 0 ? "," : "", (int)w->len,
                                w->text);
        if (len >= CHORALE_ALGORITHM_PARAMS)
            return -1;
    }
    return 0;
}

const char *chorale_algorithm_of(enum chorale_family family,
                                 enum chorale_coll coll, const char *name,
                                 const char *params,
                                 struct chorale_algorithm_name *out)
{
    struct word word[MAX_WORDS];
    enum chorale_family stated;
    const char *native = NULL;
    int n = split(params, word), over, own = 0, not_own;

    out->guessed = 0;
    if (n < 0)
        return "more than 16 parameters";
    if (!is_plain(name) || !is_plain(params))
        return "a name with other characters than ASCII";
    if (*name == '\0' || strlen(name) >= sizeof(out->variant))
        return "a name of 0 or of more than 63 characters";
    snprintf(out->variant, sizeof(out->variant), "%s", name);
    stated = cut_family(out->variant, &over);
    not_own = over;
    own = stated != CHORALE_FAMILY_UNKNOWN;
    for (int i = 0; i < n; i++) {
        const enum chorale_family f = variable_family(word[i].text,
                                                      word[i].len);

        if (f != CHORALE_FAMILY_UNKNOWN) {
            stated = f;
            own = 1;
        } else if (is_word(&word[i], "impl")) {
            own |= word[i].text + word[i].len - word[i].value == 3 &&
                   strncasecmp(word[i].value, "mpi", 3) == 0;
            not_own |= !own;
        }
    }
    if (family == CHORALE_FAMILY_UNKNOWN)
        family = stated;
    if (!not_own)
        native = chorale_native_name_of(family, coll, out->variant);
    out->provider = !not_own && (own || native != NULL) ? "native" : "foreign";
    out->guessed = native != NULL && !own && family == CHORALE_FAMILY_UNKNOWN;
    if (native != NULL)
        snprintf(out->variant, sizeof(out->variant), "%s", native);
    return join(word, n, strcmp(out->provider, "foreign") == 0,
                out->params) == 0
               ? NULL
               : "parameters of more than 127 characters";
}

/* --- signs of a forced algorithm -------------------------------------- */

int chorale_line_forces(enum chorale_coll coll, const char *line)
{
    static const char *const form[][2] = {
        { "coll_tuned_", "_algorithm" },
        { "MPIR_CVAR_", "_INTRA_ALGORITHM" },
        { "I_MPI_ADJUST_", "" },
    };

    for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
        char variable[80], value[32];
        const char *at = line;
        const size_t n = (size_t)snprintf(
            variable, sizeof(variable), "%s%s%s", form[i][0],
            chorale_coll_info(coll)->name, form[i][1]);

        while ((at = strcasestr(at, variable)) != NULL) {
            at += n;
            if (strchr(" =:\"'\t", *at) == NULL || *at == '\0')
                continue;
            at += strspn(at, " =:\"'\t");
            snprintf(value, sizeof(value), "%.*s",
                     (int)strcspn(at, " :;,\"'\t\r\n"), at);
            if (value[0] != '\0' && strcmp(value, "0") != 0 &&
                strcasecmp(value, "ignore") != 0 &&
                strcasecmp(value, "auto") != 0)
                return 1;
        }
    }
    return 0;
}

const char *chorale_file_forces(enum chorale_coll coll, const char *base)
{
    char text[256];
    size_t end;

    snprintf(text, sizeof(text), "%s", base);
    /* Runs of words, the longest first; short words have other meanings. */
    for (size_t from = 0; text[from] != '\0';
         from += strcspn(text + from, "_-. "),
         from += strspn(text + from, "_-. "))
        for (end = strlen(text); end >= from + 4; end--) {
            char part[CHORALE_ALGORITHM_NAME];
            const char *name;

            if (strchr("_-. ", text[end]) == NULL && text[end] != '\0')
                continue;
            if (end - from >= sizeof(part))
                continue;
            snprintf(part, sizeof(part), "%.*s", (int)(end - from),
                     text + from);
            if (number_of(part) > 0 || same(part, "default"))
                continue;
            name = chorale_native_name_of(CHORALE_FAMILY_UNKNOWN, coll, part);
            if (name != NULL)
                return name;
        }
    return NULL;
}

long chorale_file_number(const char *base)
{
    static const char *const word[] = { "alg", "algo", "algorithm" };

    for (const char *at = base; *at != '\0';
         at += strcspn(at, "_-. "), at += strspn(at, "_-. "))
        for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
            const size_t n = strlen(word[i]);
            const char *value = at + n;
            size_t len;

            if (strncasecmp(at, word[i], n) != 0)
                continue;
            value += strspn(value, "_-=");
            len = strspn(value, "0123456789");
            if (len > 0 && len < 6 && strchr("_-. ", value[len]) != NULL)
                return strtol(value, NULL, 10);
        }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.c - names of arrival patterns, and the pattern of a trace. */
#include "tuner/base/arrival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"

#define FACTOR_MAX 100
#define SECONDS_MAX 10
#define SECONDS_MIN 1e-6 /* shorter delays are not accurate */

static const char *const policies[CHORALE_NARRIVALS] = { "sync", "traced",
                                                         "robust" };

int chorale_arrival_policy_find(const char *name)
{
    for (int i = 0; name != NULL && i < CHORALE_NARRIVALS; i++)
        if (strcmp(policies[i], name) == 0)
            return i;
    return name == NULL ? CHORALE_ARRIVALS_SYNC : -1;
}

const char *chorale_arrival_policy_name(enum chorale_arrival_policy policy)
{
    return policies[policy];
}

int chorale_arrival_spell(const char *word, char text[CHORALE_ARRIVAL_SIZE])
{
    static const struct {
        const char *unit;
        double us;
    } unit[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
    const size_t len = strcspn(word, ":");
    char name[16], *rest = NULL;
    double value = 1;

    if (strcmp(word, "sync") == 0) {
        strcpy(text, word);
        return 1;
    }
    if (len == 0 || len >= sizeof(name))
        return 0;
    memcpy(name, word, len);
    name[len] = '\0';
    if (!chorale_spec_listed("first,last,random,ascending", name))
        return 0;
    if (word[len] == ':') {
        value = strtod(word + len + 1, &rest);
        if (rest == word + len + 1 || !(value > 0))
            return 0;
    }
    if (rest == NULL || *rest == '\0') {
        snprintf(text, CHORALE_ARRIVAL_SIZE, "%s:%.6g", name, value);
        return value <= FACTOR_MAX;
    }
    for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
        if (strcmp(rest, unit[i].unit) == 0) {
            value *= unit[i].us;
            snprintf(text, CHORALE_ARRIVAL_SIZE, "%s:%.6gus", name, value);
            return value <= SECONDS_MAX * 1e6;
        }
    return 0;
}

void chorale_arrival_expand(const char *words, const char *traced, char *list,
                            size_t size)
{
    char word[64], pair[64];
    size_t len = 0;

    list[0] = '\0';
    if (*traced == '\0' || strcmp(traced, "sync") == 0)
        strcpy(pair, "sync");
    else
        snprintf(pair, sizeof(pair), "sync,%.40s", traced);
    for (size_t i = 0; chorale_spec_word(words, i, word, sizeof(word)) == 1;
         i++) {
        const char *part = strcmp(word, "robust") == 0
                               ? CHORALE_ARRIVAL_ROBUST
                           : strcmp(word, "traced") == 0 ? pair
                                                         : word;

        if (len + strlen(part) + 2 > size)
            return;
        len += (size_t)snprintf(list + len, size - len, "%s%s",
                                len > 0 ? "," : "", part);
    }
}

void chorale_arrival_of_trace(int comm_size, double skew, double late,
                              double trend, int latest, double call,
                              char text[CHORALE_ARRIVAL_SIZE])
{
    const char *name = trend >= CHORALE_ARRIVAL_TREND ? "ascending" : "random";
    char word[64], digits[32];

    if (!(skew >= CHORALE_ARRIVAL_LEAST * call) || skew < SECONDS_MIN) {
        strcpy(text, "sync");
        return;
    }
    if (late * comm_size <= 1.5)
        name = latest == 0 ? "first" : "last";
    snprintf(digits, sizeof(digits), "%.1e", fmin(skew, SECONDS_MAX) * 1e6);
    snprintf(word, sizeof(word), "%s:%sus", name, digits);
    chorale_arrival_spell(word, text);
}

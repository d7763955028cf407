/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - sizes, counts and durations are parsed and printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/mpi_name.h"
#include "db/systems.h"
#include "tests/tap.h"
#include "tuner/base/units.h"

static void sizes(void)
{
    static const struct {
        const char *text;
        long value; /* -1: refused */
    } row[] = {
        { "8", 8 },          { "64K", 65536 },  { "64k", 65536 },
        { "1M", 1048576 },   { "2G", 2147483648 }, { "1KiB", 1024 },
        { "4KB", 4096 },     { "0", 0 },        { "12Q", -1 },
        { "", -1 },          { "-1", -1 },      { "K", -1 },
        { "1.5K", -1 },      { "8 ", -1 },      { "99999999999999999999", -1 },
        { "8T", 8796093022208 },  { "99999999T", -1 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct chorale_errmsg msg = { "" };
        long got = -1;
        enum chorale_err err = chorale_spec_size("-m", row[i].text, &got,
                                                 &msg);

        tap_ok(row[i].value < 0
                   ? err == CHORALE_USAGE && got == -1 && msg.text[0] != '\0'
                   : err == CHORALE_OK && got == row[i].value,
               "size '%s'", row[i].text);
    }
}

static void lists(void)
{
    static const struct {
        const char *text;
        long min;
        const char *values; /* NULL: refused */
    } row[] = {
        { "8:64", 0, "8 16 32 64" },
        { "8:60", 0, "8 16 32" },
        { "2:10:+3", 1, "2 5 8" },
        { "8:64:x4", 0, "8 32" },
        { "10:40:x1.5", 0, "10 15 23 34" },
        { "0:4", 0, "0 1 2 4" },
        { "4,2,4,3", 1, "2 3 4" },
        { "1K", 0, "1024" },
        { "2:4,16:16", 1, "2 4 16" },
        { "1:2,2", 1, "1 2" },
        { "0", 1, NULL },
        { "8:4", 0, NULL },
        { "8:64:x1", 0, NULL },
        { "8:64:x", 0, NULL },
        { "8:64:+0", 0, NULL },
        { "8:64:9", 0, NULL },
        { "8,,9", 0, NULL },
        { "8,", 0, NULL },
        { ",8", 0, NULL },
        { "", 0, NULL },
        { "a", 0, NULL },
        { "1:9223372036854775807:+1", 0, NULL }, /* more than memory holds */
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct chorale_errmsg msg = { "" };
        long *value = NULL;
        size_t count = 0, len = 0;
        char text[256] = "";
        enum chorale_err err = chorale_spec_list("-m", row[i].text,
                                                 row[i].min, &value, &count,
                                                 &msg);

        for (size_t k = 0; err == CHORALE_OK && k < count; k++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%ld",
                                    k > 0 ? " " : "", value[k]);
        tap_ok(row[i].values == NULL
                   ? err == CHORALE_USAGE && value == NULL &&
                         msg.text[0] != '\0'
                   : err == CHORALE_OK && strcmp(text, row[i].values) == 0,
               "list '%s'", row[i].text);
        free(value);
    }
}

/* Ranges whose steps miss their end: the range, last value and next one. */
static void ends(void)
{
    static const struct {
        const char *text, *want;
    } row[] = {
        { "8:1K:x8", "8:1K:x8 512 1K" },
        { "8:1K:x8,1K", "" },
        { "8:1K:x8,1024", "" },
        { "8:1K", "" },
        { "8", "" },
        { "1,8:64K:x2,2:16:+3,3:9", "3:9 6 9" }, /* 16 is in an earlier range */
        { "1,2:16:+3,3:9", "2:16:+3 14 16" },
        { "0:100", "0:100 64 100" },
        { "2:8:+3", "" },
        { "5:5:x3", "" },
        { "2:6", "2:6 4 6" },
        { "2:6,2:7", "2:6 4 6" },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct chorale_spec_range range;
        struct chorale_errmsg msg = { "" };
        long *value = NULL;
        size_t count = 0;
        char got[64] = "";
        const char *at = NULL;

        if (chorale_spec_list("-m", row[i].text, 0, &value, &count, &msg) ==
            CHORALE_OK)
            at = chorale_spec_short(row[i].text, value, count, &range);
        if (at != NULL)
            snprintf(got, sizeof(got), "%.*s %ld %.*s", range.len, at,
                     range.last, range.end_len, range.end);
        tap_ok(count > 0 && strcmp(got, row[i].want) == 0,
               "'%s' misses its end: '%s'", row[i].text, got);
        free(value);
    }
}

static void durations(void)
{
    static const struct {
        const char *text;
        double value; /* < 0: refused */
    } row[] = { { "90", 90 },  { "90s", 90 },  { "10m", 600 }, { "2h", 7200 },
                { "5ms", 5 * 1e-3 }, { "20us", 20 * 1e-6 },
                { "30ns", 30 * 1e-9 }, { "ns", -1 }, { "1n", -1 },
                { "0.5", 0.5 }, { "1d", -1 },  { "", -1 },     { "-3", -1 },
                { "nan", -1 }, { "inf", -1 } };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double got = -1;
        enum chorale_err err = chorale_spec_seconds("--x", row[i].text, &got,
                                                    NULL);

        tap_ok(row[i].value < 0 ? err == CHORALE_USAGE && got == -1
                                : err == CHORALE_OK && got == row[i].value,
               "duration '%s'", row[i].text);
    }
}

static void words_and_people(void)
{
    char word[8], text[32];

    tap_ok(chorale_spec_word("a,bc,d", 1, word, sizeof(word)) == 1 &&
               strcmp(word, "bc") == 0, "the second word is found");
    tap_ok(chorale_spec_word("a,bc", 2, word, sizeof(word)) == 0,
           "a missing third word gives 0");
    tap_ok(chorale_spec_word("toolongaword", 0, word, sizeof(word)) == -1,
           "a word that does not fit gives -1");
    tap_ok(strcmp(chorale_human_bytes(65536, text), "64 KiB") == 0, "64 KiB");
    tap_ok(strcmp(chorale_exact_bytes(65536, text), "64 KiB") == 0 &&
           strcmp(chorale_exact_bytes(3744, text), "3744 B") == 0 &&
           strcmp(chorale_exact_bytes(1572864, text), "1536 KiB") == 0 &&
           strcmp(chorale_exact_bytes(0, text), "0 B") == 0,
           "sizes are printed exactly: 64 KiB, 3744 B, 1536 KiB, 0 B");
    tap_ok(strcmp(chorale_human_bytes(8, text), "8 B") == 0, "8 B");
    tap_ok(strcmp(chorale_human_seconds(1.23e-5, text), "12.3 us") == 0,
           "12.3 us");
    tap_ok(strcmp(chorale_human_seconds(0, text), "0 s") == 0, "0 s");
}

static void libraries(void)
{
    static const struct {
        const char *text, *name;
    } row[] = {
        { "MPICH Version:      4.2.1", "MPICH 4.2.1" },
        { "MPICH Version:\t4.0.2\nMPICH Release date:\t2022", "MPICH 4.0.2" },
        { "MPICH Version: 4.0.2 MPICH Release date: 2022", "MPICH 4.0.2" },
        { "MPICH 4.2.1", "MPICH 4.2.1" },
        { "Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7",
          "Open MPI 5.0.7" },
        { "Open MPI v4.1.4", "Open MPI 4.1.4" },
        { "MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release", "MVAPICH 2.3.7" },
        { "MVAPICH Version:      3.0", "MVAPICH 3.0" },
        { "CRAY MPICH : 8.1.25.17 (ANL base 3.4a2)\n",
          "Cray MPICH 8.1.25.17" },
        { "Intel(R) MPI Library 2021.9 for Linux* OS\n",
          "Intel(R) MPI Library 2021.9 for Linux* OS" },
        { "SimGrid SMPI 3.32, mpich selector",
          "SimGrid SMPI 3.32, mpich selector" },
        { "", "" },
    };
    char name[CHORALE_MPI_NAME];

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        chorale_mpi_name(row[i].text, name);
        tap_ok(strcmp(name, row[i].name) == 0, "library %.*s is %s: %s",
               (int)strcspn(row[i].text, "\t\n"), row[i].text, row[i].name,
               name);
    }
}

int main(void)
{
    libraries();
    sizes();
    lists();
    ends();
    durations();
    words_and_people();
    return tap_done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* spec.c - fuzzing target: sizes, lists and durations of options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tuner/base/units.h"

static void ranges(const char *text, const long *value, size_t count)
{
    const char *end = text + strlen(text);
    struct chorale_spec_range range;
    const char *item = chorale_spec_short(text, value, count, &range);
    size_t i = 0;

    if (item == NULL)
        return;
    if (item < text || range.len <= 0 || range.len > end - item ||
        range.end < item || range.end_len <= 0 ||
        range.end_len > end - range.end)
        chorale_fuzz_broken("a range outside of its text");
    while (i < count && value[i] != range.last)
        i++;
    if (i == count)
        chorale_fuzz_broken("a last value that is not in the list");
}

static void lists(const char *text, long min)
{
    struct chorale_errmsg msg = { "" };
    long *value = NULL;
    size_t count = 0;

    if (chorale_spec_list("-m", text, min, &value, &count, &msg) !=
        CHORALE_OK) {
        if (msg.text[0] == '\0')
            chorale_fuzz_broken("an error without its line");
        return;
    }
    if (count == 0)
        chorale_fuzz_broken("an empty list, and no error");
    for (size_t i = 0; i < count; i++)
        if (value[i] < min || (i > 0 && value[i] <= value[i - 1]))
            chorale_fuzz_broken("a list that does not ascend");
    ranges(text, value, count);
    free(value);
}

static void words(const char *text)
{
    char word[32];

    for (size_t k = 0; chorale_spec_word(text, k, word, sizeof(word)) == 1;
         k++) {
        if (strlen(word) >= sizeof(word) || strchr(word, ',') != NULL)
            chorale_fuzz_broken("a word with a comma");
        if (!chorale_spec_listed(text, word))
            chorale_fuzz_broken("a word that is not listed");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chorale_errmsg msg = { "" };
    char *text = malloc(size + 1);
    double seconds = 0;
    long value = 0;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    lists(text, 0);
    lists(text, 1);
    words(text);
    if (chorale_spec_size("-m", text, &value, &msg) == CHORALE_OK && value < 0)
        chorale_fuzz_broken("a negative size");
    if (chorale_spec_seconds("--time", text, &seconds, &msg) == CHORALE_OK &&
        !isfinite(seconds))
        chorale_fuzz_broken("a time that is not finite");
    free(text);
    return 0;
}

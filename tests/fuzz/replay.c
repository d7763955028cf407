/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - run a fuzzing target on files: corpora and findings as a test
 * without a fuzzer. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

enum { MOST = 1 << 24 };

int main(int argc, char **argv)
{
    static uint8_t bytes[MOST];

    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        size_t size;
        uint8_t *exact;

        if (in == NULL) {
            perror(argv[i]);
            return 1;
        }
        size = fread(bytes, 1, sizeof(bytes), in);
        fclose(in);
        /* Of the exact size, so that a sanitizer detects reads beyond it. */
        exact = malloc(size > 0 ? size : 1);
        if (exact == NULL)
            return 1;
        for (size_t k = 0; k < size; k++)
            exact[k] = bytes[k];
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        printf("%s\n", argv[i]);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz.h - one target of a fuzzer: whatever the bytes are, it returns. Linked
 * with replay.c it is a program that reads files; with libFuzzer (ci/fuzz) one
 * that makes them up. */
#ifndef CHORALE_TESTS_FUZZ_FUZZ_H
#define CHORALE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* file.c. A file with these bytes, the same in each call. NULL: it cannot be
 * made, which is no finding. */
const char *chorale_fuzz_file(const uint8_t *data, size_t size);

/* End with a message: what a target promises does not hold. */
void chorale_fuzz_broken(const char *what);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz.h - interface of a fuzzing target, which must return for any input.
 * Linked with replay.c it is a program that reads files; linked with libFuzzer
 * (ci/fuzz) one that generates inputs. */
#ifndef CHORALE_TESTS_FUZZ_FUZZ_H
#define CHORALE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* file.c: path of a file with these bytes, the same path in each call. NULL if
 * the file cannot be written, which is no finding. */
const char *chorale_fuzz_file(const uint8_t *data, size_t size);

/* Abort with a message: a property of the target is violated. */
void chorale_fuzz_broken(const char *what);

#endif

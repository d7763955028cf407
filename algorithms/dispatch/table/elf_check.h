/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_check.h - whether the loader can take a shared object's file, found by
 * reading. The loader believes what a file says of itself: of one that was cut
 * short, or that a full disk left blocks of zeroes in, it dies, and the program
 * with it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_ELF_CHECK_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_ELF_CHECK_H

#include <stddef.h>

/* file  [size] its bytes, aligned as malloc() does
 * why   one line on failure, without the path: what is wrong, how to mend it
 *
 * What is looked at: that the file is for this machine; that all segments lie
 * in it, one behind the other; that no block of a file system (4096 bytes) is
 * all zeroes where they matter, which they do not in data that relocations
 * fill; that the dynamic section names the loader's tables, inside the file,
 * and none is empty; that each relocation is one, of a place in memory; that
 * what runs at once is code. Other damage may pass: there is no digest in a
 * file that any compiler may write.
 *
 * Returns 0, or -1. */
int chorale_elf_check(const void *file, size_t size, char *why,
                      size_t why_size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* sha256.h - SHA-256 for the Content-Security-Policy of a page. */
#ifndef CHORALE_PLOTS_SHA256_H
#define CHORALE_PLOTS_SHA256_H

#include <stddef.h>

#define CHORALE_DIGEST_SIZE 32
#define CHORALE_CSP_SIZE 52  /* "sha256-", 44 characters, the end */

/* Compute the digest. Source: FIPS 180-4, section 6.2. */
void chorale_sha256(const void *data, size_t len,
                    unsigned char digest[CHORALE_DIGEST_SIZE]);

/* Write "sha256-" and the digest in base64, by which a policy allows an inline
 * script or style with that text. Source: W3C, Content Security Policy 3,
 * section 2.3.1. */
void chorale_csp_hash(const char *text, size_t len,
                      char out[CHORALE_CSP_SIZE]);

#endif

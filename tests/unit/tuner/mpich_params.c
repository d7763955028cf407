/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_params.c - parameters of MPICH's algorithms in selection files: the
 * value of a choice, else that of the library's control variable. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/rules/mpich_algs.h"
#include "tuner/rules/mpich_csel.h"

static const char settings[] =
    "MPIR_CVAR_BCAST_TREE_KVAL\t2\nMPIR_CVAR_BCAST_TREE_TYPE\tkary\n"
    "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE\t8192\n"
    "MPIR_CVAR_ALLTOALL_BRUCKS_KVAL\t2\n";

static const struct {
    enum chorale_coll coll;
    const char *name, *key;  /* key: NULL if not in the format */
    const char *text;
    const char *version;     /* of MPICH */
} row[] = {
    { CHORALE_BCAST, "tree", NULL, "{\"tree_type=kary\": {}, \"k=2\": {}}",
      "4.2.1" },
    { CHORALE_BCAST, "tree:k=4", "k",
      "{\"tree_type=kary\": {}, \"k=4\": {}}", "5.0.2" },
    { CHORALE_BCAST, "pipelined_tree:chunk=65536", "chunk_size",
      "{\"tree_type=kary\": {}, \"k=2\": {}, \"chunk_size=65536\": {}}",
      "4.2.1" },
    { CHORALE_BCAST, "pipelined_tree:k=8", "k",
      "{\"tree_type=kary\": {}, \"k=8\": {}, \"chunk_size=8192\": {}}",
      "4.2.1" },
    { CHORALE_ALLTOALL, "k_brucks:k=8", "k", "{\"k=8\": {}}", "4.2.1" },
    { CHORALE_ALLTOALL, "scattered:throttle=1", NULL, "{}", "4.0.2" },
    { CHORALE_BCAST, "tree:c=4", NULL,
      "{\"tree_type=kary\": {}, \"k=2\": {}}", "4.2.1" },
    { CHORALE_BCAST, "tree:tree_type=knomial_2", "tree_type",
      "{\"tree_type=2\": {}, \"k=2\": {}}", "4.2.1" },
    { CHORALE_BCAST, "tree:tree_type=knomial_2", "tree_type",
      "{\"tree_type=knomial_2\": {}, \"k=2\": {}}", "5.0.2" },
};

static void params(void)
{
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char library[32], variables[sizeof(settings)];
        const struct chorale_rules rules = {
            .origin.mpi_library = library, .settings = variables,
        };
        json_t *got;
        const char *key = chorale_mpich_key(row[i].coll, row[i].name);
        char *text;

        memcpy(variables, settings, sizeof(settings));
        snprintf(library, sizeof(library), "MPICH Version: %s",
                 row[i].version);
        got = chorale_mpich_params(row[i].coll, row[i].name, &rules);
        text = json_dumps(got, JSON_PRESERVE_ORDER);
        tap_ok(text != NULL && strcmp(text, row[i].text) == 0,
               "%s has the parameters %s", row[i].name,
               text != NULL ? text : "");
        tap_ok(row[i].key == NULL ? key == NULL
                                  : key != NULL && strcmp(key, row[i].key) == 0,
               "%s: the key of its own parameter is %s", row[i].name,
               key != NULL ? key : "not in the format");
        free(text);
        json_decref(got);
    }
}

/* A file is read back with its values. */
static void leaf(void)
{
    const struct chorale_csel_comm comm = { 4, 1, 1, 1, 1 };
    const struct chorale_csel_call call = { 8, 8, 8 };
    json_t *tree = json_pack("{s:{s:{s:{},s:{}}}}", "avg_msg_size<=64",
                             "algorithm=MPIR_Bcast_intra_tree",
                             "tree_type=kary", "k=4");
    char got[CHORALE_MPICH_LEAF], few[24];

    chorale_csel_find(tree, &comm, &call, got, sizeof(got));
    tap_ok(strcmp(got, "algorithm=MPIR_Bcast_intra_tree tree_type=kary k=4") ==
               0,
           "the choice of a file is read with its values: %s", got);
    chorale_csel_find(tree, &comm, &call, few, sizeof(few));
    tap_ok(strlen(few) == sizeof(few) - 1, "a long choice is cut");
    json_decref(tree);
}

int main(void)
{
    params();
    leaf();
    return tap_done();
}

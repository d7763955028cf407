/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.c - fuzzing target: what stands beside a published shard. The bytes are
 * the rows of a record, which gets its head, and follow once more as they are.
 * Whatever they are, who opens the copy finds it sound, with what it had. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/foreign_db.h"
#include "db/tail.h"
#include "db/tail_record.h"
#include "tests/fuzz/fuzz.h"

/* What the records of the corpus are of. */
static const char rows[] =
    "INSERT INTO system (system_id, uuid, name, kind, signature, mpi_library,"
    " created) VALUES (1, 's', 's', 'real', 's', 'm', 't');"
    "INSERT INTO campaign (campaign_id, uuid, system_id, created, command,"
    " seed, launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,"
    " max_memory, sync, launcher) VALUES (1, 'k', 1, 't', 'plan', 1, 2, 1, 9,"
    " 1, 0.02, 1, 4096, 'barrier', 'mpiexec');"
    "INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider,"
    " variant, params, coll, msg_size, n, comm_size, ppn, shape, dtype, op,"
    " op_class, root_policy, buffers, launches) VALUES (1, 'c', 1, 1,"
    " 'library', 'default', '', 'bcast', 8, 8, 4, 2, 'block', 'byte', '', '',"
    " 'rotate', 'warm', 2);"
    "INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,"
    " comm_size, ppn, shape, seed, started, status) VALUES (1, 'before', 1, 1,"
    " 0, 4, 2, 'block', 1, 't', 'done');"
    "INSERT INTO run (run_id, uuid, cell_id, launch_id, status) VALUES (1,"
    " 'before', 1, 1, 'ok')";

static char folder[] = "/dev/shm/chorale-fuzz-XXXXXX";
static char shard[sizeof(folder) + 16], tail[sizeof(folder) + 32];

static int never(void)
{
    return 0;
}

static void leave(void)
{
    unlink(tail);
    unlink(shard);
    rmdir(folder);
}

static int begin(void)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    int made;

    if (shard[0] != '\0')
        return 1;
    if (mkdtemp(folder) == NULL)
        return 0;
    snprintf(shard, sizeof(shard), "%s/shard.db", folder);
    snprintf(tail, sizeof(tail), "%s" CHORALE_TAIL_SUFFIX, shard);
    atexit(leave);
    made = chorale_store_open(shard, CHORALE_STORE_CREATE, &store, &msg) ==
               CHORALE_OK &&
           chorale_store_exec(store, rows, &msg) == CHORALE_OK;
    chorale_store_close(store);
    if (!made)
        chorale_fuzz_broken(msg.text);
    return 1;
}

static int write_tail(const uint8_t *data, size_t size)
{
    const struct chorale_tail_head head = {
        CHORALE_TAIL_MAGIC, CHORALE_SCHEMA_VERSION, (uint32_t)size,
        chorale_tail_sum((const char *)data, size),
    };
    int fd = open(tail, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int whole = fd >= 0 &&
                write(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) &&
                write(fd, data, size) == (ssize_t)size &&
                write(fd, data, size) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return whole;
}

static sqlite3_int64 ask(struct chorale_shard *s, const char *sql)
{
    struct chorale_errmsg msg = { "" };
    sqlite3_int64 value = -1;

    chorale_store_int(chorale_shard_store(s), sql, -1, &value, &msg);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_shard *s = NULL;

    if (size > CHORALE_TAIL_MAX || !begin() || !write_tail(data, size))
        return 0;
    if (chorale_shard_open(shard, CHORALE_SHARD_WHOLE, never, &s, &msg) != CHORALE_OK)
        chorale_fuzz_broken(msg.text);
    if (ask(s, "SELECT count(*) FROM run WHERE uuid = 'before' AND"
               " status = 'ok'") != 1 ||
        ask(s, "SELECT count(*) FROM pragma_foreign_key_check") != 0 ||
        ask(s, "SELECT count(*) FROM pragma_integrity_check"
               " WHERE integrity_check <> 'ok'") != 0 ||
        ask(s, "SELECT (SELECT count(*) FROM cell) + (SELECT count(*) FROM"
               " system) + (SELECT count(*) FROM campaign)") != 3)
        chorale_fuzz_broken("the copy is not what it was");
    if (getenv("CHORALE_FUZZ_MERGED") != NULL)
        printf("%lld runs: ", ask(s, "SELECT count(*) FROM run"));
    chorale_shard_close(s);
    return 0;
}

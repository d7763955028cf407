/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - the verb `table`: manages the tables that a site serves. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/verb.h"
#include "tuner/site/table_manage.h"

/* Set the folder. CHORALE_SITE must be absolute here as well as for the
 * shim. */
static enum chorale_err find_folder(struct chorale_manage_opts *opts,
                                    struct chorale_errmsg *msg)
{
    const char *site = getenv("CHORALE_SITE");

    if (opts->folder == NULL && site != NULL && site[0] != '\0') {
        if (site[0] != '/')
            return chorale_fail(msg, CHORALE_USAGE, "CHORALE_SITE: '%s' is a "
                                "relative path; the shim needs an absolute one",
                                site);
        opts->folder = site;
    }
    if (opts->folder == NULL)
        opts->folder = SYSCONFDIR "/chorale";
    if (opts->folder[0] == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "--folder: empty; name the "
                            "folder of the site's tables");
    return CHORALE_OK;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_manage_opts opts = { .cluster = "default",
                                        .partition = "default" };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 2,
                                              &nword, msg);

    if (err == CHORALE_OK && nword >= 0)
        err = find_folder(&opts, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.named = nword == 2 ? argv[2] : "";
    if (nword == 2 && strcmp(argv[1], "install") == 0)
        return chorale_tables_install(&opts, argv[2], msg);
    if (nword == 2 && strcmp(argv[1], "diff") == 0)
        return chorale_tables_diff(&opts, argv[2], msg);
    if (nword == 1 && strcmp(argv[1], "list") == 0)
        return chorale_tables_list(&opts, msg);
    if (nword == 1 && strcmp(argv[1], "rollback") == 0)
        return chorale_tables_rollback(&opts, msg);
    if (nword == 1 && strcmp(argv[1], "remove") == 0)
        return chorale_tables_remove(&opts, msg);
    return chorale_fail(msg, CHORALE_USAGE, "table %s: not valid; use install "
                        "FILE, diff FILE, list, rollback, or remove", argv[1]);
}

#define AT(member) offsetof(struct chorale_manage_opts, member)

static const struct chorale_opt rows[] = {
    { "folder", 0, CHORALE_OPT_TEXT, AT(folder), "DIR",
      "folder of the site's tables (default: CHORALE_SITE, else "
      "sysconfdir/chorale, where the shim looks)", 0, 0 },
    { "cluster", 0, CHORALE_OPT_TEXT, AT(cluster), "NAME",
      "for jobs with this SLURM_CLUSTER_NAME (default: default, for all "
      "without their own table)", 0, 0 },
    { "partition", 0, CHORALE_OPT_TEXT, AT(partition),
      "NAME", "for jobs with this SLURM_JOB_PARTITION (default: default)", 0,
      0 },
    { "mpi", 0, CHORALE_OPT_TEXT, AT(mpi), "NAME",
      "MPI library and two numbers of its version, mpich-4.0 (default: that "
      "of the table, or the only one there)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "system of a database with several", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      AT(allow_patented), NULL,
      "for a database: as in `chorale generate`", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "print only errors", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_table = {
    .name = "table",
    .args = "install|diff|list|rollback|remove [FILE]",
    .summary = "manage the tables of a site",
    .detail =
        "The shim uses the table that CHORALE_DISPATCH names, else the "
        "site's: FOLDER/CLUSTER/PARTITION/MPI/current, then CLUSTER/default "
        "and default/default. install checks a table as the shim does, copies "
        "it to this folder under its own name, and makes current a link to "
        "it, by a rename. Programs that start meanwhile get the old table or "
        "the new one, and an interrupted command leaves the old one. Earlier "
        "tables stay; running programs keep the table that they loaded. FILE "
        "is a compiled table (cc -shared -fPIC -o table.so "
        "results-dispatch.c), or a database, from which a table is made.\n"
        "list shows the tables of each place, and why a table is not used. "
        "rollback restores the table that the current one replaced, and can "
        "be repeated; rollback of the first table leaves none, as remove does. "
        "The files of tables stay. diff lists where FILE "
        "chooses differently from the "
        "current table of the same place: at 2 to 64 ranks and then doubling, "
        "and at sizes next to powers of two.\n"
        "Tables are programs: FILE, and all installed tables, must belong to "
        "you or to root and be writable only by their owner.",
    .example = "chorale table install results.db --cluster big --partition"
               " main\n"
               "chorale table diff table.so --cluster big --partition main\n"
               "chorale table rollback --cluster big --partition main",
    .opt = rows,
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* batch_scripts.c - writes the batch scripts of a submission. */
#include "config.h"

#include "tuner/slurm/batch_scripts.h"

#include <math.h>
#include <string.h>

#define LEAD 60.0 /* seconds; a quarter of a short limit */

double chorale_scripts_lead(double limit)
{
    return fmin(LEAD, limit / 4);
}

/* Write the lines that all scripts share, before the commands. */
static void heading(const struct chorale_scripts *s, FILE *out)
{
    const struct {
        const char *option, *value;
    } word[] = {
        { "partition", s->site->partition },
        { "account", s->site->account },
        { "qos", s->site->qos },
        { "reservation", s->site->reservation },
        { "constraint", s->site->constraint },
    };

    fprintf(out, "#SBATCH --time=%.0f\n", ceil(s->seconds / 60));
    fprintf(out, "#SBATCH --open-mode=append\n");
    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
        if (word[i].value[0] != '\0')
            fprintf(out, "#SBATCH --%s=%s\n", word[i].option, word[i].value);
    for (int i = 0; i < s->site->noption; i++)
        fprintf(out, "#SBATCH %s\n", s->site->option[i]);
}

static void prologue(const struct chorale_scripts *s, FILE *out)
{
    if (s->site->prologue[0] != '\0')
        fprintf(out, "\n. %s || exit 3\n", s->site->prologue);
}

void chorale_scripts_array(const struct chorale_scripts *s, FILE *out,
                           const struct chorale_scripts_array *array)
{
    int nodes = array->nodes, ppn = array->ppn;
    long first = array->first, last = array->last;
    const struct chorale_site *site = s->site;
    double lead = chorale_scripts_lead(s->seconds);
    char at_once[32] = "", ahead[32] = "";

    if (s->at_once > 0)
        snprintf(at_once, sizeof(at_once), "%%%ld", s->at_once);
    fprintf(out,
            "#!/bin/sh\n"
            "# Elements %ld to %ld, of %d %s with %d %s each. See `chorale job "
            "--help` for\n"
            "# their work and `chorale status` for their progress.\n"
            "#SBATCH --job-name=chorale-%dx%d\n"
            "#SBATCH --array=0-%ld%s\n"
            "#SBATCH --nodes=%d\n"
            "#SBATCH --ntasks-per-node=%d\n"
            "#SBATCH --requeue\n"
            "#SBATCH --signal=B:USR1@%.0f\n"
            "#SBATCH --output=%s/%dx%d-from%ld-%%a.log\n",
            first, last, nodes, nodes == 1 ? "node" : "nodes", ppn,
            ppn == 1 ? "rank" : "ranks", nodes, ppn, last - first, at_once,
            nodes, ppn, lead, s->folder, nodes, ppn, first);
    if (strcmp(site->exclusive, "no") != 0)
        fprintf(out, "#SBATCH --exclusive\n");
    if (array->exclude != NULL)
        fprintf(out, "#SBATCH --exclude=%s\n", array->exclude);
    if (site->switches[0] != '\0')
        fprintf(out, "#SBATCH --switches=%s\n", site->switches);
    heading(s, out);
    prologue(s, out);
    if (lead < LEAD)
        snprintf(ahead, sizeof(ahead), " --lead %.0f", lead);
    fprintf(out,
            "\nexec %s job %s \\\n"
            "    --element \"$((%ld + SLURM_ARRAY_TASK_ID))\" --attempts %ld%s",
            s->program, s->folder, first, s->attempts, ahead);
    if (s->kill_seconds > 0)
        fprintf(out, " --kill-wait %.0f", s->kill_seconds);
    if (s->one_per_p)
        fprintf(out, " --one-launch-per-p");
    if (site->mpi[0] != '\0' && strcmp(site->launcher, "mpiexec") != 0)
        fprintf(out, " --mpi %s", site->mpi);
    if (strcmp(site->spread, "no") == 0)
        fprintf(out, " --any-nodes");
    if (strcmp(site->bind, "no") != 0)
        fprintf(out, " --bind");
    if (site->shards[0] != '\0')
        fprintf(out, " --shards %s", site->shards);
    if (site->partition[0] != '\0')
        fprintf(out, " --partition %s", site->partition);
    fprintf(out, "\n");
}

void chorale_scripts_gather(const struct chorale_scripts *s, FILE *out)
{
    fprintf(out,
            "#!/bin/sh\n"
            "# The last job: merges what the others measured and makes the "
            "table.\n"
            "#SBATCH --job-name=chorale-gather\n"
            "#SBATCH --nodes=1\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --requeue\n"
            "#SBATCH --output=%s/gather.log\n", s->folder);
    heading(s, out);
    prologue(s, out);
    fprintf(out, "\nexec %s job %s \\\n    --gather %s", s->program,
            s->folder, s->database);
    if (s->threshold >= 0)
        fprintf(out, " --threshold %.9g", s->threshold);
    fprintf(out, "\n");
}

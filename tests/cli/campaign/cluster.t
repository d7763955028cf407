#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The private Slurm of tests/slurm/cluster.sh is not started on a machine that
# has a Slurm of its own. Uses fake programs.
. "$(dirname "$0")/../../lib.sh"
. "$top_srcdir/tests/slurm/cluster.sh"
[ ! -e /etc/slurm/slurm.conf ] && [ ! -e /etc/slurm-llnl/slurm.conf ] ||
    skip_all "this machine is part of a Slurm"

bin=$work/bin
mkdir "$bin"
for name in slurmctld slurmd munged sbatch srun squeue scontrol ip unshare; do
    fake "$name" </dev/null
done
fake id <<'END'
echo 0
END
runs() { # name of a running daemon, or none; its namespace
    fake pgrep <<END
[ "\$2" = "$1" ] && echo $$
END
    fake ip <<END
[ "\$2" != identify ] || echo $2
END
}
reason() { PATH=$bin:$PATH cluster_reason; }
runs none
is "$(reason)" "" "on a machine without Slurm a cluster can be made"
for name in munged slurmd slurmctld; do
    runs $name
    rm "$work/asked"
    is "$(reason)" "a $name runs on this machine already" \
        "no cluster is made beside the machine's own $name"
    is "$(grep -v -e '^id ' -e '^pgrep ' -e '^ip netns identify ' \
        "$work/asked")" "" \
            "no program is started beside the machine's own $name"
    runs $name chorale$$-n1
    is "$(reason)" "" "a $name of another test does not prevent a cluster"
    runs $name another
    is "$(reason)" "a $name runs on this machine already" \
        "a $name in another namespace prevents a cluster"
done
runs none
rm "$bin/pgrep"
like "$(PATH=$bin && cluster_reason)" '^no pgrep' \
    "no cluster is made without pgrep"
runs none
rm "$bin/munged"
reason >"$work/out.txt"
if command -v munged >/dev/null 2>&1; then
    skip "munged is installed" "a missing program is named"
else
    like "$(cat "$work/out.txt")" '^no munged' "a missing program is named"
fi
fake munged </dev/null
fake id <<'END'
echo 1000
END
is "$(reason)" "needs root, to make namespaces" \
    "no cluster is made without root"
fake id <<'END'
echo 0
END
fake ip <<'END'
exit 1
END
is "$(reason)" "network namespaces cannot be made here" \
    "no cluster is made without network namespaces"
is "$(runs slurmd; PATH=$bin:$PATH; (cluster_wanted; echo went on))" \
    "1..0 # SKIP a slurmd runs on this machine already" \
        "tests are skipped where no cluster can be made"
finish

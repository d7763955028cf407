#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Slurm that tests bring up (tests/slurm/cluster.sh) is none where the
# machine has one of its own: with invented programs.
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
runs() { # name of what runs here, or none; a namespace that it is in
    fake pgrep <<END
[ "\$2" = "$1" ] && echo $$
END
    fake ip <<END
[ "\$2" != identify ] || echo $2
END
}
reason() { PATH=$bin:$PATH cluster_reason; }
runs none
is "$(reason)" "" "where there is none, nothing speaks against it"
for name in munged slurmd slurmctld; do
    runs $name
    rm "$work/asked"
    is "$(reason)" "a $name runs on this machine already" \
        "a $name of the machine's own is left alone"
    is "$(grep -v -e '^id ' -e '^pgrep ' -e '^ip netns identify ' \
        "$work/asked")" "" "and nothing is begun"
    runs $name chorale$$-n1
    is "$(reason)" "" "but not one that another test has brought up"
    runs $name another
    is "$(reason)" "a $name runs on this machine already" \
        "nor does any other namespace make it ours"
done
runs none
rm "$bin/pgrep"
like "$(PATH=$bin && cluster_reason)" '^no pgrep' \
    "without what would find them none is begun"
runs none
rm "$bin/munged"
reason >"$work/out.txt"
if command -v munged >/dev/null 2>&1; then
    skip "munged is installed" "what is missing is named"
else
    like "$(cat "$work/out.txt")" '^no munged' "what is missing is named"
fi
fake munged </dev/null
fake id <<'END'
echo 1000
END
is "$(reason)" "needs root, to make namespaces" "nor is it begun without root"
fake id <<'END'
echo 0
END
fake ip <<'END'
exit 1
END
is "$(reason)" "network namespaces cannot be made here" \
    "or without namespaces"
is "$(runs slurmd; PATH=$bin:$PATH; (cluster_wanted; echo went on))" \
    "1..0 # SKIP a slurmd runs on this machine already" "tests are skipped"
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank hangs in a call or in MPI_Finalize: its launch is ended after --hang,
# the cell fails after two launches and is not tried again, and all other cells
# are measured. A long point does not count as a hang. (Dying ranks:
# rank_death.t.)
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
. "$here/../faulty.sh"

limits='--hang 15s --stall-timeout 15s'
campaign "hangs when first called" 2 8 "$limits" FAULT=hang AFTER=1
bad 'hang: silent for 15 s' 2
# Cells are not announced while they are timed; the second launch does it.
campaign "hangs while timed" 2 8 "$limits" FAULT=hang AFTER=10
bad 'hang: silent for 15 s' 2
campaign "hangs in MPI_Finalize" 1 8 "$limits" FAULT=final
good 0
wait_for no_process "chorale-runner.*$work"
ok $? "no runner outlives its command"

# A point that takes longer than --hang: the runner prints "@try 0" meanwhile.
rm -f "$db"
"$chorale" plan "$db" -P 2 -m 64K -c bcast --variants linear --launches 1 -q \
    --buffers warm --batch 200 -i 4096 --min-iterations 4096 --width 0% \
    --cell-time 300s
cat >"$work/overheard" <<EOT
#!/bin/sh
mkfifo "$work/pipe"
tee "$work/said" <"$work/pipe" &
exec $MPIEXEC "\$@" >"$work/pipe"
EOT
chmod +x "$work/overheard"
CHORALE_MPIEXEC=$work/overheard "$chorale" run "$db" -q &
pid=$!
beats() {
    sed '1,/^@try [1-9]/d' "$work/said" 2>/dev/null | grep -c '^@try 0$'
}
beating() { [ "$(beats)" -ge 4 ] || ended $pid; }
wait_for beating
[ "$(beats)" -ge 4 ]
ok $? "the runner prints heartbeats while it times a long point"
kill_tree $pid
finish

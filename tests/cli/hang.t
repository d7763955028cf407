#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A variant that hangs: its launch is ended after --hang, the second time its
# cell has failed with that reason, and the campaign goes on. The launcher here
# plays a runner that hangs in one cell until that has a run, and starts the
# real one then.
. "$(dirname "$0")/../lib.sh"

command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no mpiexec"
db=$work/r.db

# launcher NAME, COMMANDS where the cell $cell has no run in this ordinal;
# $announce: the runner is to name the cell of every repetition.
launcher() {
    cat >"$work/$1" <<EOT
#!/bin/sh
for word; do
    [ "\$word" = --announce ] && announce=1
    launch=\$word
done
cell=\$(cat "$work/cell")
left=\$(sqlite3 -cmd '.timeout 9000' "$db" "SELECT count(*) FROM launch l
    WHERE l.uuid = '\$launch' AND NOT EXISTS (SELECT 1 FROM run r
    JOIN launch k USING (launch_id) WHERE r.cell_id = \$cell AND
    k.ordinal = l.ordinal)")
if [ "\$left" = 1 ]; then
    $2
fi
exec $MPIEXEC "\$@"
EOT
    chmod +x "$work/$1"
}

# Plan, run under that launcher, and see that all but one cell are measured.
campaign() { # launcher
    rm -f "$db"
    "$chorale" plan "$db" -P 2 -m 8,64 -c bcast,allreduce --launches 2 -i 5 -q
    sqlite3 "$db" "SELECT max(cell_id) FROM cell WHERE provider = 'chorale'
        AND coll = 'bcast'" >"$work/cell"
    cell=$(cat "$work/cell")
    begun=$(date +%s)
    CHORALE_MPIEXEC=$work/$1 timeout 300 "$chorale" run "$db" -q \
        --hang 10s --stall-timeout 12s 2>"$work/err.txt"
    is $? 0 "$1: the campaign ends well"
    [ ! -s "$work/err.txt" ]
    ok $? "$1: without a word"
    is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT cell_id || status ||
        (reason LIKE 'hang: silent for%')) FROM run WHERE status <> 'ok'")" \
        "${cell}failed1" "$1: that cell alone has failed, for hanging"
    is "$(sqlite3 "$db" "SELECT sum(planned) - sum(done) FROM v_progress")" 0 \
        "$1: all others are measured"
    is "$(sqlite3 "$db" "SELECT count(*) || (max(reason) LIKE '%not tried again)')
        FROM run WHERE cell_id = $cell")" 21 \
        "$1: it failed once in each ordinal, in the second without a call"
    is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT status) FROM (SELECT *
        FROM launch ORDER BY status)")" done,failed "$1: no launch is left running"
    diag "$(sqlite3 "$db" 'SELECT DISTINCT reason FROM run WHERE reason <> ""')"
    diag "$(sqlite3 "$db" "SELECT count(*) FROM launch") launches, $(($(date +%s) - begun)) s"
    "$chorale" status "$db" | grep -q 'failed: hang: silent for'
    ok $? "$1: status says so"
    "$chorale" decide "$db" -q
    ok $? "$1: decide works with the rest"
}

# In its first call: named before. Twice in the first ordinal; in the next it is
# left out.
launcher first "echo \"@try \$cell\"; exec sleep 600"
campaign first
hung=$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE reason LIKE 'hang%'")
is "$hung" 2 "first: 2 launches hung, and it was not tried again"

# While it is timed: then nothing was said, and the next launch says it.
launcher timed "[ -n \"\$announce\" ] && echo \"@try \$cell\" || echo '@try 0'; exec sleep 600"
campaign timed
hung=$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE reason LIKE 'hang%'")
is "$hung" 2 "timed: 2 launches hung, and it was not tried again"

# The real runner with that option measures as it does without.
rm -f "$db"
"$chorale" plan "$db" -P 2 -m 8 -c bcast --launches 1 -i 5 -q
cat >"$work/announced" <<EOT
#!/bin/sh
# mpiexec -n P runner db launch
n=\$2 runner=\$3
shift 3
exec $MPIEXEC -n \$n \$runner --announce "\$@"
EOT
chmod +x "$work/announced"
CHORALE_MPIEXEC=$work/announced timeout 100 "$chorale" run "$db" -q -v \
    >"$work/out.txt" 2>&1
ok $? "a launch that announces every repetition"
is "$(sqlite3 "$db" "SELECT sum(planned) - sum(ok) FROM v_progress")" 0 \
    "measures every cell"

# A point may take longer than silence is borne.
rm -f "$db"
"$chorale" plan "$db" -P 2 -m 64K -c bcast --variants linear --launches 1 -q \
    --buffers warm --batch 200 -i 4096 --min-iterations 4096 --width 0% \
    --cell-time 4s
cat >"$work/overheard" <<EOT
#!/bin/sh
mkfifo "$work/pipe"
tee "$work/said" <"$work/pipe" &
exec $MPIEXEC "\$@" >"$work/pipe"
EOT
chmod +x "$work/overheard"
CHORALE_MPIEXEC=$work/overheard timeout 200 "$chorale" run "$db" -q
ok $? "a point is timed for eight seconds"
[ "$(sed '1,/^@try [1-9]/d' "$work/said" | grep -c '^@try 0$')" -ge 4 ]
ok $? "and the runner says all the time that it goes on"

# A launch that hangs before any cell is not for ever.
rm -f "$db"
"$chorale" plan "$db" -P 2 -m 8 -c bcast --launches 1 -i 5 -q
printf '#!/bin/sh\nexec sleep 600\n' >"$work/mute"
chmod +x "$work/mute"
err=$(CHORALE_MPIEXEC=$work/mute timeout 60 "$chorale" run "$db" -q \
    --stall-timeout 1s 2>&1)
is $? 3 "a launcher that hangs is an error of the environment"
like "$err" 'before its first point was stored: hang: silent for 1 s' "and said so"
sleep 0.2
! pgrep -f "$work/mute" >/dev/null 2>&1
ok $? "nothing is left running"
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `submit --wait` on a real Slurm exits with the verdict of the campaign, and
# small process counts share the start of a large one.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
cluster_begin

cat >"$work/site.txt" <<EOF
partition = main
bind = no
prologue = $work/prologue.sh
EOF

# --- the verdict of a campaign ----------------------------------------------
small="-c bcast -m 16K -P 2 --ppn 2 --variants linear --launches 7 -i 5"
small="$small --cell-time 0.1"
campaign() { # database, further options: wait for the campaign
    campaign_db=$1
    shift
    # shellcheck disable=SC2086
    on_head timeout 1200 "$chorale" submit "$campaign_db" $small \
        --site "$work/site.txt" --time 2m --wait "$@" >"$work/out.txt" 2>&1
}
campaign "$work/base.db"
is $? 0 "submit --wait of a small campaign exits with 0"
is "$(sqlite3 "$work/base.db" 'SELECT sum(planned) - sum(done)
    FROM v_progress')" 0 "all planned runs are done"
[ "$tap_bad" = 0 ] || diag "$(tail -n 5 "$work/out.txt")"
sqlite3 "$work/base.db" "UPDATE run_summary SET median = median / 1e4,
    lo = lo / 1e4, hi = hi / 1e4, mean = mean / 1e4, min = min / 1e4,
    q25 = q25 / 1e4, q75 = q75 / 1e4, p95 = p95 / 1e4, p99 = p99 / 1e4,
    max = max / 1e4 WHERE run_id IN (SELECT run_id FROM run JOIN cell
    USING (cell_id) WHERE provider = 'chorale');
    UPDATE sample SET seconds = seconds / 1e4 WHERE run_id IN (SELECT run_id
    FROM run JOIN cell USING (cell_id) WHERE provider = 'chorale')"
campaign "$work/head.db" --compare "$work/base.db" --unpaired
is $? 1 "--wait --compare of a far slower campaign exits with 1"
like "$(cat "$work/out.txt")" '^slower .* bcast linear; m = 16 KiB, P = 2' \
    "the output names the slower cell"
[ "$tap_bad" = 0 ] || diag "$(tail -n 5 "$work/out.txt")"
campaign "$work/head.db" --compare "$work/head2.db"
is $? 3 "a missing base database exits with 3"

# --- small process counts share the start of~ a large one
# -----------------------
on_head timeout 1200 "$chorale" submit "$work/share.db" -c bcast -m 16K \
    -P 2,4,8 --ppn 2 --variants linear --launches 1 -i 10 --cell-time 0.2 \
    --site "$work/site.txt" --time 2m --start-up 1m --wait >"$work/out.txt" 2>&1
is $? 0 "a campaign with long start-up exits with 0"
[ "$tap_bad" = 0 ] || diag "$(tail -n 5 "$work/out.txt")"
like "$(cat "$work/out.txt")" '^2 of them share the start' \
    "two of three process counts share a start"
is "$(sqlite3 "$work/share.db" "SELECT count(DISTINCT element) || ' ' ||
    min(nodes) FROM element")" "1 4" "there is one element, of four nodes"
is "$(sqlite3 "$work/share.db" "SELECT group_concat(comm_size || ':' ||
    host_map || ' ' || status, ', ') FROM (SELECT * FROM launch
    ORDER BY comm_size)")" \
    "2:0,0 done, 4:0,0,1,1 done, 8:0,0,1,1,2,2,3,3 done" \
    "all three counts are measured, on one, two and four nodes"
is "$(sqlite3 "$work/share.db" "SELECT count(DISTINCT value) FROM environment
    WHERE key = 'launcher_command'")" 1 \
        "all launches have the same launcher command"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `submit` writes, without a Slurm. Options and site files are checked
# before anything is written, launches are packed into elements within the time
# limit, and the scripts have the right options. tests/slurm submits to a real
# Slurm.
. "$(dirname "$0")/../../lib.sh"

db=$work/r.db
# Hide any Slurm of this machine: the scripts use Slurm's defaults.
SLURM_CONF=$work/none.conf
export SLURM_CONF
: >"$SLURM_CONF"
dry() { # options: output to out.txt, errors to err.txt
    timeout 600 "$chorale" submit "$db" -c bcast -m 8 --variants binomial \
        --ppn 2 --dry-run "$@" >"$work/out.txt" 2>"$work/err.txt"
}
refused() { # code, pattern, what, options...
    code=$1 pattern=$2 what=$3
    shift 3
    dry "$@"
    is $? "$code" "$what: exit $code"
    like "$(cat "$work/err.txt")" "$pattern" "$what: the error gives the reason"
    [ ! -e "$db" ] && [ ! -e "$work/r-slurm" ]
    ok $? "$what: no file is written"
}
script() { # name: print its text from the output
    sed -n "/^# .*\/$1\$/,/^# .*\/r-slurm/p" "$work/out.txt"
}

# --- scripts ----------------------------------------------------------------
dry -P 2,8 --launches 3 --partition main --account a1 --qos long \
    --reservation r --constraint fast --switches 1@10 --time 30m \
    --one-launch-per-p
is $? 0 "--dry-run exits with 0"
[ ! -e "$db" ] && [ ! -e "$work/r-slurm" ]
ok $? "--dry-run writes no file"
text=$(script '4x2-from4.sh')
for line in --array=0-2 --nodes=4 --ntasks-per-node=2 --exclusive --requeue \
    --signal=B:USR1@60 --time=30 --partition=main --account=a1 --qos=long \
    --reservation=r --constraint=fast --switches=1@10 --open-mode=append; do
    printf '%s\n' "$text" | grep -qx -- "#SBATCH $line"
    ok $? "the script of four nodes has $line"
done
like "$text" ' --partition main$' "an element has its planned partition"
like "$text" '4 \+ SLURM_ARRAY_TASK_ID.*--attempts 20 --one.*-p .*--bind' \
    "its tasks are the elements from 4 on, bound to cores"
like "$(script 1x2-from1.sh)" '#SBATCH --nodes=1' \
    "elements of one node have a script of their own"
like "$(script gather.sh)" "--gather $db" "the last job merges into r.db"
dry -P 2,8 --launches 3 --partition main --time 30m --one-launch-per-p \
    --at-once 2
like "$(script '4x2-from4.sh')" '^#SBATCH --array=0-2%2$' \
    "--at-once limits the simultaneous elements"
printf '%s\n' "$text" | sed '1d;$d' | sh -n
ok $? "the script has valid shell syntax"

# --- packing ----------------------------------------------------------------
# Each launch of a cell is in another element; P = 5 and 6 share nodes.
dry -P 5,6 --launches 3 --time 1h
elements() { awk '/^ *[0-9]+ +[0-9]+ +2 / { print $1, $4, $5 }' \
    "$work/out.txt"; }
is "$(elements | sort | tr '\n' ';')" "1 5 0;1 6 0;2 5 1;2 6 1;3 5 2;3 6 2;" \
    "launches of one ordinal share an element, launches of a cell do not"
# A launch on one node shares a start on four, unless starts cost no time.
dry -P 2,8 --launches 3 --time 1h
is "$(elements | sort | tr '\n' ';')" "1 2 0;1 8 0;2 2 1;2 8 1;3 2 2;3 8 2;" \
    "small launches share the start of large ones"
like "$(cat "$work/out.txt")" \
    '^3 of them share .*: about [0-9.]+ node-hours instead of [0-9.]+' \
    "submit prints the savings"
is "$(grep -c 'job.*--one-launch-per-p' "$work/out.txt")" 0 \
    "the scripts let jobs share starts"
dry -P 2,8 --launches 3 --time 1h --start-up 0
is "$(elements | sort | tr '\n' ';')" "1 2 0;2 2 1;3 2 2;4 8 0;5 8 1;6 8 2;" \
    "starts that cost nothing are not shared"
# 11 cells of 3 s and a start of 5 s: two such launches fit into 120 - 30 s, one
# into 60 - 15 s.
dry -P 5,6 --launches 2 --time 2m --cell-time 3
is "$(elements | awk '{print $1}' | sort -u | wc -l)" 2 \
    "two launches fit into two minutes"
dry -P 5,6 --launches 2 --time 1m --cell-time 3
is "$(elements | awk '{print $1}' | sort -u | wc -l)" 4 \
    "one launch fits into a minute"
grep -qx '#SBATCH --signal=B:USR1@15' "$work/out.txt"
ok $? "a short limit reserves less time for the end"
# The same with starts of ten minutes.
dry -P 5,6 --launches 2 --time 30m --start-up 10m --one-launch-per-p
is "$(elements | awk '{print $1}' | sort -u | wc -l)" 2 \
    "two starts of ten minutes fit into half an hour"
dry -P 5,6 --launches 2 --time 18m --start-up 10m --one-launch-per-p
is "$(elements | awk '{print $1}' | sort -u | wc -l)" 4 \
    "one start of ten minutes fits into 18 minutes"
# By default the largest index of a Slurm job array is 1000.
dry -P 3,4 --launches 600 --time 1m --cell-time 3 --max-node-hours 1000
is "$(grep '^#SBATCH --array' "$work/out.txt" | tr '\n' ' ')" \
    "#SBATCH --array=0-1000 #SBATCH --array=0-198 " "MaxArraySize is honoured"

# --- the site file ----------------------------------------------------------
cat >"$work/site.txt" <<'SITE'
# as at a site
partition = batch   # overruled below
launcher = mpiexec
shards = /local/scratch
prologue = /opt/site/modules.sh
exclusive = no
option = --mail-type=END
option = --licenses=a:1
SITE
dry -P 4 --site "$work/site.txt" --partition fast
for line in '#SBATCH --partition=fast' '#SBATCH --mail-type=END' \
    '#SBATCH --licenses=a:1' '. /opt/site/modules.sh || exit 3'; do
    grep -qxF -- "$line" "$work/out.txt"
    ok $? "a script has the site file's line: $line"
done
grep -q -- '--shards /local/scratch' "$work/out.txt"
ok $? "shards are in the site file's folder"
! grep -q -e '--exclusive' -e '--mpi' -e 'partition=batch' "$work/out.txt"
ok $? "the site file can share nodes, and mpiexec gets no --mpi"

bad_site() { # line, pattern
    printf '%s\n' "# first" "$1" >"$work/bad.txt"
    refused 2 "bad.txt:2: .*$2" "site file with $1" -P 4 --site "$work/bad.txt"
}
bad_site 'partition = a;touch x' 'letters, digits'
# shellcheck disable=SC2016
bad_site 'account = $(id)' 'letters, digits'
bad_site 'qos = --wrap=id' 'no dash first'
bad_site 'option = --wrap=id' 'set --wrap themselves'
for short in --wra=id --arr=0-5 --nod=9 --tim=600 --exp=NONE; do
    bad_site "option = $short" 'the scripts set --[a-z]* themselves'
done
bad_site 'option = --partition=other' "its own key; write 'partition = ...'"
bad_site 'option = --part=other' "its own key; write 'partition = ...'"
bad_site 'option = --oversubscribe' "its own key; write 'exclusive = ...'"
bad_site 'option = -p' 'two dashes'
bad_site 'prologue = modules.sh' 'absolute'
bad_site 'launcher = flux' 'srun\|mpiexec'
bad_site 'colour = red' 'unknown key'
bad_site 'partition' 'KEY = VALUE'
refused 3 'No such file' "no site file" -P 4 --site "$work/nowhere.txt"

# --- options ----------------------------------------------------------------
refused 2 'letters, digits' "a partition with a newline" -P 4 \
    --partition "$(printf 'a\n#SBATCH -q b')"
refused 2 'letters, digits' "an account with a quote" -P 4 --account "a'b"
refused 2 'several partitions, .* submit for each' "two partitions" -P 4 \
    --partition main,long
refused 2 'max-node-hours' "more than 100 node-hours" -P 400 --launches 80 \
    --cell-time 60
needs() { # launches: print the exit code and the node-hours
    dry -P 32 --launches "$1" --cell-time 60
    echo "$? $(sed -n 's/.* for at most \([0-9.]*\) node-hours$/\1/p' \
        "$work/out.txt")"
}
each=$(needs 10 | awk '{ print $2 / 10 }')
is "$(needs "$(awk "BEGIN { print int(99 / $each) }")" |
    awk '{ print $1, ($2 > 95 && $2 < 100) }')" "0 1" \
        "97 to 99 node-hours are accepted"
is "$(needs "$(awk "BEGIN { print int(105 / $each) }")" |
    awk '{ print $1, ($2 > 100 && $2 < 107) }')" "2 1" \
        "102 to 105 node-hours are refused"
refused 2 'may take [0-9.e+]+ node-hours' "starts of ten minutes" -P 32 \
    --launches 80 --start-up 10m
large() { # msg_size
    timeout 600 "$chorale" submit "$db" -c alltoall -m "$1" -P 4096 --ppn 1 \
        --variants pairwise_xor --launches 6 --max-memory 1T --dry-run \
        >"$work/out.txt" 2>&1
}
large 8
is $? 0 "short calls on many nodes exit with 0"
large 1M
is $? 2 "calls that take seconds exit with 2"
like "$(cat "$work/out.txt")" 'this may take [0-9.e+]+ node-hours' \
    "the node-hours are printed"
refused 2 'max-node-hours' "more than it was allowed" -P 4 \
    --max-node-hours 0.001
refused 2 'needs 4 nodes' "more nodes than allowed" -P 8 --nodes 3
refused 2 'element 1 may take .* --attempts allows 1; give a longer --time' \
    "more starts than allowed" -P 4 --launches 1 --cell-time 100 --time 2m \
    --attempts 1
dry -P 4 --launches 1 --cell-time 100 --time 2m
like "$(cat "$work/out.txt")" \
    '^element 1, the longest, may take [0-9]+ s: up to 1[0-9] starts of' \
    "a launch that needs several attempts is reported"
refused 2 'adaptive' "--adaptive" -P 4 --adaptive --budget 10m
timeout 600 "$chorale" submit "$db" -P 4 --dry-run 2>"$work/err.txt"
is $? 2 "a missing --ppn exits with 2"
like "$(cat "$work/err.txt")" 'ppn' "the error names --ppn"
timeout 600 "$chorale" submit "$db" -P 10 --ppn 4 --dry-run 2>"$work/err.txt"
is $? 2 "nodes that srun would not fill exit with 2"
like "$(cat "$work/err.txt")" \
    'srun spreads .* over 3 .* multiples of --ppn 4.*mpiexec' \
        "the error explains srun's distribution"
mkdir "$work/a b"
timeout 600 "$chorale" submit "$work/a b/r.db" -P 4 --ppn 2 --dry-run \
    2>"$work/err.txt"
is $? 2 "a path that a script would split is refused"
err=$(timeout 600 "$chorale" submit "$db" -c bcast -m 8 -P 4 --ppn 2 2>&1)
is $? 3 "without --dry-run a missing Slurm exits with 3"
[ ! -e "$db" ]
ok $? "without Slurm no database is made"

# --- limits of this Slurm
# ------------------------------------------------------
fake_slurm
sed -i 's/1001/4/' "$work/bin/scontrol"
PATH=$work/bin:$PATH
export PATH
dry -P 4 --launches 10 --time 1m --cell-time 3
is "$(grep -e '^#SBATCH --array' -e '--element' "$work/out.txt" |
    sed 's/.*\(=\|((\)\([^ ]*\).*/\2/' | tr '\n' ' ')" \
    "0-3 1 0-3 5 0-1 9 " "a MaxArraySize of 4 is honoured"

# --- nodes excluded per launch ------------------------------------------------
sed -i 's/ 4'"'"'$/ 1001'"'"'/' "$work/bin/scontrol"
for i in 1 2 3 4 5 6 7 8; do
    echo "n$i 4 main* idle"
done >"$work/nodes"
printf '%s\n' 'n9 4 main* down*' 'n10 4 main* drained' 'n11 1 main* idle' \
    'n12 4 main* idle*' 'n13 4 other idle' 'n14 4 main* reserved' \
    >>"$work/nodes"
sed -i 's/^n[678] 4 main\* idle/&~/; s/^n5 4 main\* idle/n5 4 main* allocated/' \
    "$work/nodes"
left_out() { # number of the array: print the nodes that it excludes
    sed -n 's/^#SBATCH --exclude=n\[\(.*\)\]$/\1/p' "$work/out.txt" |
        sed -n "$1p" | tr , '\n' |
        awk -F - '{ for (i = $1; i <= $NF; i++) print "n" i }'
}
rm -f "$work/asked"
dry -P 2 --launches 4
is "$?$(grep -c '^#SBATCH --array=0-0$' "$work/out.txt")" 04 \
    "four one-node launches are four arrays"
is "$(grep -c '^sinfo ' "$work/asked")" 1 "sinfo is run once"
like "$(cat "$work/out.txt")" \
    '^4 sets of elements exclude up to 4 of 8 nodes: launches' \
    "it says what is left out"
is "$({ left_out 1; left_out 2; } | sort | tr '\n' ' ')" \
    "n1 n2 n3 n4 n5 n6 n7 n8 " \
    "the first two arrays each exclude one half of the usable nodes"
is "$({ left_out 3; left_out 4; } | sort | tr '\n' ' ')" \
    "n1 n2 n3 n4 n5 n6 n7 n8 " "the next two arrays each exclude one half"
[ "$(left_out 1)" != "$(left_out 3)" ] && [ "$(left_out 1)" != "$(left_out 4)" ]
ok $? "the second pair excludes other halves"
left_out 1 >"$work/one.txt"
dry -P 2 --launches 4
is "$(left_out 1)" "$(cat "$work/one.txt")" \
    "the same seed excludes the same nodes"
dry -P 2 --launches 4 --seed 2
[ "$(left_out 1)" != "$(cat "$work/one.txt")" ]
ok $? "another seed excludes other nodes"
dry -P 6 --launches 2
is "$(left_out 1 | wc -l)" 2 "elements of three nodes may use six of eight"
dry -P 2,8 --launches 4 --one-launch-per-p
is "$(script '4x2-from5.sh' | grep -c -e --exclude -e '--array=0-3')" 1 \
    "elements of four nodes may use all eight, in one array"
dry -P 2 --launches 40
is "$(grep -c '^#SBATCH --array=0-4$' "$work/out.txt")" 8 \
    "forty launches use the maximum of eight sets"
dry -P 2 --launches 4 --partition other
like "$(grep '^sinfo ' "$work/asked" | tail -n 1)" '--partition=other$' \
    "sinfo is run for the given partition"
any() { # what, options: no node is excluded
    what=$1
    shift
    dry -P 2 --launches 4 "$@"
    is "$?$(grep -c -e '--array=0-3' -e --exclude "$work/out.txt")" 01 \
        "$what: no node is excluded"
}
any "--any-nodes" --any-nodes
like "$(cat "$work/out.txt")" '^    --element .* --any-nodes' \
    "--any-nodes is passed to the jobs"
echo 'spread = no' >"$work/site.txt"
any "a site file with spread = no" --site "$work/site.txt"
grep -q -- '--element .* --any-nodes' "$work/out.txt"
ok $? "--any-nodes of the site file is passed to the jobs"
any "--constraint" --constraint fast
like "$(cat "$work/out.txt")" '^--constraint selects the nodes, so elements' \
    "it says why"
any "--reservation" --reservation r
any "--switches" --switches 1
for option in --nodelist=n1 --nodel=n1 --gres=gpu:1 --contiguous --mem=0; do
    echo "option = $option" >"$work/site.txt"
    any "a site file with $option" --site "$work/site.txt"
done
echo 'option = --exclude=n2' >"$work/site.txt"
dry -P 2 --launches 4 --site "$work/site.txt"
is "$(grep '^#SBATCH --[ea].*=.*[0-9]$' "$work/out.txt" | tr '\n' ' ')" \
    "#SBATCH --array=0-3 #SBATCH --exclude=n2 #SBATCH --exclude=n2 " \
    "nodes are not excluded besides those of the site file"
mv "$work/bin/sinfo" "$work/bin/quiet"
fake sinfo <<'END'
echo "slurm_load_partitions: Unable to contact slurm controller" >&2
exit 1
END
any "a sinfo that fails"
like "$(cat "$work/err.txt")" 'Unable to contact.*chosen by Slurm' \
    "a message passes on the words of sinfo"
mv "$work/bin/quiet" "$work/bin/sinfo"
: >"$work/nodes"

# --- Slurm accepts one array and refuses
# another---------------------------------
bin=$work/bin
cp "$bin/sbatch" "$bin/takes"
fake sbatch <<END
[ -e "$work/took" ] && { echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2
    exit 1; }
echo 4711 | tee "$work/took"
END
half() {
    timeout 600 "$chorale" submit "$work/half.db" -q -c bcast -m 8 -P 2,4 \
        --ppn 2 --launches 1 --one-launch-per-p 2>"$work/err.txt"
}
: >"$work/asked"
half
is $? 3 "an array that Slurm refuses exits with 3"
like "$(cat "$work/err.txt")" 'QOSMaxSubmitJobPerUserLimit' \
    "the error has sbatch's message"
is "$(grep '^scancel' "$work/asked")" "scancel 4711" \
    "the accepted array is cancelled"
is "$(sqlite3 "$work/half.db" "SELECT count(*) FROM element
    WHERE job_id <> ''")" 0 "no job of it is stored"
mv "$bin/takes" "$bin/sbatch"
half
is "$? $(sqlite3 "$work/half.db" "SELECT count(*), sum(job_id <> '')
    FROM element WHERE submission_id = 2")" "0 2|2" \
        "the same command again submits all elements"

# --- job without a Slurm -----------------------------------------------------
"$chorale" job "$work" 2>"$work/err.txt"
is $? 2 "job without --element or --gather exits with 2"
"$chorale" job "$work/nowhere" --element 1 2>"$work/err.txt"
is $? 3 "job with a missing folder exits with 3"

finish

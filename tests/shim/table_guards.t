#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# table_guards.t - which table is used and which are refused; settings that
# guard a program.
. "$(dirname "$0")/helpers.sh"

for name in bcasts bits mismatch cvars app skewed; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
table good
on="CHORALE_VERBOSE=1"
ours='bcast n=1024 P=2 -> binomial'
right() { # the program succeeded
    [ $status -eq 0 ] && grep -q 'wrong=0' "$work/out"
}

# Where the table is found.
place() { # place CLUSTER/PARTITION TABLE
    mkdir -p "$work/site/$1/$mpi"
    ln -sf "$work/$2.so" "$work/site/$1/$mpi/current"
}
mpi=$("$MPICC" -show 2>/dev/null | grep -qi openmpi && echo openmpi- ||
    echo mpich-)
version=$(cat >"$work/version.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(text, &n);
    puts(text);
    return 0;
}
EOF
    "$MPICC" "$work/version.c" -o "$work/version" && "$work/version" |
    sed -n '1s/^[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
mpi=$mpi$version
site="CHORALE_SITE=$work/site $on"
said() { grep -q "^chorale: table $1 of " "$work/told"; }
for name in any cluster partition; do table $name "-DDIGEST=\"$name\""; done
run 2 "$shim" $site "$work/bcasts"
right && [ "$(lines chorale:)" -eq 0 ]
ok $? "without a site table the library runs all calls silently"
place default/default any
run 2 "$shim" $site "$work/bcasts"
right && said any && [ "$(lines "$ours")" -eq 1 ]
ok $? "the site's table of the library ($mpi) is used"
place c/default cluster
place c/p partition
run 2 "$shim" $site SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=p "$work/bcasts"
right && said partition
ok $? "the partition's table precedes the cluster's"
run 2 "$shim" $site SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=q "$work/bcasts"
right && said cluster
ok $? "the cluster's table serves its other partitions"
run 2 "$shim" $site SLURM_CLUSTER_NAME=d SLURM_JOB_PARTITION=p "$work/bcasts"
right && said any
ok $? "the table for all clusters serves other clusters"
run 2 "$shim" $site CHORALE_DISPATCH="$work/cluster.so" "$work/bcasts"
right && said cluster
ok $? "CHORALE_DISPATCH overrides the site's table"
mkdir -p "$work/site/x/p/$mpi"
run 2 "$shim" $site SLURM_CLUSTER_NAME=../site/c SLURM_JOB_PARTITION=p \
    "$work/bcasts"
right && said any && [ "$(lines 'SLURM_CLUSTER_NAME: a folder')" -eq 1 ]
ok $? "a cluster's name cannot lead out of the site's folder"
run 2 "$shim" CHORALE_SITE=site $on "$work/bcasts"
right && [ "$(lines "CHORALE_SITE: 'site' is not an absolute path")" -eq 1 ]
ok $? "CHORALE_SITE has to be absolute"
(cd "$work" && run 2 "$shim" CHORALE_DISPATCH=good.so $on "$work/bcasts"
 right && [ "$(lines "CHORALE_DISPATCH: 'good.so' is not an absolute path")" \
     -eq 1 ] && [ "$(lines "$ours")" -eq 0 ])
ok $? "CHORALE_DISPATCH has to be absolute"

# An unsuitable table costs one line, and the library runs all calls. Tested on
# one rank here, on two in shim.t.
refused() { # refused TABLE REASON [VAR=VALUE...]: the line has REASON
    bad=$1
    why=$2
    shift 2
    run 1 "$shim" $on CHORALE_DISPATCH="$work/$bad.so" "$@" "$work/bcasts"
    right && [ "$(lines "^chorale: .*/$bad.so: .*$why")" -eq 1 ] &&
        [ "$(lines chorale:)" -eq 1 ]
}
table library '-DLIBRARY="Some MPI 1.0"'
table transport '-DTRANSPORT="ch4:smoke"'
table processor '-DCPU="An Abacus"'
table variables '-DVARIABLES="UCX_TLS=smoke"'
table novariable '-DVARIABLES=""'
refused library "another MPI library, 'Some MPI 1.0', here is"
ok $? "a table of another MPI library is refused"
if "$work/version" | grep -q Device:; then
    refused transport "another transport, 'ch4:smoke', here is"
    ok $? "a table of another transport is refused"
else
    skip "another transport" "the library does not state its own"
fi
if grep -q '^model name' /proc/cpuinfo; then
    refused processor "another processor, 'An Abacus', here is"
    ok $? "a table of another processor is refused"
else
    skip "another processor" "the system does not state its own"
fi
refused variables "was measured with UCX_TLS=smoke, here is no variable"
ok $? "a table measured with a variable is refused where it is unset"
refused novariable 'no variable for the transport, here is UCX_TLS=all' \
    UCX_TLS=all
ok $? "a table measured without a variable is refused where it is set"
run 2 "$shim" $on CHORALE_DISPATCH="$work/novariable.so" "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "a table measured without variables is used where all are unset"
for bad in library processor variables; do
    run 2 "$shim" $on CHORALE_ANY_SYSTEM=1 CHORALE_DISPATCH="$work/$bad.so" \
        "$work/bcasts"
    right && [ "$(lines "$ours")" -eq 1 ]
    ok $? "CHORALE_ANY_SYSTEM=1 uses such a table ($bad)"
done
table hull '-DHULL={2,2,0,1023}'
run 2 "$shim" $on CHORALE_DISPATCH="$work/hull.so" "$work/bcasts"
right && [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
    [ "$(lines 'allreduce n=4 P=2 -> recursive')" -eq 1 ]
ok $? "the library runs sizes beyond what was decided"
run 4 "$shim" $on CHORALE_DISPATCH="$work/hull.so" "$work/bcasts"
right && [ "$(lines 'P=4 -> library')" -ge 1 ] &&
    [ "$(lines 'bcast n=1024 P=4 -> binomial')" -eq 0 ] &&
    [ "$(lines 'allreduce n=4 P=4 -> recursive')" -eq 0 ]
ok $? "the library runs calls on more ranks than were measured"
table hull8 '-DHULL={8,16,0,1023}'
run 2 "$shim" $on CHORALE_DISPATCH="$work/hull8.so" "$work/bcasts"
right && [ "$(lines chorale:)" -eq 0 ] && grep -q 'chooses nothing' "$work/told"
ok $? "a table for more ranks than the program has chooses nothing"

# Damaged tables, and tables that other users may change.
table abi -DABI=999
table unnamed -DNO_TABLE
table wide && chmod o+w "$work/wide.so"
table group && chmod 664 "$work/group.so"
mkdir "$work/folder.so"
for bad in abi:interface unnamed:symbol wide:chmod group:chmod \
           folder:regular; do
    refused "${bad%%:*}" "${bad#*:}"
    ok $? "a table is refused: ${bad%%:*}"
done
if [ "$(id -u)" -eq 0 ]; then
    table alien && chown 12345 "$work/alien.so"
    refused alien 'belongs to user 12345'
    ok $? "a table of another user is refused"
else
    skip "a table of another user is refused" "needs root to make one"
fi
table inverted '-DHULL={3,2,0,1023}'
table lacks -DLACKS
table old -DABI=1
cp "$work/good.so" "$work/machine.so"
printf '\001\377' |
    dd of="$work/machine.so" bs=1 seek=18 conv=notrunc 2>/dev/null
mkdir "$work/open" && chmod 777 "$work/open"
cp "$work/good.so" "$work/open/inside.so"
refused inverted 'an empty range'
ok $? "a table with an empty range is refused"
refused lacks 'undefined symbol: nobody_has_this'
ok $? "a table with an undefined symbol is refused"
refused old 'written for table interface 1, this is [0-9]*; generate it again'
ok $? "an older table is refused"
refused machine 'not a shared object for this machine'
ok $? "a table for another machine is refused"
refused open/inside 'others may write its folder'
ok $? "a table in a folder that other users may write is refused"
chmod 1777 "$work/open"
run 2 "$shim" $on CHORALE_DISPATCH="$work/open/inside.so" "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "a table in a sticky folder is used"
for part in 1 5 10 30 60 90; do
    head -c $(($(wc -c <"$work/good.so") * part / 100)) "$work/good.so" \
        >"$work/cut.so"
    run 2 "$shim" $on CHORALE_DISPATCH="$work/cut.so" "$work/bcasts"
    said=$(lines '^chorale: .*/cut.so: ')
    if [ $said -gt 0 ]; then
        right && [ $said -eq 1 ] && [ "$(lines chorale:)" -eq 1 ]
    else # the loader needs none of the missing part
        right && [ "$(lines "$ours")" -eq 1 ]
    fi
    ok $? "a table cut to $part % is used or refused, and does no harm"
done
for params in segsize=-1 segsize=99999999999999999999999 segsize=1e9 \
              segsize=9223372036854775807 segsize= segsize=0x10 =5 ,,; do
    table insane '-DVARIANT="chain"' "-DPARAMS=\"$params\""
    run 2 "$shim" $on CHORALE_DISPATCH="$work/insane.so" "$work/bcasts"
    right && [ "$(lines "choice 'chain:$params' is left to the library")" \
        -eq 1 ] && [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ]
    ok $? "the library runs a choice with an invalid parameter ($params)"
done
for how in NOTHING BEYOND; do
    table astray -D$how
    run 2 "$shim" $on CHORALE_DISPATCH="$work/astray.so" "$work/bcasts"
    right && [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
        [ "$(lines 'allreduce n=4 P=2 -> recursive_doubling')" -eq 1 ]
    ok $? "the library runs a call if a selector's choice is invalid: $how"
done
table unknown '-DVARIANT="nonesuch"'
table params '-DPARAMS="bogus=1"'
for bad in unknown params; do
    run 2 "$shim" $on CHORALE_DISPATCH="$work/$bad.so" "$work/bcasts"
    right && [ "$(lines "^chorale: .*/$bad.so: choice .* left to the library")" \
        -eq 1 ] && [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
        [ "$(lines 'allreduce n=4 P=2 -> recursive_doubling')" -eq 1 ]
    ok $? "the library runs an invalid choice ($bad); other choices stay"
done
table measured '-DSCATTER="resilient"'
run 2 "$shim" $on CHORALE_DISPATCH="$work/measured.so" "$work/app"
right && [ "$(lines "^chorale: .*/measured.so: choice 'resilient' is left to the \
library: scatter resilient is never selected")" -eq 1 ] &&
    [ "$(lines 'scatter .* -> resilient')" -eq 0 ] &&
    [ "$(lines 'scatter .* -> library')" -gt 0 ] &&
    [ "$(lines 'scatter .* -> binomial')" -gt 0 ]
ok $? "a table cannot choose an unselectable variant"
run 2 "$shim" $on CHORALE_FORCE=scatter=resilient "$work/app"
right && [ "$(lines "^chorale: CHORALE_FORCE: 'scatter=resilient' .* is never \
selected")" -eq 1 ] && [ "$(lines '-> resilient')" -eq 0 ]
ok $? "CHORALE_FORCE cannot choose an unselectable variant"
table native '-DPROVIDER="native"'
run 2 "$shim" $on CHORALE_DISPATCH="$work/native.so" "$work/bcasts"
right && [ "$(lines 'bcast n=1024 P=2 -> library')" -eq 1 ] &&
    [ "$(lines 'left to the library')" -eq 0 ]
ok $? "the library runs a choice of a native algorithm by its default"

# The shim sets no control variable of the library.
run 2 "" "$work/cvars"
plain=$(grep '^cvars: [0-9a-f]* of' "$work/out")
if [ -n "$plain" ] && [ $status -eq 0 ]; then
    run 2 "$shim" $on CHORALE_DISPATCH="$work/native.so" CHORALE_AFTER=1 \
        "$work/cvars"
    right && [ "$plain" = "$(grep '^cvars: [0-9a-f]* of' "$work/out")" ] &&
        [ "$(lines 'allreduce .*-> recursive')" -eq 1 ]
    ok $? "control variables and environment stay as they were"
else # Open MPI 4.1: those of components that it has closed
    skip "control variables" "the library itself does not survive reading all"
fi

# CHORALE_CHECK.
run 2 "$shim" CHORALE_CHECK=1 "$work/mismatch" none
right && [ "$(lines chorale:)" -eq 0 ]
ok $? "CHORALE_CHECK is silent for a right program without a table"
for P in 2 3; do
    run $P "$shim" $on CHORALE_CHECK=1 CHORALE_DISPATCH="$work/good.so" \
        "$work/app"
    right && [ "$(lines CHORALE_CHECK)" -eq 0 ] &&
        [ "$(lines "bcast n=4 P=$P -> linear")" -ge 1 ]
    ok $? "CHORALE_CHECK is silent for a right program with a table, P=$P"
done
check() { # check WHAT LINE
    run 2 "$shim" $on CHORALE_CHECK=1 CHORALE_DISPATCH="$work/good.so" \
        "$work/mismatch" "$1"
    [ "$(lines "CHORALE_CHECK: on a communicator of 2 ranks rank 0 and rank 1 \
do not agree: $2; the call goes to the library")" -eq 1 ] &&
        [ "$(lines CHORALE_CHECK)" -eq 1 ] && [ "$(lines '-> ')" -eq 0 ]
    ok $? "CHORALE_CHECK reports a different $1"
}
check root 'bcast, root 0, 16 bytes of MPI_INT here, bcast, root 1, .* there'
check count 'bcast, root 0, 16 bytes .* here, bcast, root 0, 32 bytes .* there'
check type 'bcast, .* of MPI_INT here, bcast, .* of MPI_FLOAT there'
check op 'allreduce, MPI_SUM, .* here, allreduce, MPI_MAX, .* there'
check collective 'bcast, .* here, reduce, root 0, MPI_SUM, .* there'
check block 'gather, root 0, 16 bytes .* here, gather, root 0, 8 bytes .*'
check negative 'bcast, .* here, bcast, root 0, an invalid count or type.* there'
if "$MPICC" -DLARGE "$top_srcdir/tests/shim/programs/mismatch.c" -o "$work/large" \
    2>/dev/null; then
    for name in Gatherv Scatterv Allgatherv Reduce_scatter Alltoallv; do
        echo "int MPI_${name}_c(void) { return 12; } /* MPI_ERR_ARG */"
    done >"$work/tells.c"
    $CC -shared -fPIC "$work/tells.c" -o "$work/tells.so"
    run 2 "$shim $work/tells.so" $on CHORALE_CHECK=1 \
        CHORALE_DISPATCH="$work/good.so" "$work/large" absent
    wrong='a block of an invalid count or type here, a block of'
    right && [ "$(lines ": gatherv, .*, $wrong 16 bytes there")" -eq 1 ] &&
        [ "$(lines ": scatterv, .*, $wrong 0 bytes there")" -eq 1 ]
    ok $? "CHORALE_CHECK reports a null array of large counts"
else
    skip "a null array of large counts" "the library lacks large counts"
fi
run 2 "$shim" $on CHORALE_CHECK=0 CHORALE_DISPATCH="$work/good.so" \
    "$work/mismatch" type
[ "$(lines CHORALE_CHECK)" -eq 0 ]
ok $? "CHORALE_CHECK=0 compares nothing"

# CHORALE_DETERMINISTIC.
for P in 2 5; do
    for force in ring rabenseifner recursive_doubling; do
        sums=
        for again in 1 2; do
            run $P "$shim" $on CHORALE_DETERMINISTIC=1 \
                CHORALE_FORCE=allreduce=$force "$work/bits"
            right && [ "$(lines "allreduce .*-> $force")" -eq 1 ] &&
                sums=$sums$(grep '^sum ' "$work/out" | sort -u)' '
        done
        [ "$(echo $sums | tr ' ' '\n' | grep -v sum | sort -u | wc -l)" -eq 1 ]
        ok $? "CHORALE_DETERMINISTIC: equal bits in all runs, $force, P=$P"
    done
done
table shaped -DSHAPED
run 2 "$shim" $on CHORALE_DISPATCH="$work/shaped.so" "$work/bcasts"
right && [ "$(lines 'bcast n=1024 P=2 -> linear')" -eq 1 ]
ok $? "a table may choose by the placement of ranks"
run 2 "$shim" $on CHORALE_DETERMINISTIC=1 CHORALE_DISPATCH="$work/shaped.so" \
    "$work/bcasts"
right && [ "$(lines "$ours")" -eq 1 ]
ok $? "CHORALE_DETERMINISTIC takes the choice for an unknown placement"

# CHORALE_MAX_SCRATCH.
took() {
    sed -n 's/^chorale: of all ranks, .* for calls: \([0-9]*\) bytes;.*/\1/p' \
        "$work/told"
}
force=CHORALE_FORCE=allreduce=recursive_doubling
run 2 "$shim" $on $force CHORALE_AFTER=1 "$work/bits"
right && [ "$(lines 'allreduce n=4000 P=2 -> recursive_doubling')" -eq 1 ] &&
    took=$(took) && [ "$took" -ge 4000 ] && [ "$took" -le 20000 ]
ok $? "CHORALE_VERBOSE reports the scratch memory used: $took bytes"
run 2 "$shim" $on $force CHORALE_AFTER=1 CHORALE_MAX_SCRATCH=1K "$work/bits"
right && [ "$(lines 'allreduce n=4000 P=2 -> library')" -eq 1 ] &&
    took=$(took) && [ "$took" -le 1024 ]
ok $? "the library runs a call that needs more than CHORALE_MAX_SCRATCH"
run 2 "$shim" $on $force CHORALE_AFTER=1 CHORALE_MAX_SCRATCH=64K "$work/bits"
right && [ "$(lines 'allreduce n=4000 P=2 -> recursive_doubling')" -eq 1 ]
ok $? "a variant runs a call that needs less"
for bad in 64m '' x 99999999999G; do
    run 2 "$shim" $on $force CHORALE_MAX_SCRATCH="$bad" "$work/bits"
    right && [ "$(lines "CHORALE_MAX_SCRATCH: '$bad' is not a number")" -eq \
        "$([ -n "$bad" ] && echo 1 || echo 0)" ] &&
        [ "$(lines 'allreduce .*-> recursive_doubling')" -eq 1 ]
    ok $? "CHORALE_MAX_SCRATCH='$bad' is ignored"
done

program shares -lpthread
# CHORALE_MAX_SCRATCH is a limit per process: 1 MiB for reductions that need
# 128 KiB, on eight communicators at once. Shares are 256 KiB, 192, 144, 108
# and so on.
ours='allreduce n=131072 P=2 -> recursive_doubling'
run 2 "$shim" $on $force CHORALE_AFTER=1 CHORALE_MAX_SCRATCH=1M "$work/shares"
if [ $status -eq 77 ]; then
    skip "eight threads" "no threads"
else
    right && [ "$(lines "$ours")" -eq 4 ] &&
        [ "$(lines 'n=131072 P=2 -> library$')" -eq 5 ]
    ok $? "eight threads stay within the limit: the shares of three suffice"
    took=$(took) && [ "$took" -ge 393216 ] && [ "$took" -le 1048576 ]
    ok $? "the report adds up all threads: $took bytes"
    run 2 "$shim" $on $force CHORALE_AFTER=1 "$work/shares"
    right && [ "$(lines "$ours")" -eq 9 ]
    ok $? "with the default limit variants run on all communicators"
fi
run 2 "$shim" $on $force CHORALE_AFTER=1 CHORALE_MAX_SCRATCH=256K \
    "$work/shares" alone
right && [ "$(lines "$ours")" -eq 9 ] && took=$(took) &&
    [ "$took" -ge 131072 ] && [ "$took" -le 262144 ]
ok $? "without threads each communicator may use the limit: $took bytes"

# The report at the end gives the maximum over all ranks.
most='^chorale: of all ranks, rank 2 took the most memory for calls: [0-9]{6}'
most="$most bytes; rank 1 held the most private communicators at once: 5\$"
run 4 "$shim" $on CHORALE_FORCE=reduce=binomial,bcast=linear CHORALE_AFTER=1 \
    "$work/skewed"
right && [ "$(grep -cE "$most" "$work/told")" -eq 1 ] &&
    [ "$(grep -c 'took' "$work/told")" -eq 1 ]
ok $? "one line reports the ranks with the most memory and communicators"
set="LD_PRELOAD=$with CHORALE_AFTER=1"
set="$set CHORALE_FORCE=reduce=binomial,bcast=linear"
run_apart 4 0 "$set $on" "$set" "$work/skewed"
right && [ "$(grep -cE "$most" "$work/told")" -eq 1 ]
ok $? "so it is if only some ranks have CHORALE_VERBOSE"
run 4 "$shim" CHORALE_FORCE=reduce=binomial,bcast=linear CHORALE_AFTER=1 \
    "$work/skewed"
right && ! [ -s "$work/told" ]
ok $? "without CHORALE_VERBOSE the report is omitted"

# All ranks end, and so does the launcher. Open MPI 4.1's launcher is killed:
# it hangs in a third of such launches, also without the shim.
living() { ps -eo args= | grep -c "^$work/skewed abort"; }
timeout -k 10 600 "$MPIEXEC" -n 4 env LD_PRELOAD="$(preload_for 4 "$shim")" \
    $on "$work/skewed" abort >"$work/out" 2>"$work/err" </dev/null &
launcher=$!
came=no
for tick in $(seq 3000); do
    if [ "$(living)" -gt 0 ]; then
        came=yes
    elif [ $came = yes ] || ! kill -0 $launcher 2>/dev/null; then
        break
    fi
    sleep 0.2
done
[ "$(living)" -eq 0 ]
gone=$?
"$MPICC" -show 2>/dev/null | grep -qi openmpi && kill $launcher 2>/dev/null
wait $launcher 2>/dev/null
status=$?
[ $gone -eq 0 ] && [ $status -ne 0 ] && [ $status -ne 124 ]
ok $? "all ranks end when one aborts while others wait ($status)"
finish

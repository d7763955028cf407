#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks are bound to cores where that can be, and the launch records what was
# asked and what the ranks found.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cores=$("$top_builddir/chorale-runner" --cores) || skip_all "no runner"
[ "$cores" -ge 2 ] || skip_all "one core, or this test is itself bound"
cd "$work" || exit 99
export CHORALE_MPIEXEC="$MPIEXEC"
unset HYDRA_BINDING OMPI_MCA_hwloc_base_binding_policy
unset PRTE_MCA_hwloc_default_binding_policy
"$MPIEXEC" --version 2>&1 | grep -q -i 'open.\?mpi\|OpenRTE' && open=1 || open=0
export OMPI_MCA_rmaps_base_oversubscribe=1
unset PRTE_MCA_rmaps_default_mapping_policy # Open MPI 5 binds no rank with it

fact() { # database, key
    sqlite3 "$1" "SELECT value FROM environment WHERE key = '$2'"
}
campaign() { # database, ranks, options of plan: plan one small cell
    db=$1
    ranks=$2
    shift 2
    "$chorale" plan "$db" -P "$ranks" -m 8 -c bcast --providers library \
        --launches 1 -i 3 -q "$@" 2>/dev/null
}
run() { # words before chorale, "--", database and options
    before=
    while [ "$1" != -- ]; do before="$before $1"; shift; done
    shift
    # shellcheck disable=SC2086 # words
    timeout 300 $before "$chorale" run "$@" >out.txt 2>err.txt
}

campaign two.db 2
run -- two.db
is "$? $(fact two.db binding_request) $(fact two.db binding)" \
    "0 core own processors" "two ranks on two cores are bound to them"
# Only hwloc can tell which processors are a core.
each='processors [0-9]+'
if "$chorale" --version | grep -q hwloc=yes; then
    each='.*, cores [0-9]+, .*'
fi
like "$(fact two.db binding:0)/$(fact two.db binding:1)" \
    "^bound: $each/bound: $each\$" "each rank is bound to one core"
is "$(grep -c 'did not bind' out.txt)" 0 "run has no remark on bound ranks"

campaign loose.db 2
run -- loose.db --no-bind
is "$? $(fact loose.db binding_request)" "0 none: --no-bind" \
    "with --no-bind the launcher is not asked"
if [ $open = 0 ]; then
    like "$(fact loose.db binding)" '^free: 2 of 2 ranks' \
        "then Hydra leaves the ranks free"
else
    skip "Open MPI binds two ranks by itself" "ranks stay free"
fi

campaign many.db $((cores + 1))
run env LD_PRELOAD="$top_builddir/tests/mpi/.libs/libyield.so" \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe -- many.db
is "$? $(fact many.db binding_request)" \
    "0 none: $((cores + 1)) ranks a node on $cores cores" \
    "more ranks than cores are not bound"

if command -v taskset >/dev/null 2>&1; then
    cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
    campaign part.db 1
    run taskset -c "$cpu" -- part.db --no-bind
    is $? 0 "a launch on one processor runs with --no-bind"
    campaign part2.db 1
    run taskset -c "$cpu" -- part2.db
    is "$? $(fact part2.db binding_request)" \
        "0 none: chorale itself is bound to some processors, as by taskset" \
        "a bound chorale does not ask the launcher to bind"
    like "$(fact part2.db binding:0)" \
        "^bound: processors $cpu(,|\$)" \
        "its rank stays on the processor of chorale"
else
    skip "no taskset" "a bound chorale"
fi

own="$MPIEXEC -n {P}"
campaign own.db 2 --launcher-cmd "$own"
run -- own.db --launcher-cmd "$own"
is "$? $(fact own.db binding_request) $(fact own.db env:HYDRA_BINDING)" \
    "0 none: --launcher-cmd has its own options " \
    "a launcher command of the user is left as it is"

campaign user.db 2
run env HYDRA_BINDING=none OMPI_MCA_hwloc_base_binding_policy=none \
    PRTE_MCA_hwloc_default_binding_policy=none -- user.db
is "$? $(fact user.db binding_request)" "0 core" "the user's variable overrides"
like "$(fact user.db binding)" '^free: 2 of 2' "then the ranks are free"
like "$(cat out.txt)" 'the launcher did not bind ranks .* in 1 of 1 launches' \
    "run remarks that ranks are not bound as asked"

# srun gets an option; the processors of a node are those of the job.
mkdir bin
cat >bin/srun <<END
#!/bin/sh
echo "\$*" >"$work/srun.txt"
while [ "\${1#--}" != "\$1" ]; do shift; done
exec "$MPIEXEC" -n 2 "\$@"
END
chmod +x bin/srun
for nodes in '2(x2)' '8,1'; do
    rm -f slurm.db srun.txt
    campaign slurm.db 2 --launcher srun
    run env PATH="$work/bin:$PATH" SLURM_JOB_CPUS_PER_NODE="$nodes" -- slurm.db
    asked=$(grep -c -e '--cpu-bind=cores' srun.txt)
    case $nodes in
    '8,1') is "$asked $(fact slurm.db binding_request)" \
        "0 none: 2 ranks a node on 1 core" \
        "srun is not asked if a node of the job has too few processors" ;;
    *) is "$asked $(fact slurm.db binding_request)" "1 core" \
        "srun is asked to bind ranks" ;;
    esac
done

if "$chorale" --version | grep -q simgrid=yes; then
    platform net.xml 1 1000000000 4
    "$chorale" plan sim.db -P 4 -m 8 -c bcast --providers library -q \
        --launcher smpirun --platform net.xml
    run -- sim.db
    is "$? $(fact sim.db binding_request)" "0 none: simulated ranks" \
        "simulated ranks are not bound"
else
    skip "no SimGrid" "simulated ranks are not bound"
fi
for verb in tune validate ab compare replicate; do
    like "$("$chorale" $verb --help)" '--no-bind' "$verb has --no-bind"
done
finish

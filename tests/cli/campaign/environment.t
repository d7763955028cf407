#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a launch records of its environment, what it must not record, and what
# doctor makes of the same facts: on this machine, on invented ones
# (CHORALE_SYSROOT) and under launchers that tell stories.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cd "$work" || exit 99

fact() { # database, key
    sqlite3 "$1" "SELECT group_concat(DISTINCT value) FROM environment
        WHERE key = '$2'"
}

# The compilers that make tells the MPI wrappers.
unset MPICH_CC OMPI_CC
export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial UCX_TLS=all
export MPIR_CVAR_BCAST_MIN_PROCS=5
export OMPI_MCA_orte_precondition_transports=0123-secret UCX_FROB=secret2
export SLURM_JOB_PARTITION=short SLURM_JWT=secret3 MY_PASSWORD=secret4
export OMPI_MCA_coll_tuned_use_dynamic_rules=0
"$chorale" plan r.db -P 2 -m 8 -c bcast --variants linear --launches 2 -i 3 \
    --seed 42 -q
timeout 900 "$chorale" run r.db -q --hang 50
ok $? "a campaign runs"
launches=2
for key in mpi_library mpi_standard transport mpi_defaults nodes host:0 ranks \
    ranks_per_node oversubscribed binding:0 binding:1 binding_source \
    cpu_model kernel processors virtual_machine load_before load_after \
    clock_residual_s clock_resolution_s compiler compiler_flags tool_version \
    tool_revision tool_options command run_command launcher_command seed \
    campaign_seed sync env:UCX_TLS env:SLURM_JOB_PARTITION; do
    is "$(sqlite3 r.db "SELECT count(*) FROM environment
        WHERE key = '$key' AND value <> ''")" $launches \
        "every launch tells its $key"
done
is "$(fact r.db campaign_seed)" 42 "the seed is the plan's"
like "$(fact r.db run_command)" '^chorale run r.db -q --hang 50' \
    "the command line of chorale is kept"
like "$(fact r.db launcher_command)" "^$MPIEXEC -n 2 .*chorale-runner" \
    "and that of the launcher"
like "$(fact r.db binding:0)" '^(free|bound): processors [0-9]' \
    "a binding names processors"
case $(fact r.db mpi_library) in
*MPICH*)
    like "$(fact r.db transport)" '^ch[34]' "the transport is the device's"
    is "$(fact r.db mpi:MPIR_CVAR_BCAST_MIN_PROCS)" 5 \
        "a control variable that is not at its default is kept"
    is "$(fact r.db mpi_defaults)" "asked in an empty environment" \
        "because the defaults were asked for"
    is "$(fact r.db mpi:MPIR_CVAR_REDUCE_INTRA_ALGORITHM)" "" \
        "and one that is, is not"
    n=$(sqlite3 r.db "SELECT count(*) / 2 FROM environment
        WHERE key LIKE 'mpi:%'")
    is "$n" "$(env | grep -c '^MPIR_CVAR_')" "no others are"
    "$chorale" plan nodes.db -P 2 --ppn 1 -m 8 -c bcast --variants linear \
        --launches 1 -i 3 -q
    MPIR_CVAR_NUM_CLIQUES=2 timeout 900 "$chorale" run nodes.db -q
    is "$(fact nodes.db nodes)" 2 "nodes are what MPI_Comm_split_type says" ;;
*) skip "not MPICH" "control variables" ;;
esac
is "$(sqlite3 r.db .dump | grep -c 'secret')" 0 "nothing else gets in"
is "$(fact r.db variables_not_recorded | tr ',' '\n' | sort | tr '\n' ' ')" \
    "OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_orte_precondition_transports UCX_FROB " \
    "but the names of what looks like MPI's are told"
is "$(sqlite3 r.db "SELECT count(*) FROM environment
    WHERE key LIKE 'env:OMPI_%' OR key LIKE 'env:MY_%'")" 0 \
    "a name that is not listed is not recorded"
is "$(sqlite3 r.db "SELECT DISTINCT host_map FROM launch")" 0,0 \
    "the host map is the launch's"
revision=$(git -C "$top_srcdir" rev-parse --short=12 HEAD 2>/dev/null)
case $(git -C "$top_srcdir" rev-parse --show-toplevel 2>/dev/null) in
"$(cd "$top_srcdir" && pwd -P)")
    like "$(fact r.db tool_revision)" "$revision(-dirty)?\$" \
        "the revision is git's" ;;
*) skip "not a git tree" "the revision is git's" ;;
esac
unset MPIR_CVAR_BCAST_INTRA_ALGORITHM MPIR_CVAR_BCAST_MIN_PROCS

# The flags of make, and what may be left of others.
flags=$("$chorale" --version | sed -n 's/^compiler: [^ ]* *//p')
is "$(fact r.db compiler_flags)" "$flags" "the flags are those of make: $flags"
sh "$top_srcdir/db/flags.sh" flags.inc -O3 '-DNAME="a\b"'
is "$(cat flags.inc)" '"-O3 -DNAME=\"a\\b\""' "flags become a C string"
touch -d 2001-01-01 flags.inc
sh "$top_srcdir/db/flags.sh" flags.inc -O3 '-DNAME="a\b"'
is "$(find flags.inc -newermt 2002-01-01)" "" \
    "the same ones leave the file alone"
sh "$top_srcdir/db/flags.sh" flags.inc -O0
is "$(cat flags.inc)" '"-O0; in part -O3 -DNAME=\"a\\b\""' \
    "objects that were compiled with others are not hidden"

# The load of every node, before and after: two ranks, on invented machines.
skew=$top_builddir/tests/mpi/.libs/libskew.so
if [ -r "$skew" ] && "$chorale" --version | grep -q sanitizer=no; then
    for i in 0 1; do
        mkdir -p root$i/proc
        echo "$i.25 0.00 0.00 1/100 1234" >root$i/proc/loadavg
    done
    cat >node <<EOF
#!/bin/sh
export CHORALE_SYSROOT=$work/root\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}
export CHORALE_SKEW="0 0 0"
LD_PRELOAD=$skew exec "\$@"
EOF
    chmod +x node
    "$chorale" plan l.db -P 2 --ppn 1 -m 8 -c bcast --providers library -q \
        --launches 1 -i 3 --launcher-cmd "$MPIEXEC -n {P} $work/node"
    timeout 900 "$chorale" run l.db -q \
        --launcher-cmd "$MPIEXEC -n {P} $work/node" 2>err.txt
    ok $? "a campaign on two nodes runs"
    for when in before after; do
        like "$(fact l.db load_$when) $(fact l.db host:1:load_$when)" \
            '^0.25 .* 1.25 ' "the load $when it of both is told"
    done
else
    skip "no preload" "the load of every node"
fi

# The revision says that files differ, in a repository of its own.
if command -v git >/dev/null 2>&1; then
    mkdir -p src/db && (cd src && git init -q . && echo 1 >file &&
        git add file && git -c user.name=t -c user.email=t@t commit -qm 1)
    sh "$top_srcdir/db/revision.sh" src revision.inc
    like "$(cat revision.inc)" '^"[0-9a-f]{12}"$' "a clean tree is its commit"
    echo 2 >src/file
    sh "$top_srcdir/db/revision.sh" src revision.inc
    like "$(cat revision.inc)" '^"[0-9a-f]{12}-dirty"$' "a changed one is dirty"
    rm -rf src/.git && echo '"0123456789ab-dirty"' >src/db/revision.dist
    sh "$top_srcdir/db/revision.sh" src revision.inc
    is "$(cat revision.inc)" '"0123456789ab-dirty"' \
        "a tarball says what it was made from"
    rm src/db/revision.dist
    sh "$top_srcdir/db/revision.sh" src revision.inc
    is "$(cat revision.inc)" '"unknown"' "other sources are unknown"
else
    skip "no git" "revisions"
fi

# --- doctor: this machine's files, invented --------------------------------

machine() { # governors of two processors, load, flags
    rm -rf root
    for i in 0 1; do
        mkdir -p "root/sys/devices/system/cpu/cpu$i/cpufreq"
        echo "$1" | cut -d, -f$((i + 1)) \
            >"root/sys/devices/system/cpu/cpu$i/cpufreq/scaling_governor"
    done
    echo 2400000 >root/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
    mkdir -p root/proc/sys/kernel
    echo "$2 0.00 0.00 1/100 1234" >root/proc/loadavg
    printf 'model name\t: Invented 9000\nflags\t\t: fpu %s\n' "$3" \
        >root/proc/cpuinfo
    echo "${4:-2}" >root/proc/sys/kernel/perf_event_paranoid
}
bound=$work/bound
printf '#!/bin/sh\nexec %s %s "$@"\n' "$MPIEXEC" \
    "$("$MPIEXEC" --version 2>&1 | grep -q -i 'open.\?mpi\|OpenRTE' &&
        echo '--bind-to core' || echo '-bind-to core')" >"$bound"
chmod +x "$bound"
doctor() { # launcher, options...
    launcher=$1
    shift
    CHORALE_SYSROOT=$work/root CHORALE_MPIEXEC=$launcher timeout 900 \
        "$chorale" doctor "$@" >out.txt 2>err.txt
}
warns() { # pattern, name
    is "$(grep -c "WARNING: .*$1" out.txt)" 1 "doctor warns of $2"
}

cores=$(getconf _NPROCESSORS_ONLN)
if [ "$cores" -ge 2 ]; then
    machine performance,performance 0.01 sse
    doctor "$bound"
    ok $? "doctor on a good machine"
    is "$(grep WARNING out.txt)" "" "has nothing to warn of"
    like "$(cat out.txt)" '^binding +all ranks are bound' "the ranks are bound"
    machine performance,powersave 7.30 'sse hypervisor'
    doctor "$MPIEXEC"
    ok $? "doctor on a bad one"
    warns 'performance,powersave' "one processor's governor"
    warns '7.3 processes' "other load"
    warns 'virtual' "a virtual machine"
    warns '2 of 2 ranks are not bound' "ranks that are not bound"
else
    skip "one processor" "doctor on invented machines"
fi
machine performance,performance 0.01 sse 4
doctor "$bound" -P $((cores + 1))
warns "oversubscribed: $((cores + 1)) ranks" "more ranks than processors"
if "$chorale" --version | grep -q papi=yes; then
    like "$(cat out.txt)" 'perf_event_paranoid is 4' \
        "and tells that hardware events are for the privileged"
fi
MPIR_CVAR_BCAST_MIN_PROCS=5 doctor "$bound"
if grep -q '^transport *ch[34]' out.txt; then
    like "$(cat out.txt)" 'MPIR_CVAR_BCAST_MIN_PROCS = 5' \
        "a control variable that is not at its default is shown"
fi

# --- doctor: clusters, told by a launcher ----------------------------------

cat >story <<'EOF'
#!/bin/sh
cat "$STORY"
EOF
chmod +x story
tell() { # KEY VALUE lines on standard input
    sed 's/^/@env /' >story.txt
    STORY=$work/story.txt CHORALE_MPIEXEC=$work/story timeout 900 \
        "$chorale" doctor -P 4 >out.txt 2>err.txt
}
good='ranks 4
ranks_per_node 2
processors 2
processors_usable 1
oversubscribed no
nodes 2
binding:0 bound: processors 0
binding:3 bound: processors 1
cpu_governor performance
virtual_machine no
load_before 0.10 0.1 0.1 1/2 3'
tell <<EOF
$good
clock_residual_s 1e-7
message_alpha_s 2e-6
EOF
ok $? "two nodes whose clocks agree"
is "$(grep WARNING out.txt)" "" "are no reason to warn"
tell <<EOF
$good
clock_residual_s 5e-5
message_alpha_s 2e-6
clock_disciplined yes
host:1:clock_disciplined no
host:1:cpu_governor ondemand
host:1:load_before 9.50 0.1 0.1 1/2 3
EOF
warns "clocks are 50 us apart.*takes 2 us.*no NTP" "clocks that do not agree"
warns "host:1:cpu_governor: ondemand" "another node's governor"
warns "host:1:load_before: 9.5 processes" "another node's load"
printf 'ranks 1\nprocessors 2\n' | tell
is $? 3 "a launcher whose ranks are alone: exit 3"
like "$(cat out.txt)" 'FAILS: .*belongs to another MPI' "and it is said"
like "$(cat err.txt)" '^chorale: real measurements are not possible' \
    "in one line"
CHORALE_SYSROOT=$work/root CHORALE_MPIEXEC=$work/none "$chorale" doctor \
    >out.txt 2>err.txt
is $? 3 "no launcher: exit 3"
like "$(cat out.txt)" '^processors +[0-9]' "and this node is judged all the same"
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The environment recorded by a launch, data that must not be recorded, and
# doctor, which judges the same facts: on this machine, on fake ones
# (CHORALE_SYSROOT) and with launchers that print invented facts.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cd "$work" || exit 99

fact() { # database, key
    sqlite3 "$1" "SELECT group_concat(DISTINCT value) FROM environment
        WHERE key = '$2'"
}

# The compilers that make passes to the MPI wrappers.
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
    ranks_per_node oversubscribed binding binding:0 binding:1 binding_source \
    binding_request \
    cpu_model kernel processors virtual_machine load_before load_after \
    clock_residual_s clock_resolution_s compiler compiler_flags tool_version \
    tool_revision tool_options command run_command launcher_command seed \
    campaign_seed sync env:UCX_TLS env:SLURM_JOB_PARTITION; do
    is "$(sqlite3 r.db "SELECT count(*) FROM environment
        WHERE key = '$key' AND value <> ''")" $launches \
        "every launch stores $key"
done
is "$(fact r.db campaign_seed)" 42 "the seed is that of the plan"
like "$(fact r.db run_command)" '^chorale run r.db -q --hang 50' \
    "the command line of chorale is stored"
like "$(fact r.db launcher_command)" "^$MPIEXEC -n 2 .*chorale-runner" \
    "the command line of the launcher is stored"
like "$(fact r.db binding:0)" '^(free|bound): processors [0-9]' \
    "a binding names processors"
case $(fact r.db mpi_library) in
*MPICH*)
    like "$(fact r.db transport)" '^ch[34]' \
        "the transport is that of MPICH's device"
    is "$(fact r.db mpi:MPIR_CVAR_BCAST_MIN_PROCS)" 5 \
        "a control variable that differs from its default is stored"
    is "$(fact r.db mpi_defaults)" "asked in an empty environment" \
        "defaults were determined in an empty environment"
    is "$(fact r.db mpi:MPIR_CVAR_REDUCE_INTRA_ALGORITHM)" "" \
        "a control variable at its default is not stored"
    # MPICH 4.2 without a GPU changes this one itself.
    n=$(sqlite3 r.db "SELECT count(*) / 2 FROM environment
        WHERE key LIKE 'mpi:%' AND key <> 'mpi:MPIR_CVAR_ENABLE_GPU'")
    is "$n" "$(env | grep -c '^MPIR_CVAR_')" \
        "no other control variables are stored"
    "$chorale" plan nodes.db -P 2 --ppn 1 -m 8 -c bcast --variants linear \
        --launches 1 -i 3 -q
    MPIR_CVAR_NUM_CLIQUES=2 timeout 900 "$chorale" run nodes.db -q
    is "$(fact nodes.db nodes)" 2 "nodes are those of MPI_Comm_split_type" ;;
*Open*MPI*)
    "$chorale" plan sources.db -P 2 -m 8 -c bcast --providers library -q \
        --launches 1 -i 3
    OMPI_MCA_coll_tuned_priority=31 timeout 900 "$chorale" run sources.db -q
    is "$? $(fact sources.db mpi:coll_tuned_priority)" "0 31" \
        "a control variable from the environment is stored"
    is "$(sqlite3 sources.db "SELECT group_concat(key) FROM environment
        WHERE key LIKE 'mpi:%' AND key NOT IN ('mpi:coll_tuned_priority',
        'mpi:mpi_yield_when_idle')")" "" \
        "values that Open MPI computes are not stored" ;;
*) skip "another library" "control variables" ;;
esac
is "$(sqlite3 r.db .dump | grep -c 'secret')" 0 "no other variable is stored"
# mpiexec of Open MPI sets further variables.
names=$(fact r.db variables_not_recorded | tr ',' '\n' | sort)
case $(fact r.db mpi_library) in
*Open*MPI*) names=$(echo "$names" | grep -E '_(dynamic_rules|transports|FROB)$') ;;
esac
is "$(echo "$names" | tr '\n' ' ')" \
    "OMPI_MCA_coll_tuned_use_dynamic_rules OMPI_MCA_orte_precondition_transports UCX_FROB " \
    "names of unlisted variables that look like MPI's are stored"
is "$(sqlite3 r.db "SELECT count(*) FROM environment
    WHERE key LIKE 'env:OMPI_%' AND key NOT LIKE 'env:OMPI_MCA_rmaps_base_%'
        AND key <> 'env:OMPI_MCA_hwloc_base_binding_policy'
    OR key LIKE 'env:MY_%'")" 0 \
    "values of unlisted variables are not stored"
is "$(sqlite3 r.db "SELECT DISTINCT host_map FROM launch")" 0,0 \
    "the host map of the launch is stored"
revision=$(git -C "$top_srcdir" rev-parse --short=12 HEAD 2>/dev/null)
case $(git -C "$top_srcdir" rev-parse --show-toplevel 2>/dev/null) in
"$(cd "$top_srcdir" && pwd -P)")
    like "$(fact r.db tool_revision)" "$revision(-dirty)?\$" \
        "the revision is git's" ;;
*) skip "not a git tree" "the revision is git's" ;;
esac
unset MPIR_CVAR_BCAST_INTRA_ALGORITHM MPIR_CVAR_BCAST_MIN_PROCS

# Compiler flags from make, and objects compiled with other flags.
flags=$("$chorale" --version |
    sed -n 's/^compiler: \(ccache \)\{0,1\}[^ ]* *//p')
is "$(fact r.db compiler_flags)" "$flags" \
    "the stored flags are those of make: $flags"
sh "$top_srcdir/db/flags.sh" flags.inc -O3 '-DNAME="a\b"'
is "$(cat flags.inc)" '"-O3 -DNAME=\"a\\b\""' "flags become a C string"
touch -d 2001-01-01 flags.inc
sh "$top_srcdir/db/flags.sh" flags.inc -O3 '-DNAME="a\b"'
is "$(find flags.inc -newermt 2002-01-01)" "" \
    "unchanged flags do not rewrite the file"
sh "$top_srcdir/db/flags.sh" flags.inc -O0
is "$(cat flags.inc)" '"-O0; in part -O3 -DNAME=\"a\\b\""' \
    "objects compiled with other flags are mentioned"

# The load of every node before and after: two ranks on fake machines.
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
            '^0.25 .* 1.25 ' "the load of both nodes $when the launch is stored"
    done
else
    skip "no preload" "the load of every node"
fi

# CPU quotas: fake control groups of both versions. The runner reads them.
quota() { # root, version, quota of 100000; sets $stat
    rm -rf "$1"
    mkdir -p "$1/proc/self"
    echo '0.01 0.00 0.00 1/100 1234' >"$1/proc/loadavg"
    if [ "$2" = 1 ]; then
        dir=$1/sys/fs/cgroup/cpu/job/step
        printf '5:memory:/m\n4:cpu,cpuacct:/job/step\n0::/\n' \
            >"$1/proc/self/cgroup"
        mkdir -p "$dir"
        echo "$3" >"$dir/../cpu.cfs_quota_us"
        echo 100000 >"$dir/../cpu.cfs_period_us"
        echo -1 >"$dir/cpu.cfs_quota_us"
        echo 100000 >"$dir/cpu.cfs_period_us"
        stat=$dir/../cpu.stat
    else
        dir=$1/sys/fs/cgroup/job/step
        echo '0::/job/step' >"$1/proc/self/cgroup"
        mkdir -p "$dir"
        echo "max 100000" >"$dir/../cpu.max"
        echo "$3 100000" >"$dir/cpu.max"
        stat=$dir/cpu.stat
    fi
    printf 'nr_periods 9\nnr_throttled 7\n' >"$stat"
}
tags() { # database: distinct tags about processors
    sqlite3 "$1" "SELECT DISTINCT validity LIKE '%oversubscribed%',
        validity LIKE '%throttled%' FROM run"
}
campaign() { # database, launcher
    CHORALE_SYSROOT=$work/cg "$chorale" plan "$1" -P 2 -m 8 -c bcast -q \
        --providers library --launches 1 -i 3 2>err.txt
    CHORALE_SYSROOT=$work/cg CHORALE_MPIEXEC=$2 timeout 900 "$chorale" run \
        "$1" -q
}
over=0
[ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || over=1
for version in 1 2; do
    quota cg $version 150000
    campaign low$version.db "$MPIEXEC"
    is "$? $(fact low$version.db cpu_quota) $(tags low$version.db)" \
        "0 1.5 1|0" "v$version: a quota below the ranks is oversubscribed"
    like "$(cat err.txt)" '2 ranks on 1 processor are oversubscribed' \
        "v$version: plan warns of it"
    quota cg $version 400000
    campaign good$version.db "$MPIEXEC"
    is "$? $(fact good$version.db cpu_quota) $(fact good$version.db \
        cpu_throttled) $(tags good$version.db)" "0 4 0 $over|0" \
        "v$version: a quota above them leaves no tag"
    cat >throttle <<EOF
#!/bin/sh
n=7
while sleep 0.02; do
    n=\$((n + 1))
    echo "nr_throttled \$n" >"$work/$stat.new"
    mv "$work/$stat.new" "$work/$stat"
done &
"$MPIEXEC" "\$@"
code=\$?
kill \$!
exit \$code
EOF
    chmod +x throttle
    campaign used$version.db "$work/throttle"
    is "$? $(tags used$version.db)" "0 $over|1" \
        "v$version: a launch that used its quota up is tagged throttled"
done

# The revision marks modified files; tested in a private repository.
if command -v git >/dev/null 2>&1; then
    mkdir -p src/db && (cd src && git init -q . && echo 1 >file &&
        git add file && git -c user.name=t -c user.email=t@t commit -qm 1)
    sh "$top_srcdir/db/revision.sh" src revision.inc
    like "$(cat revision.inc)" '^"[0-9a-f]{12}"$' "a clean tree has its commit"
    echo 2 >src/file
    sh "$top_srcdir/db/revision.sh" src revision.inc
    like "$(cat revision.inc)" '^"[0-9a-f]{12}-dirty"$' \
        "a modified tree is marked dirty"
    rm -rf src/.git && echo '"0123456789ab-dirty"' >src/db/revision.dist
    sh "$top_srcdir/db/revision.sh" src revision.inc
    is "$(cat revision.inc)" '"0123456789ab-dirty"' \
        "a tarball has the revision from which it was made"
    rm src/db/revision.dist
    sh "$top_srcdir/db/revision.sh" src revision.inc
    is "$(cat revision.inc)" '"unknown"' \
        "other sources have the revision unknown"
else
    skip "no git" "revisions"
fi

# --- doctor: fake system files of this machine -----------------------------

machine() { # governors of two processors, load, flags: make fake system files
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
# Open MPI binds two ranks by default, and its option has two dashes.
"$MPIEXEC" --version 2>&1 | grep -q -i 'open.\?mpi\|OpenRTE' &&
    bind=--bind-to || bind=-bind-to
bound=$work/bound unbound=$work/unbound
printf '#!/bin/sh\nexec %s %s core "$@"\n' "$MPIEXEC" $bind >"$bound"
printf '#!/bin/sh\nexec %s %s none "$@"\n' "$MPIEXEC" $bind >"$unbound"
chmod +x "$bound" "$unbound"
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
    ok $? "doctor on a suitable machine exits with 0"
    is "$(grep WARNING out.txt)" "" \
        "doctor on a suitable machine prints no warning"
    like "$(cat out.txt)" '^binding +each rank has processors of its own' \
        "doctor reports that ranks are bound"
    # Open MPI 5 binds no rank where more ranks than cores are allowed.
    (unset PRTE_MCA_rmaps_default_mapping_policy && doctor "$MPIEXEC")
    is "$? $(grep -c '^binding .*WARNING' out.txt)" "0 0" \
        "doctor binds ranks as run does, and does not warn"
    # Some libraries abort in MPI_Finalize, after the runner's last line.
    printf '#!/bin/sh\n%s "$@"\necho Abort >&2\nexit 15\n' "$MPIEXEC" >aborts
    chmod +x aborts
    doctor "$work/aborts"
    is "$? $(sed -n 's/^launcher *//p' out.txt)" \
        "0 $work/aborts starts 2 ranks" \
        "an abort after the runner's end is no failure of the launcher"
    machine performance,powersave 7.30 'sse hypervisor'
    doctor "$unbound"
    ok $? "doctor on an unsuitable machine exits with 0"
    warns 'performance,powersave' "one processor's governor"
    warns '7.3 processes' "other load"
    warns 'virtual' "a virtual machine"
    warns 'free: 2 of 2 ranks .*asked to bind' \
        "ranks that are not bound although asked"
else
    skip "one processor" "doctor on fake machines"
fi
machine performance,performance 0.01 sse 4
# Open MPI binds no more ranks than processors.
doctor "$unbound" -P $((cores + 1))
warns "oversubscribed: $((cores + 1)) ranks" "more ranks than processors"
mkdir -p root/sys/fs/cgroup/cpu root/proc/self
echo '3:cpu:/' >root/proc/self/cgroup
echo 100000 >root/sys/fs/cgroup/cpu/cpu.cfs_quota_us
echo 100000 >root/sys/fs/cgroup/cpu/cpu.cfs_period_us
doctor "$bound"
warns 'oversubscribed: 2 ranks .*CPU quota .*worth 1 processor' "a CPU quota"
rm -r root/sys/fs/cgroup
if "$chorale" --version | grep -q papi=yes; then
    like "$(cat out.txt)" 'perf_event_paranoid is 4' \
        "doctor reports that hardware events need privileges"
fi
MPIR_CVAR_BCAST_MIN_PROCS=5 doctor "$bound"
if grep -q '^transport *ch[34]' out.txt; then
    like "$(cat out.txt)" 'MPIR_CVAR_BCAST_MIN_PROCS = 5' \
        "doctor prints a control variable that differs from its default"
fi

# --- doctor: clusters, from a fake launcher --------------------------------

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
ok $? "doctor on two nodes with synchronised clocks exits with 0"
is "$(grep WARNING out.txt)" "" "doctor on such nodes prints no warning"
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
is $? 3 "a launcher that starts singletons exits with 3"
like "$(cat out.txt)" 'FAILS: .*belongs to another MPI' \
    "doctor names the other MPI"
like "$(cat err.txt)" '^chorale: real measurements are not possible' \
    "the error is one line"
CHORALE_SYSROOT=$work/root CHORALE_MPIEXEC=$work/none "$chorale" doctor \
    >out.txt 2>err.txt
is $? 3 "a missing launcher exits with 3"
like "$(cat out.txt)" '^processors +[0-9]' \
    "without a launcher doctor still reports on this node"
finish

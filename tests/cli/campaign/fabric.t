#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two partitions, two fabrics, or one fabric used in two ways are two systems,
# whose measurements never meet; on invented machines (CHORALE_SYSROOT).
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cd "$work" || exit 99
unset UCX_TLS UCX_NET_DEVICES FI_PROVIDER I_MPI_FABRICS OMPI_MCA_btl \
    OMPI_MCA_mtl OMPI_MCA_pml PSM3_NIC MPICH_OFI_NIC_POLICY \
    MPICH_OFI_NUM_NICS MPIR_CVAR_CH4_NETMOD MPIR_CVAR_OFI_USE_PROVIDER \
    SLURM_CLUSTER_NAME SLURM_JOB_PARTITION

verbs() { # root, device, rate, link layer
    mkdir -p "$1/sys/class/infiniband/$2/ports/1"
    echo "$3" >"$1/sys/class/infiniband/$2/ports/1/rate"
    echo "$4" >"$1/sys/class/infiniband/$2/ports/1/link_layer"
}
net() { # root, interface, Mb/s
    mkdir -p "$1/sys/class/net/$2/device"
    echo "$3" >"$1/sys/class/net/$2/speed"
    echo DRIVER=x >"$1/sys/class/net/$2/device/uevent"
}
edr='100 Gb/sec (4X EDR)'
verbs ib mlx5_0 "$edr" InfiniBand
verbs ib mlx5_1 "$edr" InfiniBand
net ib eth0 10000
verbs ndr mlx5_0 '400 Gb/sec (4X NDR)' InfiniBand
verbs opa hfi1_0 '100 Gb/sec (4X EDR)' InfiniBand
verbs roce mlx5_0 '100 Gb/sec (4X EDR)' Ethernet
mkdir -p ss/sys/class/cxi/cxi0
net ss hsn0 200000
net slow eth0 1000
net fast eth0 1000
net fast eth1 25000
net down eth0 -1
mkdir -p down/sys/class/net/veth0
echo 10000 >down/sys/class/net/veth0/speed

plan() { # root, variables...
    plan_root=$1
    shift
    env CHORALE_SYSROOT="$work/$plan_root" "$@" "$chorale" plan all.db -q \
        -P 2 -m 8 -c bcast --variants linear --launches 6 --ppn 1
}
signature() { # of the newest system
    sqlite3 all.db "SELECT signature FROM system ORDER BY system_id DESC
        LIMIT 1" | sed -n 's/.*\(|fabric [^|]*\).*/\1/p'
}
count() { sqlite3 all.db "SELECT count(*) FROM system"; }
new() { # root, what its signature says, name
    plan "$1"
    had=$((had + 1))
    is "$(count) $(signature)" "$had $2" "$3"
}
had=0
new ib "|fabric InfiniBand $edr" "two devices of one kind are one fabric"
new ndr '|fabric InfiniBand 400 Gb/sec (4X NDR)' "a faster one is another"
new opa '|fabric Omni-Path 100 Gb/sec (4X EDR)' "so is Omni-Path"
new roce '|fabric RoCE 100 Gb/sec (4X EDR)' "verbs over Ethernet"
new ss '|fabric Slingshot' "Slingshot, by its device and its interface"
new slow '|fabric Ethernet 1000 Mb/s' "Ethernet"
new fast '|fabric Ethernet 25000 Mb/s' "the faster of two"
new down '' "what does not say how fast it is, or is none"
new_names=$(sqlite3 all.db "SELECT count(DISTINCT name) FROM system")
is "$new_names" "$had" "each has a name of its own"
plan ib
is "$(count)" "$had" "the same again is the same system"

plan ib FI_PROVIDER=verbs
plan ib UCX_TLS=rc,self
plan ib UCX_TLS=tcp,self
plan ib MPICH_OFI_NIC_POLICY=NUMA
had=$((had + 4))
is "$(count)" "$had" "one fabric used in four other ways"
like "$(sqlite3 all.db "SELECT signature FROM system")" \
    '\|by UCX_TLS=tcp,self$' "the signature says which"
plan ib SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=long
plan ib SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=short
had=$((had + 2))
is "$(count) $(sqlite3 all.db "SELECT group_concat(name) FROM system
    WHERE name GLOB 'c-*'")" "$had c-long,c-short" "two partitions"
is "$(sqlite3 all.db "SELECT count(*) = 2 * (SELECT count(*) FROM system)
    FROM cell")" 1 "each has cells of its own"

# What a launch records.
CHORALE_SYSROOT=$work/ib "$chorale" plan one.db -q -P 1 -m 8 -c bcast \
    --variants linear --launches 1 -i 3 &&
    CHORALE_SYSROOT=$work/ib timeout 900 "$chorale" run one.db -q 2>err
ok $? "a campaign on InfiniBand"
is "$(sqlite3 one.db "SELECT value FROM environment WHERE key = 'fabric'")" \
    "InfiniBand $edr" "its launch says so"

# A launch on another one is none of this system's: what is there stays alone.
on() { # root, database, variables...: one launch of P = 1 there
    on_root=$1 on_db=$2
    shift 2
    env CHORALE_SYSROOT="$work/$on_root" "$@" timeout 900 "$chorale" run \
        "$on_db" -q 2>err
}
more() { # the database has one launch more to make
    launches=$((launches + 1))
    CHORALE_SYSROOT=$work/ib "$chorale" plan one.db -q -P 1 -m 8 -c bcast \
        --variants linear --launches $launches -i 3
}
runs() { sqlite3 "$1" 'SELECT count(*) FROM run'; }
launches=1
more
had=$(runs one.db)
on ndr one.db
is $? 3 "a launch on a faster fabric: exit 3"
like "$(cat err)" "the fabric of the launch is 'InfiniBand 400 .*', that of earlier ones of system .* 'InfiniBand 100 .*into another database" \
    "it says which, and what to do"
is "$(wc -l <err) $(runs one.db)" "1 $had" "in one line, and nothing is stored"
on ib one.db UCX_TLS=tcp,self,sm
is $? 3 "one that uses the fabric in another way"
like "$(cat err)" "the way to use the fabric of the launch is 'UCX_TLS=tcp,self,sm', .* 'default'" \
    "it says how"
on ib one.db SLURM_JOB_PARTITION=long
ok $? "a partition, where none was told before"
[ "$(runs one.db)" -gt "$had" ]
ok $? "is measured"
more
on ib one.db SLURM_JOB_PARTITION=short
is $? 3 "another partition"
like "$(cat err)" "the partition of the launch is 'short', .* 'long'" \
    "it says which"
on ib one.db
ok $? "where nothing tells, nothing is refused"

# Nor by way of a shard.
cp one.db shard.db
sqlite3 shard.db "UPDATE launch SET uuid = lower(hex(randomblob(16)));
    UPDATE run SET uuid = lower(hex(randomblob(16)));
    UPDATE environment SET value = 'Omni-Path' WHERE key = 'fabric'"
had=$(runs one.db)
"$chorale" merge one.db shard.db -q 2>err
is $? 4 "merge: a shard of another fabric is refused"
like "$(cat err)" 'shard.db: contradicts .*: the fabric .Omni-Path. is different there.* into another database' \
    "by one line"
is "$(wc -l <err) $(runs one.db)" "1 $had" "and nothing of it is there"
"$chorale" merge two.db shard.db -q &&
    "$chorale" merge two.db shard.db -q
ok $? "into another database it can be merged, and again"
finish

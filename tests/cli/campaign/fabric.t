#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two partitions, two fabrics, or one fabric used in two ways are two systems,
# whose measurements are never mixed. Uses fake machines (CHORALE_SYSROOT).
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
cd "$work" || exit 99
unset UCX_TLS UCX_NET_DEVICES FI_PROVIDER I_MPI_FABRICS OMPI_MCA_btl \
    OMPI_MCA_mtl OMPI_MCA_pml PSM3_NIC MPICH_OFI_NIC_POLICY \
    MPICH_OFI_NUM_NICS MPIR_CVAR_CH4_NETMOD MPIR_CVAR_OFI_USE_PROVIDER \
    SLURM_CLUSTER_NAME SLURM_JOB_PARTITION

verbs() { # root, device, rate, link layer: make a fake verbs device
    mkdir -p "$1/sys/class/infiniband/$2/ports/1"
    echo "$3" >"$1/sys/class/infiniband/$2/ports/1/rate"
    echo "$4" >"$1/sys/class/infiniband/$2/ports/1/link_layer"
}
net() { # root, interface, Mb/s: make a fake network interface
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
signature() { # print the newest system's signature
    sqlite3 all.db "SELECT signature FROM system ORDER BY system_id DESC
        LIMIT 1" | sed -n 's/.*\(|fabric [^|]*\).*/\1/p'
}
count() { sqlite3 all.db "SELECT count(*) FROM system"; }
new() { # root, signature, name: check a new system
    plan "$1"
    had=$((had + 1))
    is "$(count) $(signature)" "$had $2" "$3"
}
had=0
new ib "|fabric InfiniBand $edr" "two devices of one kind are one fabric"
new ndr '|fabric InfiniBand 400 Gb/sec (4X NDR)' \
    "a faster InfiniBand is another fabric"
new opa '|fabric Omni-Path 100 Gb/sec (4X EDR)' "Omni-Path is another fabric"
new roce '|fabric RoCE 100 Gb/sec (4X EDR)' "verbs over Ethernet is RoCE"
new ss '|fabric Slingshot' "Slingshot is recognised by device and interface"
new slow '|fabric Ethernet 1000 Mb/s' "Ethernet"
new fast '|fabric Ethernet 25000 Mb/s' \
    "of two Ethernet interfaces the faster counts"
new down '' "an interface without a speed is ignored"
new_names=$(sqlite3 all.db "SELECT count(DISTINCT name) FROM system")
is "$new_names" "$had" "each system has its own name"
plan ib
is "$(count)" "$had" "the same fabric is the same system"

plan ib FI_PROVIDER=verbs
plan ib UCX_TLS=rc,self
plan ib UCX_TLS=tcp,self
plan ib MPICH_OFI_NIC_POLICY=NUMA
had=$((had + 4))
is "$(count)" "$had" "one fabric used in four other ways is four more systems"
like "$(sqlite3 all.db "SELECT signature FROM system")" \
    '\|by UCX_TLS=tcp,self$' "the signature has the way of use"
plan ib SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=long
plan ib SLURM_CLUSTER_NAME=c SLURM_JOB_PARTITION=short
had=$((had + 2))
is "$(count) $(sqlite3 all.db "SELECT group_concat(name) FROM system
    WHERE name GLOB 'c-*'")" "$had c-long,c-short" \
        "two partitions are two systems"
is "$(sqlite3 all.db "SELECT count(*) = 2 * (SELECT count(*) FROM system)
    FROM cell")" 1 "each system has its own cells"

# Facts recorded by a launch.
CHORALE_SYSROOT=$work/ib "$chorale" plan one.db -q -P 1 -m 8 -c bcast \
    --variants linear --launches 1 -i 3 &&
    CHORALE_SYSROOT=$work/ib timeout 900 "$chorale" run one.db -q 2>err
ok $? "a campaign on InfiniBand runs"
is "$(sqlite3 one.db "SELECT value FROM environment WHERE key = 'fabric'")" \
    "InfiniBand $edr" "its launch stores the fabric"

# A launch on another fabric is refused and leaves the database unchanged.
on() { # root, database, variables...: run one launch of P = 1 there
    on_root=$1 on_db=$2
    shift 2
    env CHORALE_SYSROOT="$work/$on_root" "$@" timeout 900 "$chorale" run \
        "$on_db" -q 2>err
}
more() { # plan one more launch
    launches=$((launches + 1))
    CHORALE_SYSROOT=$work/ib "$chorale" plan one.db -q -P 1 -m 8 -c bcast \
        --variants linear --launches $launches -i 3
}
runs() { sqlite3 "$1" 'SELECT count(*) FROM run'; }
launches=1
more
had=$(runs one.db)
on ndr one.db
is $? 3 "a launch on a faster fabric exits with 3"
like "$(cat err)" "the fabric of the launch is 'InfiniBand 400 .*', that of earlier ones of system .* 'InfiniBand 100 .*into another database" \
    "the error names both fabrics and the remedy"
is "$(wc -l <err) $(runs one.db)" "1 $had" \
    "the error is one line, and no run is stored"
on ib one.db UCX_TLS=tcp,self,sm
is $? 3 "a launch with another use of the fabric exits with 3"
like "$(cat err)" "the way to use the fabric of the launch is 'UCX_TLS=tcp,self,sm', .* 'default'" \
    "the error names both uses"
on ib one.db SLURM_JOB_PARTITION=long
ok $? "a launch with a partition, unknown before, exits with 0"
[ "$(runs one.db)" -gt "$had" ]
ok $? "it stores runs"
more
on ib one.db SLURM_JOB_PARTITION=short
is $? 3 "a launch on another partition exits with 3"
like "$(cat err)" "the partition of the launch is 'short', .* 'long'" \
    "the error names both partitions"
on ib one.db
ok $? "a launch without a known partition exits with 0"

# The same for shards.
cp one.db shard.db
sqlite3 shard.db "UPDATE launch SET uuid = lower(hex(randomblob(16)));
    UPDATE run SET uuid = lower(hex(randomblob(16)));
    UPDATE environment SET value = 'Omni-Path' WHERE key = 'fabric'"
had=$(runs one.db)
"$chorale" merge one.db shard.db -q 2>err
is $? 4 "merge: a shard of another fabric is refused"
like "$(cat err)" 'shard.db: contradicts .*: the fabric .Omni-Path. is different there.* into another database' \
    "by one line"
is "$(wc -l <err) $(runs one.db)" "1 $had" "no run of that shard is merged"
"$chorale" merge two.db shard.db -q &&
    "$chorale" merge two.db shard.db -q
ok $? "the shard can be merged into another database, twice"
finish

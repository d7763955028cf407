#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cost of simulations of many ranks: seconds, seconds of processor and memory
# of
# - a launch with one point, bcast binomial of 8 B and the library's default;
# - the campaign of bcast and allreduce at four sizes (-a).
#
#   sim_scale.sh [-P LIST] [-a] [-o DIR]
#
# -P LIST   process counts (default: 128,256,512,1024), one rank per node
# -a        also time the campaign at all of them together
# -o DIR    keep the databases there
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
procs=128,256,512,1024
all=0
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work
while getopts P:ao: opt; do
    case $opt in
        P) procs=$OPTARG ;;
        a) all=1 ;;
        o) out=$OPTARG ;;
        *) exit 2 ;;
    esac
done
if [ ! -e "$here/chorale-runner-sim" ]; then
    echo "sim_scale.sh: built without SimGrid" >&2
    exit 3
fi
mkdir -p "$out" || exit 3
last=$(($(echo "$procs" | tr , '\n' | sort -n | tail -n 1) - 1))
cat >"$work/p.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-$last"
  speed="1Gf" bw="12.5GBps" lat="0.5us" sharing_policy="SPLITDUPLEX"/></platform>
XML

# cost NAME PLAN-OPTIONS: plan, run, and print cells, seconds, and MB of the
# largest process
cost() {
    db=$out/$1.db
    name=$1
    shift
    rm -f "$db"
    "$chorale" plan "$db" -q --launcher smpirun --platform "$work/p.xml" \
        --network loggp "$@" || exit 3
    python3 - "$chorale" "$db" "$name" <<'END'
import resource, sqlite3, subprocess, sys, time
began = time.time()
code = subprocess.call([sys.argv[1], "run", sys.argv[2], "-q"])
took = time.time() - began
use = resource.getrusage(resource.RUSAGE_CHILDREN)
cells, = sqlite3.connect(sys.argv[2]).execute(
    "SELECT count(*) FROM cell").fetchone()
print("%-10s %4d cells %8.2f s, %8.2f s of processor, %6.0f MB" %
      (sys.argv[3], cells, took, use.ru_utime + use.ru_stime,
       use.ru_maxrss / 1024), flush=True)
sys.exit(code)
END
}
for p in $(echo "$procs" | tr , ' '); do
    cost "P=$p" -c bcast -m 8 -P "$p" --variants bcast:binomial
done
[ "$all" = 0 ] || cost campaign -c bcast,allreduce -m 8,512,32K,1M -P "$procs"

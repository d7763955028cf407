#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An MPI library that tunes itself is noticed by doctor, stored with the launch
# and mentioned beside decisions. The libraries are invented by a preload.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q sanitizer=no ||
    skip_all "built with a sanitizer, which must come first"
cd "$work" || exit 99
export CHORALE_MPIEXEC="$MPIEXEC"
"${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o invented.so \
    "$top_srcdir/tests/cli/campaign/invented.c" -ldl
ok $? "the preload is compiled"

mvapich=MPIR_CVAR_ENABLE_DYNAMIC_TUNING
as() { # setting NAME=VALUE of the preload, words of chorale
    setting=$1
    shift
    env LD_PRELOAD="$work/invented.so" "$setting" INVENTED_VALUE="$value" \
        timeout 300 "$chorale" "$@" >out.txt 2>err.txt
}
plus="INVENTED_CVAR=$mvapich"
intel='INVENTED_LIBRARY=Intel(R) MPI Library 2021.13 for Linux* OS'
fact() { # database
    sqlite3 "$1" "SELECT value FROM environment WHERE key = 'self_tuning'"
}

value=1
as "$plus" doctor
like "$(cat out.txt)" \
    "^default +WARNING: the MPI library tunes itself \($mvapich=1\)" \
    "doctor warns of MVAPICH's dynamic tuning"
value=0
as "$plus" doctor
is "$(grep -c 'tunes itself' out.txt)" 0 "doctor does not warn if it is off"
export I_MPI_TUNING_MODE=auto:application
as "$intel" doctor
like "$(cat out.txt)" \
    'tunes itself \(I_MPI_TUNING_MODE=auto:application\)' \
    "doctor warns of Intel MPI's autotuner"
as none= doctor
is "$(grep -c 'tunes itself' out.txt)" 0 \
    "the variable of Intel MPI means nothing to another library"
I_MPI_TUNING_MODE=none
as "$intel" doctor
is "$(grep -c 'tunes itself' out.txt)" 0 \
    "Intel MPI without the autotuner does not tune itself"
unset I_MPI_TUNING_MODE

for value in 1 0; do
    db=r$value.db
    as "$plus" plan $db -P 2 -m 8 -c bcast --variants linear,binomial \
        --launches 2 -i 20 -q
    as "$plus" run $db -q
    ok $? "a campaign runs: $(cat err.txt)"
    "$chorale" decide $db >decide$value.txt 2>&1
    "$chorale" decide $db --json >decide$value.json 2>&1
    "$chorale" generate $db --format c -o t$value.c >generate$value.txt 2>&1
    "$chorale" report $db -o page$value.html >/dev/null 2>&1
done
is "$(fact r1.db)/$(fact r0.db)" "$mvapich=1
$mvapich=1/" "each launch stores that the library tuned itself"
said="the MPI library tuned itself \($mvapich=1\) in 2 of 2 launches"
for file in decide1.txt decide1.json generate1.txt t1.c page1.html; do
    like "$(tr -s '\n *' ' ' <$file)" "$said" "$file warns of it"
    is "$(grep -c 'tuned itself' "$(echo $file | sed 's/1/0/')")" 0 \
        "$file is silent if it is off"
done
value=1
as "$plus" tune tuned.db -P 2 -m 8 -c bcast --full --variants linear \
    --launches 2 -i 20 --no-validate
like "$(cat tuned-summary.md)" "^- $said" "the summary of tune warns of it"
finish

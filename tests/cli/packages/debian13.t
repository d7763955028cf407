#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# debian13.t - ci/debian13 makes a tree once, with a debootstrap that copies a
# shell from this machine, and runs commands there in the current sources.
. "$(dirname "$0")/../../lib.sh"
[ "$(id -u)" = 0 ] || skip_all "needs root, for chroot"
for program in git unshare chroot ldd; do
    command -v $program >/dev/null 2>&1 || skip_all "no $program"
done
unshare --mount true 2>/dev/null || skip_all "mounts cannot be made here"
script=$(cd "$top_srcdir" && pwd)/ci/debian13
cd "$work" || exit 99
tree=$work/tree

# A repository that has ci/debian13, and two commands that print their arguments.
mkdir -p repo/ci bin
cp "$script" repo/ci/
for name in check quickstart; do
    printf '#!/bin/sh\necho "%s: $*"\n' $name >repo/ci/$name
    chmod +x repo/ci/$name
done
commit() { # text of the file note
    echo "$1" >repo/note
    git -C repo add note ci &&
        git -C repo -c user.name=a -c user.email=a@b commit -q -m "$1"
}
git init -q repo && commit first || exit 99

cat >bin/debootstrap <<'END'
#!/bin/sh
echo "$*" >>"$asked"
for last; do :; done
mkdir "$last/bin" "$last/etc" "$last/proc" "$last/sys" "$last/dev" || exit 1
[ -z "${broken-}" ] || { echo "no mirror"; exit 1; }
for program in sh cat; do
    path=$(command -v $program)
    cp -L "$path" "$last/bin/"
    ldd "$path" | grep -o '/[^ ]*' | xargs -I{} cp -L --parents {} "$last"
done
echo 13.0 >"$last/etc/debian_version"
END
chmod +x bin/debootstrap
PATH=$work/bin:$PATH
asked=$work/asked
export asked PATH
run() { # arguments; the output is in out.txt and err.txt
    timeout 60 repo/ci/debian13 --tree "$tree" "$@" >out.txt 2>err.txt
}

run --jobs 2
is "$? $(cat err.txt)" \
    "2 ci/debian13: unknown option '--jobs'; see ci/debian13 --help" \
    "an unknown option is named"

export broken=yes
run cat note
is "$? $(tail -n 1 err.txt)" \
    "3 ci/debian13: debootstrap failed; its log is $tree.log" \
    "a debootstrap that fails is reported with its log"
unset broken
is "$(cat "$tree.log")" "no mirror" "the log has the output of debootstrap"
[ ! -e "$tree" ]
ok $? "a tree that is not complete is not used"

run cat note
is "$? $(cat out.txt)" "0 first" \
    "the first call makes the tree and runs a command"
is "$(tail -n 1 asked)" "--variant=minbase trixie $tree.new" \
    "debootstrap makes Debian 13"
[ ! -e "$tree.new" ]
ok $? "no second tree remains"
run sh -c 'pwd; [ -e /proc/self/status ] && cat /etc/debian_version'
is "$? $(tr '\n' ' ' <out.txt)" "0 /chorale 13.0 " \
    "a command runs in the sources of the tree, with /proc"
run sh -c 'echo "$HOME $LANG ${asked-unset}"'
is "$(cat out.txt)" "/root C.UTF-8 unset" \
    "a command gets no variables from outside"

echo kept >"$tree/chorale/built"
echo changed >"$tree/chorale/note"
commit second
run cat note built
is "$? $(tr '\n' ' ' <out.txt)" "0 second kept " \
    "a later call updates the sources and keeps builds"
is "$(wc -l <asked)" 2 "a later call makes no tree"
run check --all --openmpi
is "$? $(cat out.txt)" "0 check: --all --openmpi" \
    "check is ci/check, with its options"
run quickstart --openmpi
is "$? $(cat out.txt)" "0 quickstart: --openmpi" "so is quickstart"
run
is "$? $(cat out.txt)" "0 quickstart: " "which is run if no command is given"
run sh -c 'exit 7'
is $? 7 "the exit status is the command's"
is "$(grep -c " $tree" /proc/self/mounts)" 0 "no mount remains"
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# completion.t - shells complete exactly the words that verbs accept.
. "$(dirname "$0")/../../lib.sh"

"$chorale" --completion frob >"$work/out" 2>"$work/err"
is "$? $(wc -c <"$work/out" | tr -d ' ') $(wc -l <"$work/err" | tr -d ' ')" \
    "2 0 1" "an unknown shell is refused"
options() { # print the options in a verb's help
    "$chorale" "$1" --help | sed -n '/^Options:/,/^Examples:/{
        s/^  -[a-zA-Z], --/      --/; s/^      --\([a-z0-9-]*\).*/--\1/p
        }' | sort
}
for verb in $("$chorale" --verbs); do
    options "$verb" >"$work/options.$verb"
    [ -s "$work/options.$verb" ]
    ok $? "$verb has options in its help"
done

if command -v bash >/dev/null 2>&1; then
    "$chorale" --completion bash >"$work/chorale.bash"
    ok $? "--completion bash exits with 0"
    completes() { # words before the last, the last word
        CHORALE_WORDS="$1" CHORALE_LAST="$2" bash -c '
            . "$0"
            COMP_WORDS=(chorale $CHORALE_WORDS "$CHORALE_LAST")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _chorale
            [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
            "$work/chorale.bash" | sort
    }
    is "$(bash -c '. "$0"; complete -p chorale' "$work/chorale.bash")" \
        "complete -o default -F _chorale chorale" "bash completes chorale"
    is "$(completes '' '' | grep -v '^-')" \
        "$({ "$chorale" --verbs; echo help; } | sort)" \
            "bash completes all verbs and help"
    is "$(completes '' 'pl')" "plan
plot" "bash completes verbs by prefix"
    for verb in $("$chorale" --verbs); do
        is "$(completes "$verb r.db" --)" "$(cat "$work/options.$verb")" \
            "bash completes exactly the options of $verb"
    done
    is "$(completes 'baseline' '')" "list
remove
set" "bash completes the subcommands of baseline"
    is "$(completes 'table' 'in')" install \
        "bash completes the subcommands of table"
    is "$(completes 'plan r.db -c' 'allr')" allreduce \
        "bash completes collectives"
    is "$(completes 'plan r.db' 'x')" "" "other words are completed as files"
    is "$(completes '--completion' '')" "bash
zsh" "bash completes shells"
    is "$(completes 'help' '')" "$("$chorale" --verbs | sort)" \
        "bash completes verbs after help"
    is "$(completes 'export r.db --format' '')" "csv
json" "bash completes the words of an option"
    is "$(completes 'export r.db --format' 'j')" json \
        "bash completes words of an option by prefix"
    is "$(completes 'export r.db --format' 'x')" "" \
        "no file is completed for such an option"
    if [ -f "$top_builddir/tuner/completions/chorale" ]; then
        cmp -s "$work/chorale.bash" "$top_builddir/tuner/completions/chorale"
        ok $? "the installed completion is that of this build"
    else
        skip "not built" "the installed completion is that of this build"
    fi
else
    skip "no bash" "bash"
fi

"$chorale" --completion zsh >"$work/_chorale"
is "$? $(head -n 1 "$work/_chorale")" "0 #compdef chorale" \
    "--completion zsh exits with 0"
for verb in $("$chorale" --verbs); do
    sed -n "/^    $verb)\$/,/;;\$/p" "$work/_chorale" |
        grep -o " '--[a-z0-9-]*:" | tr -d " ':" | sort >"$work/words"
    is "$(cat "$work/words")" "$(cat "$work/options.$verb")" \
        "zsh completes exactly the options of $verb"
done
if command -v zsh >/dev/null 2>&1; then
    zsh -f -n "$work/_chorale"
    ok $? "zsh parses the completion"
    # Replace the functions of zsh's completion system by ones that print.
    got=$(zsh -f -c '
        _describe() { print -l -- ${(P)2} | sed "s/:.*//" }
        _files() { print files }
        compadd() { print -l -- ${(P)2} }
        words=(chorale plan r.db --) CURRENT=4 PREFIX=--
        . "$1"' zsh "$work/_chorale" | sort)
    is "$got" "$(cat "$work/options.plan")" "zsh runs the completion"
    got=$(zsh -f -c '
        _describe() { print described }
        _files() { print files }
        compadd() { print -l -- ${(P)2} }
        words=(chorale export r.db --format "") CURRENT=5 PREFIX=
        . "$1"
        words=(chorale help "") CURRENT=3
        _chorale' zsh "$work/_chorale")
    is "$got" "csv
json
$("$chorale" --verbs)" \
    "zsh completes the words of an option, and verbs after help"
else
    skip "no zsh" "zsh parses the completion"
fi
finish

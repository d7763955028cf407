#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pages.t - verbs, options, programs and linked files in the documents exist.
. "$(dirname "$0")/../../lib.sh"
command -v python3 >/dev/null 2>&1 || skip_all "no python3"
cd "$work" || exit 99
cat >words.py <<'END'
"""Prints "PAGE VERB OPTION" for each option of a `chorale VERB` on the pages,
"PAGE VERB" for the verb, and "PAGE @FILE" for each file that is linked or
called."""
import os
import re
import sys

verbs = set(sys.argv[1].split())
for page in sys.argv[2:]:
    name = os.path.basename(page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    blocks = "\n".join(line for line in text.splitlines()
                       if line.startswith("    "))
    inline = re.findall(r"`([^`]+)`", re.sub(r"(?m)^    .*$", "", text))
    said = re.sub(r"\\\n", " ", blocks).splitlines() + \
        [re.sub(r"\s+", " ", code) for code in inline]
    # Continued statements, such as SQL, have no options of chorale.
    for code in said:
        for part in re.split(r"\bchorale (?=[a-z])", code)[1:]:
            words = re.split(r"\s#|&&|[|;>]", part)[0].split()
            if words[0] not in verbs:
                continue
            print(name, words[0])
            for word in words[1:]:
                if word == "--":
                    break
                if re.match(r"--?[a-z]", word, re.I):
                    print(name, words[0], word.split("=")[0])
        for file in re.findall(r"(?:^|\s)((?:ci|tests/bench)/[a-z0-9_./]+)", code):
            print(name, "@" + file.rstrip("./"))
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        print(name, "@" + os.path.normpath(os.path.join(
            os.path.dirname(page), link)))
END
pages="$top_srcdir/README.md $top_srcdir/tuner/TUTORIAL.md
$top_srcdir/runners/MEASURING.md $top_srcdir/tuner/PEERS.md
$top_srcdir/algorithms/CATALOGUE.md $top_srcdir/algorithms/SHIM.md
$top_srcdir/tuner/COMPARING.md $top_srcdir/tuner/REAL.md
$top_srcdir/tuner/slurm/README.md
$top_srcdir/ci/templates/README.md
$top_srcdir/ci/packaging/README.md"
# shellcheck disable=SC2086
python3 words.py "$("$chorale" --verbs | tr '\n' ' ')" $pages |
    sort -u >words.txt
ok $? "the documents are parsed"
diag "$(wc -l <words.txt) verbs, options and files"
bad=0
while read -r page verb option; do
    case $verb in
        @/*) [ -e "${verb#@}" ] || { bad=1; diag "$page: no ${verb#@}"; }
             continue ;;
        @*) [ -e "$top_srcdir/${verb#@}" ] ||
                { bad=1; diag "$page: no ${verb#@}"; }
            continue ;;
    esac
    [ -e "$verb.help" ] || "$chorale" "$verb" --help >"$verb.help"
    [ -z "$option" ] || grep -Eq -- "(^| )$option([ ,=]|\$)" "$verb.help" || {
        bad=1
        diag "$page: chorale $verb has no $option"
    }
done <words.txt
is "$bad" 0 "every option in the documents belongs to its verb"
for page in README.md TUTORIAL.md MEASURING.md PEERS.md; do
    [ "$(grep -c "^$page [a-z].* -" words.txt)" -gt 0 ]
    ok $? "$page has $(grep -c "^$page " words.txt) options"
done
bad=0
for verb in $("$chorale" --verbs); do
    grep -Eq "^\|.*\`$verb\`|^    chorale $verb( |\$)|\`chorale $verb\`" \
        "$top_srcdir/README.md" || { bad=1; diag "$verb"; }
done
is "$bad" 0 "README has every verb"

# The pictures of README have alternative text, a white background because the
# page may be dark, and a small file.
cat >pictures.py <<'END'
import os
import re
import sys
import xml.dom.minidom

page = sys.argv[1]
with open(page, encoding="utf-8") as file:
    pictures = re.findall(r"!\[([^]]*)\]\(([^)#:]+)\)", file.read())
for words, name in pictures:
    path = os.path.join(os.path.dirname(page), name)
    svg = xml.dom.minidom.parse(path)
    ground = svg.getElementsByTagName("rect")[0]
    print(name, len(words) > 40, os.path.getsize(path) < 60 * 1024,
          ground.getAttribute("fill"), svg.documentElement.tagName,
          len(svg.getElementsByTagName("script")))
END
is "$(python3 pictures.py "$top_srcdir/README.md" 2>&1)" \
    "plots/allreduce_speedup.svg True True #ffffff svg 0" \
    "README's pictures have alternative text and are small"

# The build folders of ci/check and of ci/quickstart must be those of the
# tutorial.
build=$(sed -n 's/^build_in "$top\/\([a-z-]*\)[$"].*/\1/p' \
    "$top_srcdir/ci/quickstart")
like "$(cat "$top_srcdir/tuner/TUTORIAL.md")" "PATH=.PWD/$build:" \
    "the tutorial uses the build folder of ci/quickstart ($build)"
finish

# SPDX-License-Identifier: BSD-3-Clause
"""Print the differences between a man page and the --help that it was made of:
summary, paragraphs, rows of options and verbs, examples.

Usage: manpage.py HELP MANPAGE
"""
import re
import sys


def words(text):
    return " ".join(text.split())


def units(lines):
    """Rows and paragraphs of a help text after the usage line."""
    unit = []
    for line in lines[1:] + [""]:
        starts = re.match(r"  \S|   +-", line) or re.match(r"\S.*:$", line)
        if unit and (starts or not line.strip()):
            yield words(" ".join(unit))
            unit = []
        if line.strip():
            unit.append(line)


def plain(line):
    """A line of a man page without roff markup."""
    line = re.sub(r"^\.[A-Za-z]+ ?", "", line)
    line = re.sub(r"\\f(\(..|.)|\\[,/&]", "", line)
    return (line.replace(r"\-", "-").replace(r"\(aq", "'")
            .replace(r"\e", "\\").replace('"', ""))


def main():
    help_lines = open(sys.argv[1]).read().splitlines()
    man_lines = open(sys.argv[2]).read().splitlines()
    told = list(units(help_lines))
    man = " " + words(" ".join(plain(line) for line in man_lines)) + " "
    wrong = []
    for unit in told:
        text = unit.replace('"', "")
        if re.fullmatch(r"(Options|Examples):", text):
            text = text[:-1].upper()
        if f" {text} " not in man:
            wrong.append(f"not in the page: {unit}")
    for before, line in zip(man_lines, man_lines[1:]):
        head = words(plain(line))
        if before == ".TP" and head.startswith("-") and \
                not any((unit + " ").startswith(head + " ") for unit in told):
            wrong.append(f"not in the help: {head}")
    for line in wrong:
        print(line)
    return 1 if wrong or len(told) < 5 else 0


sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Check the structure of a page of `chorale report` and print its errors.

Usage: page.py FILE
"""
import base64
import hashlib
import html.parser
import re
import sys

VOID = {"meta", "br", "wbr", "input", "link", "img", "hr"}
SECTIONS = ["result", "choices", "speedups", "times", "model", "counters",
            "noise", "environment", "campaigns"]
ALLOWED = {"html", "head", "meta", "title", "style", "body", "a", "header",
           "h1", "h2", "h3", "nav", "ul", "ol", "li", "main", "form",
           "fieldset", "legend", "label", "input", "p", "button", "span",
           "section", "div", "dl", "dt", "dd", "strong", "code", "pre", "br",
           "wbr", "table", "caption", "thead", "tbody", "tr", "th", "td",
           "figure",
           "figcaption", "details", "summary", "footer", "script", "svg", "g",
           "defs", "path", "polygon", "polyline", "line", "rect", "circle",
           "ellipse", "text", "tspan", "use"}
wrong = []


def bad(text):
    wrong.append(text)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.refs, self.headings = [], [], [], []
        self.count, self.inside = {}, {"script": "", "style": ""}
        self.policy = None
        self.title = ""
        self.rows = 0

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        a = dict(attrs)
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in ALLOWED:
            bad(f"element {tag}")
        if len(names) != len(set(names)):
            bad(f"<{tag}> has an attribute twice: {names}")
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "src", "srcset",
                                                 "action", "xlink:href"):
                bad(f"<{tag}> has {name}={value}")
            if name == "href" and not (value or "").startswith("#"):
                bad(f"<{tag}> refers to {value}")
            if "url(" in (value or "").lower():
                bad(f"<{tag}> {name}={value}")
        if "id" in a:
            self.ids.append(a["id"])
        if "href" in a:
            self.refs.append(a["href"][1:])
        self.refs += a.get("aria-labelledby", "").split()
        if tag == "html" and a.get("lang") != "en":
            bad("no language")
        if tag == "th" and a.get("scope") not in ("row", "col"):
            bad("a table head without its scope")
        if tag == "tbody":
            self.rows = 0
        self.rows += tag == "tr"
        if tag == "svg" and a.get("role") != "img":
            bad("a picture without its role")
        if tag == "input" and "label" not in self.open:
            bad("an input without a label")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            bad(f"</{tag}> in {self.open}")
        else:
            self.open.pop()
        if tag == "tbody" and self.rows == 0:
            bad("a table without rows")

    def handle_data(self, data):
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]] += data
        if self.open == ["html", "head", "title"]:
            self.title += data

    def handle_comment(self, data):
        bad(f"a comment: {data}")


def digest(text):
    raw = hashlib.sha256(text.encode()).digest()
    return "'sha256-" + base64.b64encode(raw).decode() + "'"


def main():
    raw = open(sys.argv[1], "rb").read()
    text = raw.decode("utf-8")
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        bad(f"left open: {page.open}")
    if not text.startswith("<!DOCTYPE html>"):
        bad("no document type")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text):
        bad("control characters")
    want = {"default-src": "'none'", "base-uri": "'none'",
            "form-action": "'none'",
            "style-src": digest(page.inside["style"]),
            "script-src": digest(page.inside["script"])}
    have = dict(part.strip().split(" ", 1)
                for part in (page.policy or "none none").split(";"))
    if have != want:
        bad(f"policy {have}, expected {want}")
    for tag in ("html", "head", "title", "style", "script", "body", "main",
                "nav", "h1", "header", "footer"):
        top = page.count.get(tag, 0)
        if tag == "title":  # pictures have titles too
            top -= page.count.get("svg", 0)
        if top != 1:
            bad(f"{top} times <{tag}>")
    if page.count.get("table", 0) != page.count.get("caption", 0):
        bad("a table without a caption")
    if len(page.ids) != len(set(page.ids)):
        bad("an id twice: " + str({i for i in page.ids
                                   if page.ids.count(i) > 1}))
    for ref in page.refs:
        if ref not in page.ids:
            bad(f"nothing has the id {ref}")
    for section in SECTIONS:
        if section not in page.ids or section not in page.refs:
            bad(f"no section {section}")
    for before, after in zip(page.headings, page.headings[1:]):
        if after > before + 1:
            bad(f"heading {after} after {before}")
    if not page.title.startswith("MPI collectives on "):
        bad(f"title {page.title}")
    for line in wrong:
        print(line)
    print(f"{page.count.get('svg', 0)} pictures, "
          f"{page.count.get('table', 0)} tables, "
          f"{page.count.get('figure', 0)} figures")
    return 1 if wrong else 0


sys.exit(main())

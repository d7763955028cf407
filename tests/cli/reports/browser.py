# SPDX-License-Identifier: BSD-3-Clause
"""Test a page of `chorale report` in headless Chromium, by chromedriver (TAP).

Usage: browser.py CHROMIUM CHROMEDRIVER PAGE [PICTURES]
  PICTURES  a folder for screenshots
"""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

chromium, driver, page = sys.argv[1:4]
pictures = sys.argv[4] if len(sys.argv) > 4 else None
count, failed = 0, 0


def ok(good, name, why=""):
    global count, failed
    count += 1
    failed += not good
    print(("ok" if good else "not ok") + f" {count} - {name}")
    if not good:
        for line in str(why).splitlines()[:8]:
            print(f"# {line}")


class Browser:
    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="chorale-browser-")
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, cwd=self.home.name,
            env=dict(os.environ, HOME=self.home.name, TMPDIR=self.home.name))
        for line in self.process.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                break
        self.base = f"http://127.0.0.1:{found.group(1)}/session"
        options = {"binary": chromium,
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--hide-scrollbars",
                            f"--user-data-dir={self.home.name}/profile"]}
        self.base += "/" + self.call("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"},
            method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.call("/execute/sync", {"script": script, "args": []})

    def cdp(self, cmd, **params):
        return self.call("/goog/cdp/execute", {"cmd": cmd, "params": params})

    def press(self, key, code, text=None):
        """Press and release a key."""
        what = {"key": key, "code": key if key != " " else "Space",
                "windowsVirtualKeyCode": code}
        down = {"type": "rawKeyDown"} if text is None else \
            {"type": "keyDown", "text": text, "unmodifiedText": text}
        self.cdp("Input.dispatchKeyEvent", **what, **down)
        self.cdp("Input.dispatchKeyEvent", type="keyUp", **what)

    def tab(self):
        """Press Tab; return the focused element."""
        self.press("Tab", 9)
        return self.run("""const e = document.activeElement;
            return [e.tagName, e.className, e.getAttribute('name'),
                    e.getBoundingClientRect().top];""")

    def show(self, width, scheme, media="screen", script=True):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("/url", {"url": "file://" + os.path.abspath(page)})

    def log(self):
        return [entry["message"] for entry in
                self.call("/se/log", {"type": "browser"})]

    def shoot(self, name):
        if pictures is None:
            return
        for part in range(1, 40):
            data = self.call("/screenshot")
            with open(f"{pictures}/{name}-{part:02}.png", "wb") as out:
                out.write(base64.b64decode(data))
            end = self.run("""const y = window.scrollY;
                window.scrollBy(0, 850); return window.scrollY === y;""")
            if end:
                break

    def end(self):
        try:
            self.call("", method="DELETE")
        finally:
            self.process.terminate()
            self.process.wait()
            self.home.cleanup()


# Text with a contrast below 4.5 to its background (WCAG 2.1, 1.4.3). In
# pictures the background is the last filled shape drawn below the text; black
# text on coloured areas is skipped.
CONTRAST = """
function parts(c) {
  const m = c.match(/[\\d.]+/g).map(Number);
  return m.length < 4 ? m.concat([1]) : m;
}
function light(c) {
  const v = c.slice(0, 3).map(x => (x /= 255) <= 0.03928
      ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4));
  return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}
function shape(e) {
  const r = e.getBoundingClientRect();
  const x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2;
  let found = null;
  for (const s of e.ownerSVGElement.querySelectorAll('path,polygon,rect')) {
    const style = getComputedStyle(s), q = s.getBoundingClientRect();
    if (!(s.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING) ||
        style.fill === 'none' || Number(style.fillOpacity) === 0) continue;
    if (x >= q.left && x <= q.right && y >= q.top && y <= q.bottom)
      found = parts(style.fill);
  }
  return found;
}
function behind(e) {
  const drawn = e.ownerSVGElement ? shape(e) : null;
  if (drawn) return drawn;
  for (; e; e = e.parentElement) {
    const b = parts(getComputedStyle(e).backgroundColor);
    if (b[3] > 0) return b;
  }
  return [255, 255, 255, 1];
}
const low = new Set();
for (const e of document.querySelectorAll(
    'h1,h2,h3,p,a,dt,dd,th,td,caption,legend,label,summary,li,code,pre,' +
    'figcaption,strong,button,svg text')) {
  if (!e.textContent.trim() || e.closest('[hidden]')) continue;
  if (e.classList.contains('skip') || e.tagName === 'BUTTON') continue;
  const style = getComputedStyle(e);
  const ink = e instanceof SVGElement ? style.fill : style.color;
  if (e instanceof SVGElement && ink === 'rgb(1, 1, 1)') continue;
  const a = light(parts(ink)), b = light(behind(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.add(e.tagName + ' ' + ink + ' ' + ratio.toFixed(2));
}
return Array.from(low);
"""

ANCHORS = """return Array.from(document.querySelectorAll('a[href]')).filter(
    a => !document.getElementById(a.getAttribute('href').slice(1))).length +
    Array.from(document.querySelectorAll('use')).filter(
    u => !document.getElementById(u.getAttribute('href').slice(1))).length;"""

VISIBLE = """return Array.from(document.querySelectorAll('figure')).filter(
    f => f.getClientRects().length > 0).length;"""

# Elements beyond the right margin of a sheet as wide as the window.
BEYOND = """return Array.from(document.querySelectorAll('body *')).filter(
    e => !e.closest('svg') && !e.classList.contains('skip') &&
         e.getClientRects().length &&
         (e.getBoundingClientRect().right > innerWidth + 1 ||
          e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)).map(
    e => e.tagName + ' ' + Math.round(e.getBoundingClientRect().right) + ' ' +
         e.scrollWidth + ' ' +
         e.textContent.trim().slice(0, 60).replace(/\\s+/g, ' '));"""


def main():
    browser = Browser()
    try:
        for scheme in ("light", "dark"):
            browser.show(1280, scheme)
            low = browser.run(CONTRAST)
            ok(low == [], f"{scheme}: text has contrast", "\n".join(low))
            browser.shoot(f"wide-{scheme}")
        paper = browser.run("return getComputedStyle(document.body)"
                            ".backgroundColor;")
        ok(paper == "rgb(22, 24, 28)", "the dark scheme is dark", paper)
        browser.show(1280, "dark", "print")
        paper = browser.run("return getComputedStyle(document.body)"
                            ".backgroundColor;")
        ok(paper == "rgb(255, 255, 255)", "a printed page is white", paper)
        shown = browser.run("return ['nav', 'form'].filter(s => document."
                            "querySelector(s).getClientRects().length);")
        ok(shown == [], "navigation and filter are not printed", shown)
        browser.run("window.dispatchEvent(new Event('beforeprint'));")
        ok(browser.run("return document.querySelectorAll("
                       "'details:not([open])').length;") == 0,
           "all details are open in print")
        browser.show(718, "light", "print")  # A4 with margins of 1 cm
        browser.run("window.dispatchEvent(new Event('beforeprint'));")
        beyond = browser.run(BEYOND)
        ok(beyond == [], "no element is wider than the sheet",
           "\n".join(beyond))
        browser.shoot("print")
        browser.show(375, "light")
        wide = browser.run("return document.scrollingElement.scrollWidth;")
        ok(wide <= 375, "a narrow page is not wider than its window", wide)
        browser.shoot("narrow-light")
        ok(browser.run(ANCHORS) == 0, "all anchors resolve")

        browser.show(1280, "light")
        figures = browser.run(VISIBLE)
        ok(figures > 2, "figures are shown", figures)
        status = browser.run("return document.getElementById('shown')"
                             ".textContent;")
        ok(status == f"{figures} of {figures} figures shown",
           "the filter shows the number of figures", status)
        browser.run("document.querySelector('input[name=procs]').click();")
        fewer = browser.run(VISIBLE)
        ok(0 < fewer < figures, "unchecking a P hides its figures", fewer)
        ok(browser.run("return Array.from(document.querySelectorAll('tr"
                       "[data-p=\"' + document.querySelector('input[name="
                       "procs]').value + '\"]')).every(r => r.hidden || "
                       "r.dataset.q !== r.dataset.p);"), "and hides its rows")
        browser.run("document.getElementById('none').click();")
        ok(browser.run(VISIBLE) == 0, "'none' hides all figures")
        browser.run("document.getElementById('all').click();")
        ok(browser.run(VISIBLE) == figures, "'all' shows all figures")
        keys = browser.run("""const list = [];
            for (const e of document.querySelectorAll(
                'a, input, button, summary, [tabindex="0"]'))
              if (e.getClientRects().length && e.tabIndex < 0) list.push(
                e.outerHTML.slice(0, 80));
            return list;""")
        ok(keys == [], "all active elements are reachable by keyboard", keys)
        browser.cdp("Emulation.setFocusEmulationEnabled", enabled=True)
        browser.show(1280, "light")
        at = browser.tab()
        ok(at[:2] == ["A", "skip"] and at[3] >= 0,
           "the first Tab focuses and shows the skip link", at)
        browser.press("Enter", 13, "\r")
        target = browser.run("""const main = document.getElementById(document
            .querySelector('.skip').getAttribute('href').slice(1));
            return Math.abs(main.getBoundingClientRect().top) < 50;""")
        browser.tab()
        ok(target and browser.run("""const main = document.getElementById(
            document.querySelector('.skip').getAttribute('href').slice(1));
            return main.contains(document.activeElement) || Boolean(
                main.compareDocumentPosition(document.activeElement) & 4);"""),
           "the skip link jumps to its target, and Tab continues there")
        browser.show(1280, "light")
        steps = 0
        while steps < 300 and at[2] != "procs":
            steps, at = steps + 1, browser.tab()
        ok(at[0] == "INPUT" and at[2] == "procs",
           f"{steps} Tabs reach a checkbox of the filter", at)
        browser.press(" ", 32, " ")
        ok(0 < browser.run(VISIBLE) < figures and browser.run(
            "return document.activeElement.checked === false;"),
           "Space unchecks it")
        browser.press(" ", 32, " ")
        ok(browser.run(VISIBLE) == figures, "Space checks it again")
        log = browser.log()
        ok(log == [], "the console has no messages", "\n".join(log))
        browser.run("const s = document.createElement('script');"
                    "s.textContent = 'window.evil = 1';"
                    "document.body.append(s);"
                    "document.body.setAttribute('onclick', 'window.evil = 2');"
                    "document.body.click(); const i = document."
                    "createElement('img'); i.src = 'data:image/gif,x';"
                    "document.body.append(i);")
        ok(browser.run("return window.evil === undefined;"),
           "the policy blocks other scripts")
        ok(any("Content Security Policy" in line for line in browser.log()),
           "the console reports the blocked scripts")

        browser.show(1280, "light", script=False)
        tree = browser.cdp("DOM.getDocument", depth=0)["root"]["nodeId"]
        form = browser.cdp("DOM.querySelector", nodeId=tree,
                           selector="form[hidden]")["nodeId"]
        gone = browser.cdp("DOM.querySelector", nodeId=tree,
                           selector="figure[hidden]")["nodeId"]
        ok(form != 0 and gone == 0, "without scripts all is shown, without "
           "filter")
    finally:
        browser.end()
    print(f"1..{count}")
    return 1 if failed else 0


sys.exit(main())

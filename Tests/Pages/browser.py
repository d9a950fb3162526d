"""A headless Chromium, which records the messages of its console and the hosts that it contacts."""

import json
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

DRIVER = "/usr/bin/chromedriver"

#: What the console says of a map without a graphics card, and of a picture that is a page: it has no icon.
USUAL = ("GPU stall due to ReadPixels", "/favicon.ico - ")

#: Returns the elements of a selector that are shown and can have a name with some words: all of them are in the
#: element's text, or in what else can name it. To ask the driver for a name takes far longer, so it is only asked for
#: the names of these. FRONT in a selector is the front dialog, or the page.
CAN_SAY = """
const [wanted, words] = arguments;
const selector = wanted.replaceAll('FRONT', document.querySelector('dialog[open]') ? 'dialog:last-of-type' : 'main');
const naming = (one) => [one, ...(one.labels ?? []),
  ...(one.getAttribute('aria-labelledby') ?? '').split(/\\s+/).map((id) => document.getElementById(id)).filter(Boolean)];
const texts = (one) => [one.textContent, ...['aria-label', 'title', 'alt', 'placeholder', 'value'].map((name) => one.getAttribute(name))];
return [...document.querySelectorAll(selector)].filter((element) => {
  if (!element.checkVisibility()) return false;
  const inside = element.querySelectorAll('[aria-label], [aria-labelledby], [title], [alt], [value]');
  const text = [element, ...inside].flatMap(naming).flatMap(texts).join(' ').toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
});"""

#: Returns whether the first element of a selector can show some words: all of them are in its text, visible or not.
#: Returns nothing without such an element.
CAN_SHOW = """
const [selector, words] = arguments;
const text = document.querySelector(selector)?.textContent.replace(/[\\u200b\\u200e\\u200f]/g, '').toLowerCase();
return text === undefined ? null : words.every((word) => text.includes(word.toLowerCase()));"""


class Browser:
    """The browser of one person, or of a visitor who is not signed in."""

    def __init__(self, base, person=None, size=(1280, 860), dark=False, language="en", direction=None, still=True, sharp=True,
                 draws=True):
        """Without `sharp`, the browser draws half as many pixels each way. Without `draws`, it combines the layers of a
        page without the library that stands in for a graphics card: pages take less time, and maps take more."""
        self.base = base
        options = Options()
        for argument in [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
            # Maps are drawn by WebGL, here without a graphics card.
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
            "--disable-background-networking", "--disable-component-update", "--no-first-run", f"--lang={language}",
            f"--window-size={size[0]},{size[1]}",
        ]:
            options.add_argument(argument)
        if not draws:
            options.add_argument("--disable-gpu-compositing")
        if still:
            options.add_argument("--force-prefers-reduced-motion")
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        # The log of requests shows whether a page asks another host.
        options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_page_load_timeout(60)
        self.asked = []
        self.said = []
        self.tell("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1 if sharp else 0.5,
                  mobile=size[0] < 500)
        if size[0] < 500:
            self.tell("Emulation.setTouchEmulationEnabled", enabled=True)
        self.tell("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])
        self.query = f"?dir={direction}" if direction else ""
        if person:
            self.tell("Network.setCookie", name="waymark", value=person.cookie(), url=base, httpOnly=True, sameSite="Strict")

    def tell(self, command, **parameters):
        """Sends a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def open(self, path):
        """Opens a page, and waits until it shows something."""
        self.driver.get(self.base + path + self.query)
        self.settle()

    def settle(self, patience=20):
        """Waits until the page is shown and nothing is loading."""
        self.until(lambda: self.driver.execute_script(
            "return document.querySelector('main h1') && !document.querySelector('main[aria-busy], main [aria-busy=true], .loading') ? 1 : 0"), "the page", patience)

    def hold(self, method):
        """Keeps the answers to calls of a method from the page, until `release`."""
        self.driver.execute_script("""
            const ask = window.fetch, method = JSON.stringify(arguments[0]);
            window.held = [];
            window.unanswered ??= 0;
            window.fetch = async (address, options) => {
              window.unanswered += 1;
              try {
                const answer = await ask(address, options);
                if (window.held && !window.passes && options?.body?.includes(method)) await new Promise((done) => window.held.push(done));
                return answer;
              } finally {
                window.unanswered -= 1;
              }
            };""", method)

    def held(self):
        """Returns the number of answers that are kept from the page."""
        return self.driver.execute_script("return window.held.length")

    def is_held(self):
        """Returns whether the page waits for an answer that is kept from it."""
        return self.held() > 0

    def let_later_pass(self):
        """Keeps what is kept from the page, and nothing more."""
        self.driver.execute_script("window.passes = true")

    def release(self):
        """Gives the page what was kept from it, and waits until it has read all that follows and is idle."""
        self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1], held = window.held;
            window.held = null;
            for (const give of held) give();
            // What is read next may depend on what was read.
            let idle = 0;
            const look = () => {
              idle = window.unanswered ? 0 : idle + 1;
              if (idle > 10) done(); else requestIdleCallback(look);
            };
            requestIdleCallback(look);""")

    def until(self, look, what, patience=20):
        """Repeats a question until its result is true, and returns the result."""
        end = time.monotonic() + patience
        while True:
            try:
                answer = look()
                if answer:
                    return answer
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            if time.monotonic() > end:
                raise AssertionError(f"timed out waiting for {what} at {self.driver.current_url}:\n{self.dialogs()}{self.text()[:1500]}")
            time.sleep(0.05)

    def dialogs(self):
        """Returns the text of what is open in front of the page, for a failure."""
        try:
            return "".join(f"in front: {one.text}\n" for one in self.all("dialog[open]"))
        except WebDriverException:
            return ""

    def text(self):
        try:
            return self.driver.find_element(By.TAG_NAME, "body").text
        except WebDriverException:
            return ""

    def find(self, selector):
        return self.until(lambda: self.driver.find_element(By.CSS_SELECTOR, selector), selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def see(self, text, within="body", patience=20):
        """Waits until a text is visible."""
        self.until(lambda: self.can_show(text, within) and text in self.driver.find_element(By.CSS_SELECTOR, within).text, repr(text), patience)

    def see_no(self, text, within="body"):
        def look():
            can = self.can_show(text, within)
            return can is False or can and text not in self.driver.find_element(By.CSS_SELECTOR, within).text
        self.until(look, f"no {text!r}")

    def can_show(self, text, within):
        """Returns whether a part of the page has the words of a text; nothing while there is no such part."""
        return self.driver.execute_script(CAN_SHOW, within, text.split())

    def can_say(self, selector, label):
        """Returns the visible elements that can have the words of a label in their names."""
        return self.driver.execute_script(CAN_SAY, selector, label.split())

    def map(self, script, *arguments):
        """Runs a script with `view`, the first map of the page; returns nothing while it is not drawn."""
        return self.driver.execute_script(
            "const view = document.querySelector('.map')?.view; if (!view?.gl?.style?._loaded) return null; " + script, *arguments)

    def lines(self, kind):
        """Returns the lines of a kind on the map, each as a list of its parts."""
        return self.map("return view.shapes.of(arguments[0])", kind)

    def count(self, layer):
        """Returns the number of features that the map shows of a layer, whatever files of tiles have it."""
        return self.map("""
            const name = arguments[0], layers = view.gl.getLayersOrder().filter((id) => id === name || id.startsWith(`${name} tiles`));
            if (!layers.length) return 0;
            return view.gl.getLayer(layers[0]).type === 'background' ? 1 : view.gl.queryRenderedFeatures({layers}).length;""", layer)

    def drawn(self, layer, patience=20):
        """Waits until the map has drawn all, and one of its layers has something to show; returns the number of features."""
        self.until(lambda: self.map("return view.gl.loaded() && !view.gl.isMoving()"), "the map", patience)
        return self.until(lambda: self.count(layer), f"the layer {layer}", patience)

    def press(self, label, within="body", nth=0):
        """Presses the button or link with a name, as a screen reader reads it."""
        def look():
            found = []
            for element in self.can_say(f"{within} button, {within} a, {within} summary", label):
                try:
                    if (label == element.accessible_name or label == element.text.strip()) and element.is_displayed():
                        found.append(element)
                except StaleElementReferenceException:
                    # A page that follows a device replaces some elements at any time.
                    continue
            return found[nth] if len(found) > nth else None
        while True:
            element = self.until(look, f"a button {label!r}")
            try:
                self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
                element.click()
                return element
            except StaleElementReferenceException:
                # A page that follows what others do was drawn anew in between.
                continue

    def click(self, look, what=None):
        """Clicks the element of a selector, or the one that a function returns, and looks again if the page was drawn anew."""
        find = (lambda: self.driver.find_element(By.CSS_SELECTOR, look)) if isinstance(look, str) else look
        def attempt():
            element = find()
            if element:
                element.click()
            return element
        return self.until(attempt, what or look)

    def act(self, item, within="main"):
        """Chooses an item from the menu of the page or of a row."""
        self.press("More actions", within)
        self.press(item, ".menu-items:not([hidden])")

    def refused(self, name):
        """Waits until the field with a name shows an error."""
        self.until(lambda: [e for e in self.all(f"[name={name}][aria-invalid]") if e.is_displayed()], f"an error at {name}")

    def rows(self, within="main"):
        """Returns the texts of the visible rows. A page that redraws itself meanwhile is read again."""
        return self.until(
            lambda: ([row.text for row in self.can_say(f"{within} .row", "")],), "rows")[0]

    def texts(self, selector):
        """Returns the texts of the elements of a selector, read at once: a live page replaces some at any time."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)

    def gone(self, selector):
        self.until(lambda: not self.all(selector), f"no {selector}")

    def top(self):
        """Returns the selector of the front dialog, or of the page."""
        return "dialog:last-of-type" if self.all("dialog[open]") else "main"

    def field(self, label, within=None):
        """Returns the field with a label."""
        def look():
            part = within or "FRONT"
            for element in self.can_say(f"{part} input, {part} textarea, {part} select", label):
                name = element.accessible_name
                if name == label or name.startswith(label + " ("):
                    return element
            # The fields that one rarely needs are behind "More".
            for summary in self.can_say(f"{part} details.more:not([open]) > summary", ""):
                self.driver.execute_script("arguments[0].click()", summary)
        return self.until(look, f"a field {label!r}")

    def type(self, label, text, within=None):
        element = self.field(label, within)
        kind, old = self.driver.execute_script("return [arguments[0].type, arguments[0].value]", element)
        if kind in ("date", "datetime-local", "range", "time"):
            self.driver.execute_script(
                "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true})); "
                "arguments[0].dispatchEvent(new Event('change', {bubbles: true}))", element, text)
        elif kind == "select-one":
            self.driver.execute_script("return [...arguments[0].options].find((option) => option.text === arguments[1])", element, text).click()
        else:
            # A number that the browser does not understand has no value.
            if kind != "file" and (old or kind == "number"):
                element.clear()
            element.send_keys(text)

    def escape(self):
        """Presses Escape, where the focus is."""
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def tick(self, label, within=None):
        self.driver.execute_script("arguments[0].click()", self.field(label, within))

    def picture(self, path, whole=True):
        """Takes a screenshot of the window, or of the whole page."""
        import base64
        parameters = {"format": "png"}
        if whole:
            height = self.driver.execute_script("return Math.min(4000, document.documentElement.scrollHeight)")
            width = self.driver.execute_script("return document.documentElement.clientWidth")
            parameters |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        path.write_bytes(base64.b64decode(self.tell("Page.captureScreenshot", **parameters)["data"]))

    def complaints(self, allowed=()):
        """Returns the errors in the console and the requests to other hosts since the last call."""
        own = urllib.parse.urlsplit(self.base).netloc
        found = []
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING") and not any(word in entry["message"] for word in (*USUAL, *allowed)):
                found.append(entry["message"])
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urllib.parse.urlsplit(message["params"]["request"]["url"])
                if url.scheme in ("http", "https", "ws", "wss") and url.netloc != own:
                    found.append(f"asked {url.netloc}")
        return found

    def wider_than_window(self):
        """Returns the elements that extend beyond the side of the window."""
        return self.driver.execute_script("""
            const width = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= width) return [];
            return [...document.querySelectorAll('body *')].filter((element) => {
              const box = element.getBoundingClientRect();
              return box.width && (box.right > width + 1 || box.left < -1) && !element.closest('.map, .tabs, .table');
            }).slice(0, 5).map((element) => element.tagName + '.' + element.className);""")

    def end(self):
        self.driver.quit()

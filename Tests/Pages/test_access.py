import importlib.util
import os
import pathlib
import unittest

import places
from case import PageTest


def axe():
    """Returns the source of axe-core from WAYMARK_AXE, or from the package axe-playwright-python if it is installed."""
    if os.environ.get("WAYMARK_AXE"):
        return pathlib.Path(os.environ["WAYMARK_AXE"]).read_text()
    package = importlib.util.find_spec("axe_playwright_python")
    found = package and list(pathlib.Path(package.origin).parent.rglob("axe.min.js"))
    return found[0].read_text() if found else None


class Access(PageTest):
    allowed = ("/square",)

    def findings(self, window):
        answer = window.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(done, (error) => done({violations: [{id: String(error), nodes: []}]}))")
        return [f"{found['id']}: {node['target']} {node['html'][:120]} {node.get('failureSummary', '')[:300]}" for found in answer["violations"] for node in found["nodes"][:3]]

    @unittest.skipUnless(axe(), "axe-core is not there: pip install axe-playwright-python")
    def test_axe_finds_nothing_on_any_page(self):
        found = []
        for way in ({"size": (1280, 860)}, {"size": (360, 740), "dark": True}):
            for name, address, person in places.pages(self.stage):
                window = self.window(person, **way)
                window.open(address)
                window.driver.execute_script(axe())
                found += [f"{name} {way}: {problem}" for problem in self.findings(window)]
        self.assertEqual(found, [])

    def test_the_menu_and_a_window_work_by_keyboard(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        window = self.window("ada")
        window.open("/sights/westerkerk")
        press = lambda *keys: [ActionChains(window.driver).send_keys(key).perform() for key in keys]
        press(Keys.TAB)
        self.assertEqual(window.driver.switch_to.active_element.text, "Skip to the content")
        press(Keys.ENTER)
        self.assertEqual(window.driver.switch_to.active_element.tag_name, "h1")
        button = next(e for e in window.all("main button") if e.text == "Share")
        button.send_keys(Keys.ENTER)
        window.field("Text to share")
        press(Keys.ESCAPE)
        window.until(lambda: not window.all("dialog"), "the window gone")
        self.assertEqual(window.driver.switch_to.active_element.text, "Share")

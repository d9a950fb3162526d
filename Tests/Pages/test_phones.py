from case import PageTest


class Phones(PageTest):
    """What a phone's narrow window must still show well."""

    PHONE = {"size": (390, 844)}

    def box(self, window, selector):
        """Returns the edges of an element: left, top, right, bottom."""
        return window.driver.execute_script(
            "const {left, top, right, bottom} = arguments[0].getBoundingClientRect(); return {left, top, right, bottom}", window.find(selector))

    def test_the_steps_after_signing_up_are_as_wide_as_the_window(self):
        self.person("ole", "Ole", "Berg")
        window = self.window("ole", language="de", **self.PHONE)
        window.open("/welcome")
        while not window.all("main input[type=file]"):
            step = window.find("main h2").text
            window.press("Überspringen", "main")
            window.until(lambda: window.find("main h2").text != step, "the next step")
        self.assertEqual(window.driver.execute_script("return [innerWidth, document.documentElement.scrollWidth]"), [390, 390])
        window.press("Überspringen", "main")
        window.until(lambda: "/now" in window.driver.current_url, "the map")

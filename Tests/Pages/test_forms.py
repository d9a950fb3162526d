import json
import pathlib
import re

from case import PageTest

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Runs the page's own function over the daemon's messages, and returns what people would read.
SAID = """
const [messages, done] = [arguments[0], arguments[1]];
const base = performance.getEntriesByType('resource').map(({name}) => name).find((name) => name.endsWith('/form.js'));
Promise.all([import(base), import(base.replace('form.js', 'rpc.js'))]).then(([{said}, {Refused}]) =>
  done(messages.map(([code, message]) => said(new Refused({code, message})))));"""


class Forms(PageTest):
    def methods(self):
        return [method["name"] for method in self.call("ada", "rpc.discover")["methods"]]

    def test_no_text_for_people_names_a_method(self):
        names = re.compile("|".join(re.escape(name) for name in self.methods()), re.I)
        literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
        messages = set()
        for file in ROOT.glob("Sources/**/*.swift"):
            code = "\n".join(line for line in file.read_text().splitlines() if not line.lstrip().startswith("//"))
            # Long messages are written as several literals.
            code = re.sub(r'"\s*\+\s*"', "", code)
            for text in literal.findall(code):
                if " " in text and names.search(text):
                    messages.add(re.sub(r"\\\([^)]*\)+", "Rome", text))
        self.assertGreater(len(messages), 20)
        messages = sorted(messages) + ["posts.feed needs a signed-in person. Call people.signIn first.", "sights.remove needs the right to change."]
        for language in ("en", "de"):
            window = self.window("bob", language=language)
            window.open("/sights")
            for code in (2, 3, 4, 5):
                said = window.driver.execute_async_script(SAID, [[code, message] for message in messages])
                wrong = [(message, text) for message, text in zip(messages, said) if names.search(text) or not text.strip(". ")]
                self.assertEqual(wrong, [], f"in {language}, with the code {code}")
        for file in (ROOT / "Sources/Doors/WebServer/Pages/texts").glob("*.js"):
            texts = [text for text in re.findall(r": '((?:[^'\\]|\\.)*)'", file.read_text()) if names.search(text)]
            self.assertEqual(texts, [], file.name)

    def test_a_refusal_has_its_way_on(self):
        self.allowed = ("404", "400", "403")
        window = self.window(None, size=(520, 800))
        window.open("/sign-in")
        window.type("Username or e-mail", "nobody.at.all")
        window.type("Password", "wrong and long")
        window.press("Sign in", "main form")
        window.click(lambda: next(iter([way for way in window.all("form .button.small") if way.text == "Sign up"]), None), "the way to an account")
        window.see("Sign up", "main h1")

    def test_what_was_typed_survives_escape_and_a_reload(self):
        window = self.window("ada")
        plan = self.plan("ada", "Drafts")
        window.open(f"/plans/{plan}")
        window.press("Add an item", "main")
        window.type("Title", "Dinner with a view")
        window.escape()
        window.see("You have not sent what you typed.")
        window.press("Cancel", window.top())
        self.assertEqual(window.field("Title", "dialog").get_attribute("value"), "Dinner with a view")
        window.open(f"/plans/{plan}")
        window.press("Add an item", "main")
        window.see("This is what you typed last time.", "dialog")
        self.assertEqual(window.field("Title", "dialog").get_attribute("value"), "Dinner with a view")
        window.press("Save" if [b for b in window.all("dialog button") if b.text == "Save"] else "Add", "dialog")
        window.gone("dialog")
        window.press("Add an item", "main")
        self.assertEqual(window.field("Title", "dialog").get_attribute("value"), "")
        window.type("Title", "Not this one")
        window.escape()
        window.press("Throw it away", window.top())
        window.gone("dialog")
        window.press("Add an item", "main")
        self.assertEqual(window.field("Title", "dialog").get_attribute("value"), "")
        window.escape()
        window.gone("dialog")

    def test_an_empty_post_is_not_published(self):
        window = self.window("bob")
        count = len(self.call("bob", "posts.list", person="bob")["posts"])
        window.open("/feed")
        window.press("New post", "main")
        window.press("Post", "dialog form")
        window.refused("text")
        window.see("Write something, or choose a photo.", "dialog")
        self.assertEqual(len(self.call("bob", "posts.list", person="bob")["posts"]), count)

    def test_numbers_are_read_as_people_write_them(self):
        window = self.window("ada")
        window.open("/sights")
        read = """
            const [texts, done] = arguments;
            const base = performance.getEntriesByType('resource').map(({name}) => name).find((name) => name.endsWith('/decimal.js'));
            import(base).then(({decimal}) => done(texts.map(decimal)));"""
        asked = {"1.234,56": "1234.56", "1,234.56": "1234.56", "30,00": "30.00", "30.00": "30.00", "1 234,5": "1234.5", "12": "12",
                 "1.234.567": "1234567", "1,234": "1234", "0.001": "0.001", "-3,5": "-3.5", "x": "x", "": ""}
        self.assertEqual(dict(zip(asked, window.driver.execute_async_script(read, list(asked)))), asked)
        german = self.window("ada", language="de")
        german.open("/sights")
        self.assertEqual(german.driver.execute_async_script(read, ["1.234", "1.234,56", "1,5"]), ["1234", "1234.56", "1.5"])

    def test_long_waits_are_told_in_minutes(self):
        window = self.window("ada")
        window.open("/sights")
        told = window.driver.execute_async_script("""
            const done = arguments[0];
            const base = performance.getEntriesByType('resource').map(({name}) => name).find((name) => name.endsWith('/form.js'));
            Promise.all([import(base), import(base.replace('form.js', 'rpc.js'))]).then(([{said}, {Refused}]) =>
              done([892, 12].map((retry_after) => said(new Refused({code: 5, message: 'Wait.', data: {retry_after}})))));""")
        self.assertEqual(told, ["Too many attempts. Try again in 15 minutes.", "Too many attempts. Try again in 12 seconds."])

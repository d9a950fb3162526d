import pathlib
import re

from case import PageTest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "Sources/Doors/WebServer/Pages"


def keys(language):
    text = "".join(file.read_text() for file in sorted(PAGES.glob(f"texts/**/*{language}.js")))
    return [a or b for a, b in re.findall(r"^  (?:'([^']+)'|(\w+)):", text, re.M)]


class Texts(PageTest):
    def test_the_catalogues_have_the_same_keys_once(self):
        of = {language: keys(language) for language in ("en", "de")}
        for language, each in of.items():
            self.assertEqual(sorted(each), sorted(set(each)), language)
        # The daemon's own texts are already English, so only the German catalogue has most of these keys.
        translated = [key for key in of["de"] if re.match(r"(reason|told|act)\.", key) and key not in of["en"]]
        self.assertEqual(sorted(set(of["de"]) - set(translated)), sorted(of["en"]))
        used = {key for file in PAGES.rglob("*.js") for key in re.findall(r"\bt\('([^']+)'[,)]", file.read_text())}
        self.assertEqual(sorted(used - set(of["en"])), [])

    def test_errors_and_notifications_are_in_german(self):
        plan = self.plan("ada", "Nach Hoorn")
        self.call("ada", "members.ask", plan=plan, person="bob")
        window = self.window("bob", language="de")
        window.open("/notifications")
        window.press("Pläne", "main")
        window.see("Ada Lovelace lädt Sie ein, bei Nach Hoorn mitzukommen.", "main")
        self.assertEqual([bold.text for bold in window.all("main .row:first-child b")], ["Ada Lovelace", "Nach Hoorn"])
        window.press("Bestätigen", "main")
        window.see("Bestätigen ✓", "main")
        window.open("/profile")
        window.type("Geburtsdatum", "2100-01-01")
        window.press("Speichern", "main")
        window.refused("born")
        window.see("Bitte einen Tag in der Vergangenheit eingeben.", "main")
        window.open("/votes")
        window.type("Nummer einer Abstimmung", "0000000")
        window.press("Finden", "main")
        window.see("Es gibt keine Abstimmung mit dieser Nummer.", "main")
        # If no text of the catalogue fits, the page shows the daemon's message.
        self.call("ada", "expenses.add", plan=plan, title="Fähre", amount="12.00")
        self.call("ada", "members.change", plan=plan, person="bob", edits=True)
        window.open(f"/plans/{plan}")
        window.press("Weitere Aktionen", "main")
        window.press("Bearbeiten", ".menu-items")
        window.type("Währung", "CHF")
        window.press("Speichern", "dialog")
        window.see("Das ist beim jetzigen Stand nicht möglich. (The plan", "dialog")

    def test_suggestions_votes_and_explanations_are_in_german(self):
        window = self.window("ada", language="de")
        window.open("/notifications")
        window.press("Empfehlungen", "main")
        window.see("Cleo de Nijl empfiehlt Artis: „You would love the butterflies.“", "main")
        window = self.window("bob", language="de")
        window.open("/notifications")
        window.press("Abstimmungen", "main")
        window.see("Die Abstimmung Which boat tomorrow? ist vorbei. The red one hat gewonnen.", "main")
        self.call("bob", "sights.add", title="The pier", description="By the sea.", lat=53.6, lon=6.3045, radius=60)
        self.stage.ride("raft", [(53.6, 6.3 + 15 * n / 66_000) for n in range(40)])
        window.open("/sights/the-pier")
        window.press("Warum kam keine Mitteilung?", "main")
        window.type("Gerät", "raft")
        window.type("Wann", self.call("bob", "position.current", device="raft")["time"][:19])
        window.type("Minuten davor und danach", "5 Min.")
        window.press("Erklären", "dialog")
        window.see("Gemeldet:", "dialog")
        rows = " ".join(row.text for row in window.all("dialog .rows > li"))
        self.assertRegex(rows, r"kommt hinein: \d+(,\d)? m ≤ 60 m")
        self.assertIn("draußen: 296,9 m > 60 m, und vorher war nichts bekannt", rows)
        self.assertIn("festgehalten: das Gerät steht, 15 m entfernt", rows)
        self.assertNotRegex(rows, r"outside|enters|nothing was")

    def test_german_says_sie_everywhere(self):
        familiar = re.compile(r"\b(du|dir|dich|dein\w*|bekommst|kannst|hast|musst|willst|scanne|füge|gib|wähle|öffne)\b", re.I)
        found = [(file.name, line.strip()) for file in sorted(PAGES.glob("texts/**/*de.js")) for line in file.read_text().splitlines() if familiar.search(line)]
        self.assertEqual(found, [])

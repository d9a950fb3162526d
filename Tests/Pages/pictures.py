"""Takes screenshots of every page and of what else a page can show: light, dark, 360 pixels wide, right to left, and in German.

    python3 Tests/Pages/pictures.py --waymark .build/debug/waymark --to /tmp/pictures"""

import fnmatch
import pathlib
import sys
import time

from selenium.common.exceptions import WebDriverException

import places
import stage
from browser import Browser

WAYS = {
    "light": {}, "dark": {"dark": True}, "narrow": {"size": (360, 740)}, "right-to-left": {"direction": "rtl"},
    "german-narrow-dark": {"size": (360, 740), "dark": True, "language": "de"},
}

parser = stage.arguments(__doc__)
parser.add_argument("--to", default="pictures", help="the folder for the screenshots")
parser.add_argument("--only", action="append", help="only these pages, such as plan-*")
parser.add_argument("--way", action="append", choices=list(WAYS), help="only these ways")
options = parser.parse_args()
folder = pathlib.Path(options.to)
folder.mkdir(parents=True, exist_ok=True)
made = stage.Stage(options)
problems = 0


def take(pages):
    """Takes the pictures of pages and of their states."""
    global problems
    pages = [(*page, None)[:4] for page in pages]
    for way in options.way or WAYS:
        windows = {}
        for name, address, person, act in pages:
            if options.only and not any(fnmatch.fnmatch(name, only) for only in options.only):
                continue
            window = windows.get(person) or windows.setdefault(person, Browser(made.base, made.people.get(person), **WAYS[way]))
            try:
                window.open(address)
                if act:
                    act(window)
                time.sleep(0.8)
                window.picture(folder / f"{name}.{way}.png", whole=name != "now" and not window.all("dialog[open]"))
            except (AssertionError, WebDriverException) as error:
                problems += 1
                print(f"{name}, {way}: {error}", flush=True)
            for problem in window.complaints() + [f"sticks out: {what}" for what in window.wider_than_window()]:
                if person is None and "/square" in problem or "ERR_INTERNET_DISCONNECTED" in problem:
                    continue
                problems += 1
                print(f"{name}, {way}: {problem}", flush=True)
        for window in windows.values():
            window.end()


try:
    take(places.before(made))
    made.seed()
    places.awkward(made)
    # Wait until the van has gone around a few corners.
    time.sleep(20)
    take(places.pages(made) + places.states(made))
finally:
    made.end()
print(f"The pictures are in {folder}.")
sys.exit(1 if problems else 0)

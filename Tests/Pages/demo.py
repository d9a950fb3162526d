"""Plays `waymark demo`, and takes the picture at the beginning of README, screenshots of all pages, or
those of the map at each zoom.

    /usr/bin/python3 Tests/Pages/demo.py --waymark .build/debug/waymark --picture fixtures/pictures/demo.png
    /usr/bin/python3 Tests/Pages/demo.py --waymark .build/debug/waymark --to /tmp/pictures
    /usr/bin/python3 Tests/Pages/demo.py --waymark .build/debug/waymark --zooms /tmp/zooms
    /usr/bin/python3 Tests/Pages/demo.py --waymark .build/release/waymark --frames

The picture needs graphicsmagick, which reduces its colours."""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import client
from browser import Browser

#: The size of the picture, and the bytes that it may have.
SIZE, MOST = (1280, 760), 300_000
WAYS = {"desk": {}, "desk-dark": {"dark": True}, "phone": {"size": (390, 844)}, "phone-dark": {"size": (390, 844), "dark": True}}


class Demo:
    """A demonstration that runs, and Ada's session."""

    def __init__(self, waymark, speed):
        self.process = subprocess.Popen(
            [waymark, "demo", "--web", "--speed", str(speed)], stdout=subprocess.PIPE, text=True,
            env={key: value for key, value in os.environ.items() if not key.startswith("WAYMARK_")})
        self.lines = []
        self.base = None
        while not self.base:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("The demonstration ended: " + "".join(self.lines))
            self.lines.append(line)
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            self.base = found and found[0]
        # Nobody reads the rest of what it prints.
        os.set_blocking(self.process.stdout.fileno(), False)
        self.people = {name: self.sign_in(name) for name in ("ada", "bob", "cleo")}

    def sign_in(self, name):
        person = client.Client(self.base)
        person.call("people.signIn", account=name, password="a quiet road")
        return person

    def wait(self, sight, patience=240):
        """Waits until the van is near a sight."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.drain()
            near = self.people["ada"].call("sights.nearest", k=1)["nearest"]
            if near and near[0]["id"] == sight:
                return
            time.sleep(0.3)
        raise TimeoutError(f"The van does not come to {sight}.")

    def drain(self):
        try:
            while self.process.stdout.read(65536):
                pass
        except (BlockingIOError, TypeError):
            pass

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)


def picture(demo, file):
    """Takes the picture of the page Now while the van leaves Vaduz for the north."""
    demo.wait("prince-s-wine-cellars")
    window = Browser(demo.base, demo.people["ada"], size=SIZE)
    try:
        window.open("/now")
        window.drawn("road")
        time.sleep(2)
        with tempfile.TemporaryDirectory() as folder:
            whole = pathlib.Path(folder) / "whole.png"
            window.picture(whole, whole=False)
            file.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["gm", "convert", str(whole), "+dither", "-colors", "200", str(file)], check=True)
    finally:
        window.end()
    size = file.stat().st_size
    print(f"{file}: {size} bytes")
    if size > MOST:
        raise SystemExit(f"{file} has more than {MOST} bytes.")


def addresses(demo):
    """Returns the addresses of the pages, by name."""
    ada = demo.people["ada"]
    plan = next(one["id"] for one in ada.call("plans.list")["plans"] if one["title"].startswith("Two days"))
    location = ada.call("locations.list", plan=plan)["locations"][0]["id"]
    trip = ada.call("trips.list")["trips"][0]["id"]
    vote = demo.people["cleo"].call("votes.list", part="initiated")["votes"][0]["id"]
    tabs = ["", "/locations", "/people", "/money", "/photos", "/journey"]
    return {
        "now": "/now", "trips": "/trips", "trip": f"/trips/{trip.replace('.', '*')}", "plans": "/plans", "votes": "/votes", "vote": f"/votes/{vote}",
        "feed": "/feed", "ranking": "/ranking", "people": "/people", "ada": "/people/ada", "bob": "/people/bob",
        "sights": "/sights", "sight": "/sights/gutenberg-castle", "explore": "/explore", "notifications": "/notifications",
        "machine": "/machine", "profile": "/profile", "history": "/history", "reports": "/reports", "shopping": "/shopping",
        "location": f"/locations/{location}", **{f"plan{tab.replace('/', '-')}": f"/plans/{plan}{tab}" for tab in tabs},
    }


def screenshots(demo, folder, ways, only):
    """Takes screenshots of all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    demo.wait("prince-s-wine-cellars")
    for way in ways:
        window = Browser(demo.base, demo.people["ada"], **WAYS[way])
        for name, address in addresses(demo).items():
            if only and name not in only:
                continue
            try:
                demo.drain()
                window.open(address)
                time.sleep(1.5)
                window.picture(folder / f"{name}.{way}.png", whole=name != "now")
            except AssertionError as error:
                print(f"{name}, {way}: {str(error)[:200]}", flush=True)
            for problem in window.complaints() + window.wider_than_window():
                print(f"{name}, {way}: {problem}", flush=True)
        window.end()


def zooms(demo, folder, ways):
    """Takes screenshots of the map around Vaduz, from the whole world to a single house."""
    folder.mkdir(parents=True, exist_ok=True)
    for way in ways:
        window = Browser(demo.base, demo.people["ada"], **WAYS[way])
        try:
            window.open("/explore")
            window.press("Map", "main")
            window.drawn("road")
            for zoom in range(3, 19):
                demo.drain()
                window.map("view.gl.jumpTo({center: [arguments[1], arguments[0]], zoom: arguments[2]})", 47.139, 9.522, zoom)
                window.until(lambda: window.map("return view.gl.loaded() && !view.gl.isMoving()"), "the map", 60)
                window.picture(folder / f"{zoom:02}.{way}.png", whole=False)
        finally:
            window.end()


#: Pans for a while and returns the times between frames and of the long tasks, in milliseconds.
PANNING = """
const done = arguments[arguments.length - 1], view = document.querySelector('.map').view, frames = [], tasks = [];
const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
observer.observe({ type: 'longtask' });
let last, steps = 0;
const frame = (now) => { if (last) frames.push(now - last); last = now; if (steps < 9) requestAnimationFrame(frame); };
const step = () => {
  if (++steps > 8) { observer.disconnect(); done([frames, tasks]); return; }
  view.gl.once('moveend', step);
  view.gl.panBy([steps % 2 ? 400 : -250, steps % 3 ? 200 : -300], { duration: 700, essential: true });
};
requestAnimationFrame(frame); step();
"""


def frames(demo):
    """Measures panning over the streets of Vaduz: the frames, which this machine may draw without a graphics card, and
    the tasks of more than 50 ms that keep the page from answering."""
    for way in ("desk", "phone"):
        window = Browser(demo.base, demo.people["ada"], **WAYS[way])
        try:
            window.open("/explore")
            window.press("Map", "main")
            for zoom in (9, 12, 14, 16):
                demo.drain()
                window.map("view.gl.jumpTo({center: [9.522, 47.139], zoom: arguments[0]})", zoom)
                window.until(lambda: window.map("return view.gl.loaded() && !view.gl.isMoving()"), "the map", 60)
                times, tasks = window.driver.execute_async_script(PANNING)
                times.sort()
                print(f"{way}, zoom {zoom}: {len(times)} frames, {times[len(times) // 2]:.0f} ms in the median, "
                      f"{times[len(times) * 95 // 100]:.0f} for 95 of 100; {len(tasks)} tasks over 50 ms"
                      + (f", {max(tasks):.0f} at most" if tasks else ""), flush=True)
        finally:
            window.end()


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--waymark", default=".build/debug/waymark", help="the executable, in the repository's build folder")
parser.add_argument("--speed", type=float, default=20, help="the multiple of real time")
parser.add_argument("--picture", type=pathlib.Path, help="the file for the picture of README")
parser.add_argument("--to", type=pathlib.Path, help="the folder for screenshots of all pages")
parser.add_argument("--zooms", type=pathlib.Path, help="the folder for screenshots of the map at each zoom")
parser.add_argument("--frames", action="store_true", help="measure how the map pans")
parser.add_argument("--way", action="append", choices=list(WAYS), help="only these ways")
parser.add_argument("--only", action="append", help="only these pages")
options = parser.parse_args()
playing = Demo(options.waymark, options.speed)
try:
    if options.picture:
        picture(playing, options.picture)
    if options.to:
        screenshots(playing, options.to, options.way or WAYS, options.only)
    if options.frames:
        frames(playing)
    if options.zooms:
        zooms(playing, options.zooms, options.way or WAYS)
finally:
    playing.end()

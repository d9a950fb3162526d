"""Starts a daemon in a folder of its own for the tests of the pages, with a drive, and people and their contributions.

    python3 Tests/Pages/stage.py --waymark .build/debug/waymark

prints the address and runs until it is interrupted."""

import argparse
import functools
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from datetime import datetime, timedelta, timezone

import client as clients

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEOPLE = [("ada", "Ada", "Lovelace"), ("bob", "Bob", "Hope"), ("cleo", "Cleo", "de Nijl"), ("dan", "Dan", "Brown")]


class Stage:
    """The daemon, its door, and the clients of four people by username."""

    def __init__(self, options):
        self.options = options
        self.processes = []
        self.folder = None
        self.people = {}
        self.made = {}
        #: The sources that the daemon reads, by device.
        self.sources = {}
        #: The time at which the last ride of a device ended.
        self.rides = {}
        if options.base:
            self.base, self.mail = options.base.rstrip("/"), pathlib.Path(options.mail)
        else:
            self._start()

    def _start(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-pages-"))
        self.mail = self.folder / "mail"
        port = self.options.port or free_port()
        self.base = f"http://127.0.0.1:{port}"
        waymark, store = self.options.waymark, self.folder / "van.sqlite"
        run([waymark, "sight", "import", str(ROOT / "fixtures/amsterdam.sights.csv"), "--store", str(store)])
        self._configure("[]")
        self.command = [waymark, "daemon", "--config", str(self.folder / "waymark.yaml")]
        if not self.options.door:
            self.command += ["--web", f"127.0.0.1:{port}"]
        self._run(self.command, "daemon.log")
        wait_for(lambda: (self.folder / "van.sock").exists(), "the daemon")
        if self.options.door:
            door = self.options.door.format(socket=self.folder / "van.sock", port=port)
            self._run(shlex.split(door), "door.log")
        wait_for(lambda: urllib.request.urlopen(self.base + "/healthz", timeout=2).status == 200, "the door")

    def restart(self, meanwhile=lambda: None):
        """Stops the daemon and starts it again on the same store."""
        self.processes[0].terminate()
        self.processes[0].wait(20)
        meanwhile()
        self._run(self.command, "daemon.log")
        self.processes[0] = self.processes.pop()
        wait_for(lambda: clients.Client(self.base).call("server.info"), "the daemon again")

    def ride(self, device, places):
        """Makes a device ride over places (degrees north, degrees east), 5 s apart, and waits until it is at the last."""
        start = max(datetime.now(timezone.utc) - timedelta(minutes=6), self.rides.get(device, datetime.min.replace(tzinfo=timezone.utc)) + timedelta(minutes=1))
        self.rides[device] = start + timedelta(seconds=5 * len(places))
        self.replay(device, [(start + timedelta(seconds=5 * n), *place) for n, place in enumerate(places)])

    def replay(self, device, fixes):
        """Replays fixes (time in UTC, degrees north, degrees east) of a device, and waits until it is at the last."""
        self.replay_all({device: fixes})

    def replay_all(self, devices):
        """Replays the fixes of several devices at the same time, and waits until each is at its last."""
        for device, fixes in devices.items():
            self._record(device, fixes)
        self._reload()
        for device, fixes in devices.items():
            end = f"{fixes[-1][0]:%Y-%m-%dT%H:%M:%S}"
            wait_for(lambda: clients.Client(self.base).call("position.current", device=device)["time"].startswith(end), f"{device} at its last fix")

    def _record(self, device, fixes):
        """Writes fixes of a device to a file, which becomes its source."""
        points = "".join(
            f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><time>{time:%Y-%m-%dT%H:%M:%SZ}</time></trkpt>'
            for time, latitude, longitude in fixes)
        start, *_ = fixes[0]
        file = self.folder / f"{device}-{start:%Y%m%d-%H%M%S}.gpx"
        file.write_text(f'<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>')
        self.sources[device] = f"{device}={file}?speed=max"

    def _reload(self):
        """Makes the daemon read the list of sources again."""
        self._configure(json.dumps(list(self.sources.values())))
        self.processes[0].send_signal(signal.SIGHUP)

    def _configure(self, sources):
        pages = ROOT / "Sources/Doors/WebServer/Pages"
        web = "" if self.options.door else f"web:\n  pages: {pages}\n"
        (self.folder / "waymark.yaml").write_text(
            f"sources: {sources}\nstore: {self.folder}/van.sqlite\nsocket: {self.folder}/van.sock\n"
            f"mail:\n  file: {self.mail}\nnotifications:\n  push: private\n"
            # Four people do in half an hour here what others do in a month.
            f"limits:\n  posts: 300\n  reviews: 600\n  suggestions: 600\n  requests: 600\n{web}")

    def drive(self, speed, after=None):
        """Makes the van drive through Amsterdam, and waits until the daemon reports its position."""
        # A source whose address stays the same is not read again.
        file = self.folder / f"drive{len(list(self.folder.glob('drive*.nmea')))}.nmea"
        begin = datetime.now(timezone.utc) - timedelta(minutes=6)
        file.write_text(moved(ROOT / "fixtures/city-drive.nmea", to=max(begin, after or begin)))
        self.sources["van"] = f"van={file}?speed={speed}"
        self._reload()
        wait_for(lambda: clients.Client(self.base).call("devices.list")["devices"], "the van")

    def keep_driving(self):
        """Makes the van drive again if it has arrived, which it has after a while on a slow machine."""
        client = clients.Client(self.base)
        devices = client.call("server.stats")["devices"]
        if self.folder and not next(one["online"] for one in devices if one["device"] == "van"):
            last = datetime.fromisoformat(client.call("position.current", device="van")["time"])
            self.drive(self.options.speed, after=last)

    def _run(self, command, log):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WAYMARK_")}
        with open(self.folder / log, "a") as output:
            self.processes.append(subprocess.Popen(command, stdout=output, stderr=output, env=environment))

    def administer(self, person, *options):
        """Makes a person an administrator, as a user of the machine does; "--remove" takes the right away."""
        run([self.options.waymark, "people", "admin", person, *options, "--socket", str(self.folder / "van.sock")])

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            process.wait(20)
        if self.folder and not self.options.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def seed(self):
        """Signs four people up, and makes them plan, rate, vote and post."""
        for username, first, last in PEOPLE:
            self.people[username] = clients.sign_up(self.base, self.mail, username, first, last)
        ada, bob, cleo, dan = (self.people[name] for name, _, _ in PEOPLE)
        for n, person in enumerate(self.people.values()):
            person.upload(f"person/{PEOPLE[n][0]}", clients.picture(n + 40, 240, 240))
        for asker, asked in [("bob", "ada"), ("cleo", "ada"), ("cleo", "bob")]:
            self.people[asker].call("friends.request", person=asked)
            self.people[asked].call("friends.confirm", person=asker)
        for follower, followed in [("ada", "bob"), ("ada", "cleo"), ("bob", "ada"), ("dan", "ada"), ("cleo", "bob")]:
            self.people[follower].call("people.follow", person=followed)
        for name, sight, rating, text in [
            ("ada", "westerkerk", 5, "Climb the tower: the whole canal belt lies below you."),
            ("bob", "rijksmuseum", 5, "Go early, and straight to the second floor."),
            ("bob", "westerkerk", 4, "The carillon plays on Tuesdays."), ("cleo", "rijksmuseum", 4, "Crowded, and worth it."),
            ("cleo", "artis", 5, "The butterflies!"), ("dan", "van-gogh-museum", 3, "Book ahead."), ("dan", "artis", 4, ""),
        ]:
            self.people[name].call("reviews.put", subject=f"sight/{sight}", rating=rating, text=text)
        self.drive(self.options.speed)
        for person in (ada, bob, cleo):
            person.call("devices.join", device="van")
        self._plan(ada, bob, cleo)
        self._show(ada, bob, cleo)
        sight = bob.call(
            "sights.add", title="The quiet bench", lat=52.3701, lon=4.8899, radius=60, category="view",
            description="A bench under a lime tree, where the tour boats turn.")
        bob.upload(f"sight/{sight['id']}", clients.picture(3), "In the morning")
        self.made["sight"] = sight["id"]
        vote = ada.call(
            "votes.open", subject="Where do we have lunch?", participants=4, limit="1h", passcode="2468",
            options=["Pancakes on the barge", "Herring at the stall", "Soup at home"], colour="teal")
        bob.call("votes.get", vote=vote["id"], passcode="2468")
        bob.call("votes.choose", vote=vote["id"], option=1)
        bob.call("votes.done", vote=vote["id"])
        self.made["vote"] = vote["id"]
        done = bob.call(
            "votes.open", subject="Which boat tomorrow?", participants=2, limit="1h", passcode="1",
            options=["The red one", "The blue one"], colour="red")
        for voter, option in [(bob, 1), (cleo, 1)]:
            voter.call("votes.get", vote=done["id"], passcode="1")
            voter.call("votes.choose", vote=done["id"], option=option)
            voter.call("votes.done", vote=done["id"])
        self.made["finished vote"] = done["id"]
        dan.call("friends.request", person="ada")
        cleo.call("suggestions.send", subject="sight/artis", to="ada", text="You would love the butterflies.")

    def _plan(self, ada, bob, cleo):
        today = datetime.now(timezone.utc).date()
        day = {n: str(today + timedelta(days=n)) for n in range(2)}
        plan = ada.call(
            "plans.create", title="A day in Amsterdam", description="Canals, pictures and the zoo, without hurry.",
            zone="Europe/Amsterdam", start=day[0], end=day[1], destination="Amsterdam",
            lat=52.37, lon=4.89, people=4, postal_codes=["1012", "1016"])["id"]
        self.made["plan"] = plan
        for n, (name, latitude, longitude, at) in enumerate([
            ("Breakfast at the Westermarkt", 52.3742, 4.8838, day[0] + "T10:05"),
            ("Meet Bob before the Van Gogh Museum", 52.35885, 4.8811, day[0] + "T10:20"),
            ("The zoo", 52.36605, 4.9165, day[0] + "T11:30"), ("The ferry to Texel", 52.9636, 4.7843, day[1] + "T09:00"),
        ]):
            location = ada.call(
                "locations.add", **{"plan": plan, "name": name, "lat": latitude, "lon": longitude, "radius_m": 150, "from": at})
            if n < 2:
                ada.upload(f"location/{location['id']}", clients.picture(n + 10), name)
            self.made.setdefault("location", location["id"])
        for name, edits in [("bob", True), ("cleo", False)]:
            ada.call("members.ask", plan=plan, person=name, edits=edits)
            self.people[name].call("members.confirm", plan=plan)
        for tab, fields in [
            ("lodging", {"title": "The houseboat", "from": day[0] + "T15:00", "to": day[1] + "T10:00", "address": "Prinsengracht 100"}),
            ("transport", {"title": "Ferry to Texel", "mode": "ferry", "departure": "Den Helder", "arrival": "'t Horntje",
                           "from": day[1] + "T10:30", "to": day[1] + "T10:50"}),
            ("food", {"title": "Pancakes", "rating": 4, "recommendation": "With apple and ginger", "from": day[0] + "T12:30"}),
            ("itinerary", {"title": "A boat round the canals", "from": day[0] + "T17:00", "to": day[0] + "T18:30"}),
        ]:
            ada.call("activities.add", plan=plan, tab=tab, **fields)
        ada.call("expenses.add", plan=plan, title="Houseboat", amount="180.00", tab="lodging", category="lodging", day=day[0])
        bob.call("expenses.add", plan=plan, title="Pancakes", amount="46.50", tab="food", category="food", day=day[0])
        ada.call("expenses.add", plan=plan, title="Tickets for the zoo", amount="75.00", tab="places", category="tickets",
                 day=day[0], payers=[{"person": "cleo", "amount": "75.00"}])
        ada.upload(f"plan/{plan}", clients.picture(5), "The canals")
        self.made["link"] = ada.call("links.create", plan=plan)["link"]
        other = bob.call(
            "plans.create", title="Paris by train", description="Three days, on foot.", destination="Paris", lat=48.8566,
            lon=2.3522, zone="Europe/Paris", start="2026-06-05", end="2026-06-07", postal_codes=["75004"], people=2)["id"]
        for name, latitude, longitude in [("Gare du Nord", 48.8809, 2.3553), ("Louvre", 48.8606, 2.3376)]:
            bob.call("locations.add", plan=other, name=name, lat=latitude, lon=longitude)
        bob.call("plans.publish", plan=other, published=True)
        bob.upload(f"plan/{other}", clients.picture(8))
        ada.call("reactions.set", subject=f"plan/{other}", kind="like", on=True)
        self.made["published plan"] = other

    def _show(self, ada, bob, cleo):
        post = bob.call("posts.add", text="Rain coat weather, and still a good day.", brands=["Nordlicht", "Havn"], voting=True,
                        lat=52.3600, lon=4.8852)
        bob.upload(f"post/{post['id']}", clients.picture(21, 400, 480))
        ada.call("posts.judge", post=post["id"], choice="wear")
        cleo.call("reactions.set", subject=f"post/{post['id']}", kind="heart", on=True)
        self.made["post"] = post["id"]
        product = cleo.call(
            "posts.addProduct", name="Wool cap", brand="Havn", price="29.90", currency="EUR", link="https://shop.example/cap",
            text="Warm, and it folds into a pocket.", voting=True, lat=52.3702, lon=4.8952)
        cleo.upload(f"post/{product['id']}", clients.picture(23, 360, 360))
        self.made["product post"], self.made["product"] = product["id"], product["product"]["id"]
        ada.call("shopping.add", product=self.made["product"])
        ada.call("posts.add", text="Blue hour on the Amstel.", lat=52.3666, lon=4.9020)


def arguments(description):
    """Returns a parser with the options that every script here takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--waymark", default=str(ROOT / ".build/debug/waymark"), help="the executable")
    parser.add_argument("--base", help="use the door at this address, which is already open")
    parser.add_argument("--mail", help="the file to which that door appends mails (mail.file); with --base")
    parser.add_argument("--door", help="a command to serve the pages in place of --web, with {socket} and {port}")
    parser.add_argument("--port", type=int, help="the port; by default a free one")
    parser.add_argument("--speed", type=float, default=3, help="the factor by which the van drives faster than recorded")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    return parser


def moved(recording, to):
    """Returns the text of an NMEA recording, moved so that it begins at another time. What happens now needs a fix of now."""
    lines = recording.read_text().splitlines()
    dated = (line.split(",") for line in lines if line[3:6] == "RMC")
    first = next(datetime.strptime(f[9] + f[1][:6], "%d%m%y%H%M%S") for f in dated if f[9])
    shift = to.replace(tzinfo=None, microsecond=0) - first
    text = []
    for line in lines:
        fields = line[1:].split("*")[0].split(",")
        if line[3:6] in ("RMC", "GGA") and fields[1]:
            moment = datetime.strptime(first.strftime("%d%m%y") + fields[1][:6], "%d%m%y%H%M%S") + shift
            fields[1] = moment.strftime("%H%M%S.00")
            if fields[0].endswith("RMC"):
                fields[9] = moment.strftime("%d%m%y")
        body = ",".join(fields)
        text.append(f"${body}*{functools.reduce(lambda sum, byte: sum ^ byte, body.encode(), 0):02X}\r\n")
    return "".join(text)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def wait_for(look, what, patience=30):
    """Repeats a question until its result is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            answer = look()
            if answer:
                return answer
        except (OSError, clients.Refused):
            pass
        time.sleep(0.05)
    raise TimeoutError(f"timed out waiting for {what}")


if __name__ == "__main__":
    stage = Stage(arguments(__doc__).parse_args())
    try:
        stage.seed()
        print(f"{stage.base}  sign in as ada, bob, cleo or dan with \"a quiet road\"", flush=True)
        print(stage.made, flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        stage.end()

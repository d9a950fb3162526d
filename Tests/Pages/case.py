"""The common base of the tests of the pages: one stage, and a window for each person."""

import json
import pathlib
import tempfile
import unittest

import client
from browser import Browser


#: A script that answers some calls in the daemon's place, each method with one answer after the other or always with the same.
IN_PLACE = """
const answers = ANSWERS, plain = window.fetch;
window.fetch = async (address, options) => {
  if (address !== '/rpc') return plain(address, options);
  const one = JSON.parse(options.body);
  if (ADMIN && one.method === 'people.whoami') {
    const answer = await (await plain(address, options)).json();
    answer.result.admin = true;
    return new Response(JSON.stringify(answer));
  }
  if (!answers[one.method]) return plain(address, options);
  (window.asked ??= []).push(one);
  const result = Array.isArray(answers[one.method]) ? answers[one.method].shift() : answers[one.method];
  return new Response(JSON.stringify({jsonrpc: '2.0', id: one.id, result}));
};"""


class PageTest(unittest.TestCase):
    """A test that also checks that the console reports no errors and that pages contact no other host."""

    stage = None
    windows = {}
    #: The errors that the console may report because the test causes them.
    allowed = ()
    #: Whether the tests wait until a map is drawn.
    draws = False

    def window(self, person=None, **options):
        """Returns the window of a person, or of nobody. Without options, the windows of the stage's four people are reused."""
        key = (person, self.draws, tuple(sorted(options.items())))
        if key not in self.windows:
            self.windows[key] = Browser(self.stage.base, self.stage.people.get(person), sharp=False, draws=self.draws, **options)
        self.addCleanup(self.check, key)
        return self.windows[key]

    def check(self, key):
        """Fails if the console has reported an error. The window leaves its page, or is closed if no other test needs it."""
        person, _, options = key
        window = self.windows.get(key)
        if not window:
            return
        complaints = window.complaints(self.allowed)
        if options or person not in (None, "ada", "bob", "cleo", "dan"):
            self.windows.pop(key).end()
        else:
            # A live page would go on drawing during the next tests. A picture of the same door keeps the browser's process.
            window.driver.get(f"{self.stage.base}/favicon.svg")
        self.assertEqual(complaints, [], "the console, or a request elsewhere")

    def restart(self, meanwhile=lambda: None):
        """Restarts the daemon."""
        self.stage.restart(meanwhile)

    def call(self, who, method, /, **parameters):
        """Calls the daemon, to compare its answer with what the page shows."""
        return self.stage.people[who].call(method, **parameters)

    def answer_in_place(self, window, admin=False, **answers):
        """Answers methods in the daemon's place in a window. With `admin`, its person appears to be an administrator."""
        answers = json.dumps({name.replace("_", "."): each for name, each in answers.items()})
        script = window.tell("Page.addScriptToEvaluateOnNewDocument", source=IN_PLACE.replace("ANSWERS", answers).replace("ADMIN", json.dumps(admin)))
        self.addCleanup(lambda: window.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"]))

    def file(self, content, name="photo.png"):
        """Makes a file to choose in a form, from bytes or from the picture with a number."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-picture-"))
        path = folder / name
        path.write_bytes(client.picture(content, 64, 48) if isinstance(content, int) else content)
        self.addCleanup(lambda: (path.unlink(), folder.rmdir()))
        return str(path)

    def person(self, username, first, last):
        """Signs up another person, and returns the username."""
        people = self.stage.people
        people[username] = client.sign_up(self.stage.base, self.stage.mail, username, first, last)
        return username

    def plan(self, owner, title, members=(), locations=(), **fields):
        """Creates a plan with members and locations (name, degrees north, degrees east), and returns its id."""
        plan = self.call(owner, "plans.create", title=title, **fields)["id"]
        for member in members:
            self.call(owner, "members.ask", plan=plan, person=member)
            self.call(member, "members.confirm", plan=plan)
        for name, latitude, longitude, *more in locations:
            self.call(owner, "locations.add", plan=plan, name=name, lat=latitude, lon=longitude, **dict(*more))
        return plan

    def take_the_bike(self, *others):
        """Puts Ada, Cleo, Dan and others on a bike that is somewhere now. Who was in the van is there again after the test."""
        # A vote is opened where a person is now. The van replays a recording, so its time may be far ahead of the clock.
        self.stage.ride("bike", [(52.6, 5.2), (52.6002, 5.2), (52.6, 5.2)])
        for person in ("ada", "cleo", "dan", *others):
            self.call(person, "devices.join", device="bike")
        for person in others:
            self.addCleanup(self.call, person, "devices.leave", device="bike")
        for person in ("ada", "cleo", *others):
            self.call(person, "devices.leave", device="van")
            self.addCleanup(self.call, person, "devices.join", device="van")

    def vote(self, opener, subject, ballots=(), options=("Yes", "No"), participants=5, limit="1h"):
        """Creates a vote with ballots (person, option), and returns its number."""
        vote = self.call(opener, "votes.open", subject=subject, participants=participants, limit=limit, passcode="77", options=options)["id"]
        for voter, option in ballots:
            self.hand_in(vote, voter, option)
        return vote

    def hand_in(self, vote, voter, option, passcode="77"):
        self.call(voter, "votes.get", vote=vote, passcode=passcode)
        self.call(voter, "votes.choose", vote=vote, option=option)
        self.call(voter, "votes.done", vote=vote)

    def plan_named(self, who, title):
        """Returns what a list of a plan contains, by title."""
        return next(plan for plan in self.call(who, "plans.list")["plans"] if plan["title"] == title)

    @classmethod
    def end(cls):
        for window in cls.windows.values():
            window.end()
        cls.windows.clear()

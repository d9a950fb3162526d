"""What the tests of the pages have in common: one stage, and a window for each person."""

import pathlib
import tempfile
import unittest

import client
from browser import Browser


class PageTest(unittest.TestCase):
    """A test that sees the console silent and nobody else asked."""

    stage = None
    windows = {}
    #: What the console may say, since the test brings it about.
    allowed = ()

    def window(self, person=None, **options):
        """The window of a person, or of nobody; kept from test to test for the four of the stage, without options."""
        key = (person, tuple(sorted(options.items())))
        if key not in self.windows:
            self.windows[key] = Browser(self.stage.base, self.stage.people.get(person), **options)
        self.addCleanup(self.check, key)
        return self.windows[key]

    def check(self, key):
        """Fails where the console tells of an error; closes what no other test needs."""
        person, options = key
        window = self.windows.get(key)
        if not window:
            return
        complaints = window.complaints(self.allowed)
        if options or person not in (None, "ada", "bob", "cleo", "dan"):
            self.windows.pop(key).end()
        self.assertEqual(complaints, [], "the console, or a request elsewhere")

    def call(self, who, method, /, **parameters):
        """What the daemon says, to compare with what the page shows."""
        return self.stage.people[who].call(method, **parameters)

    def file(self, content, name="photo.png"):
        """A file to be chosen in a form: of these bytes, or the picture of a number."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-picture-"))
        path = folder / name
        path.write_bytes(client.picture(content, 64, 48) if isinstance(content, int) else content)
        self.addCleanup(lambda: (path.unlink(), folder.rmdir()))
        return str(path)

    def person(self, username, first, last):
        """Another person, who has signed up; answers the username."""
        people = self.stage.people
        people[username] = client.sign_up(self.stage.base, self.stage.mail, username, first, last)
        return username

    def plan(self, owner, title, members=(), locations=(), **fields):
        """A plan with these members, and locations of a name, degrees north and east; answers its id."""
        plan = self.call(owner, "plans.create", title=title, **fields)["id"]
        for member in members:
            self.call(owner, "members.ask", plan=plan, person=member)
            self.call(member, "members.confirm", plan=plan)
        for name, latitude, longitude, *more in locations:
            self.call(owner, "locations.add", plan=plan, name=name, lat=latitude, lon=longitude, **dict(*more))
        return plan

    def vote(self, opener, subject, ballots=(), options=("Yes", "No"), participants=5):
        """A vote with ballots of a person and an option; answers its number."""
        vote = self.call(opener, "votes.open", subject=subject, participants=participants, limit="1h", passcode="77", options=options)["id"]
        for voter, option in ballots:
            self.hand_in(vote, voter, option)
        return vote

    def hand_in(self, vote, voter, option, passcode="77"):
        self.call(voter, "votes.get", vote=vote, passcode=passcode)
        self.call(voter, "votes.choose", vote=vote, option=option)
        self.call(voter, "votes.done", vote=vote)

    def plan_named(self, who, title):
        """What is listed of a plan, by its title."""
        return next(plan for plan in self.call(who, "plans.list")["plans"] if plan["title"] == title)

    @classmethod
    def end(cls):
        for window in cls.windows.values():
            window.end()
        cls.windows.clear()

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
        """The window of a person, or of nobody; kept from test to test unless it has options."""
        key = (person, tuple(sorted(options.items())))
        if key not in self.windows:
            self.windows[key] = Browser(self.stage.base, self.stage.people.get(person), **options)
        window = self.windows[key]
        self.addCleanup(self.check, window)
        return window

    def check(self, window):
        self.assertEqual(window.complaints(self.allowed), [], "the console, or a request elsewhere")

    def call(self, who, method, /, **parameters):
        """What the daemon says, to compare with what the page shows."""
        return self.stage.people[who].call(method, **parameters)

    def file(self, seed, name="photo.png"):
        """A picture in a file, to be chosen in a form."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-picture-"))
        path = folder / name
        path.write_bytes(client.picture(seed, 64, 48))
        self.addCleanup(lambda: (path.unlink(), folder.rmdir()))
        return str(path)

    @classmethod
    def end(cls):
        for window in cls.windows.values():
            window.end()
        cls.windows.clear()

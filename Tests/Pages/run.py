"""Runs the tests of the pages in Chromium against a door.

    python3 Tests/Pages/run.py --waymark .build/debug/waymark [-k PATTERN]

Needs chromium, chromium-driver and python3-selenium of Debian. With --base and --mail it uses a door that is already
open; its store must be empty, and a device named van must be driving."""

import pathlib
import sys
import unittest

import stage
from case import PageTest

parser = stage.arguments(__doc__)
parser.add_argument("-k", action="append", help="only tests whose names contain this text")
parser.add_argument("--without", help="only tests whose names do not contain this text")
options = parser.parse_args()


def kept(suite):
    """Yields the tests of a suite that are not left out."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield unittest.TestSuite(kept(test))
        elif not options.without or options.without not in test.id():
            yield test


PageTest.stage = stage.Stage(options)
try:
    PageTest.stage.seed()
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in options.k] if options.k else None
    suite = loader.discover(str(pathlib.Path(__file__).parent), "test_*.py")
    done = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(kept(suite)))
finally:
    PageTest.end()
    PageTest.stage.end()
sys.exit(0 if done.wasSuccessful() else 1)

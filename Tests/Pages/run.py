"""Runs the tests of the pages in Chromium against a door.

    python3 Tests/Pages/run.py --waymark .build/debug/waymark [-k PATTERN] [--part 1/2]

Needs chromium, chromium-driver and python3-selenium of Debian. With --base and --mail it uses a door that is already
open; its store must be empty, and a device named van must be driving."""

import collections
import pathlib
import sys
import time
import unittest

import stage
from case import PageTest

parser = stage.arguments(__doc__)
parser.add_argument("-k", action="append", help="only tests whose names contain this text")
parser.add_argument("--part", default="1/1", help="only one part of the files; 1/2 is the first of two parts")
options = parser.parse_args()
part, parts = map(int, options.part.split("/"))


def of_part(files):
    """Returns the files of this part. Each part has about as many tests as another."""
    shares = [(0, number, []) for number in range(1, parts + 1)]
    for file in sorted(files, key=lambda file: (-file.countTestCases(), str(file))):
        count, number, share = min(shares, key=lambda share: share[:2])
        shares[number - 1] = (count + file.countTestCases(), number, share + [file])
    mine = shares[part - 1][2]
    return unittest.TestSuite(file for file in files if file in mine)


class TimedResult(unittest.TextTestResult):
    """A result that sums up the seconds of each file's tests."""

    seconds = collections.Counter()

    def startTest(self, test):
        super().startTest(test)
        self.start = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[type(test).__module__] += time.monotonic() - self.start


PageTest.stage = stage.Stage(options)
try:
    PageTest.stage.seed()
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in options.k] if options.k else None
    files = list(loader.discover(str(pathlib.Path(__file__).parent), "test_*.py"))
    done = unittest.TextTestRunner(verbosity=2, resultclass=TimedResult).run(of_part(files))
    print("seconds:", ", ".join(f"{file} {seconds:.0f}" for file, seconds in TimedResult.seconds.most_common()))
finally:
    PageTest.end()
    PageTest.stage.end()
sys.exit(0 if done.wasSuccessful() else 1)

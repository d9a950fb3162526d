"""Runs the tests of the pages in Chromium against a door.

    python3 Tests/Pages/run.py --waymark .build/debug/waymark [-k PATTERN] [--jobs 2]

Needs chromium, chromium-driver and python3-selenium of Debian. With --base and --mail it uses a door that is already
open; its store must be empty, and a device named van must be driving. With --jobs, as many processes share the tests,
each with a daemon of its own; each file of tests runs in one of them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import stage
from case import PageTest

parser = stage.arguments(__doc__)
parser.add_argument("-k", action="append", help="only tests whose names contain this text")
parser.add_argument("--jobs", type=int, default=1, help="how many processes share the tests; by default 1")
parser.add_argument("--part", default="1/1", help="which share of the tests to run: 1/2 is the first of two")
options = parser.parse_args()


def tests(part):
    """Returns the files of tests of one of several shares, in order. The shares hold about as many tests each."""
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in options.k] if options.k else None
    files = list(loader.discover(str(pathlib.Path(__file__).parent), "test_*.py"))
    number, of = (int(digits) for digits in part.split("/"))
    counts = [0] * of
    chosen = unittest.TestSuite()
    shares = {}
    for file in sorted(files, key=lambda file: -file.countTestCases()):
        shares[id(file)] = counts.index(min(counts))
        counts[shares[id(file)]] += file.countTestCases()
    chosen.addTests(file for file in files if shares[id(file)] == number - 1)
    return chosen


def run_side_by_side():
    """Runs each share in a process, prints what they print one after the other, and returns whether all succeeded."""
    outputs = [tempfile.TemporaryFile("w+") for _ in range(options.jobs)]
    processes = [
        subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--jobs", "1", "--part", f"{n + 1}/{options.jobs}"],
                         stdout=output, stderr=subprocess.STDOUT)
        for n, output in enumerate(outputs)]
    statuses = []
    for process, output in zip(processes, outputs):
        statuses.append(process.wait())
        output.seek(0)
        print(output.read(), flush=True)
    return not any(statuses)


if options.jobs > 1:
    sys.exit(0 if run_side_by_side() else 1)

PageTest.stage = stage.Stage(options)
try:
    PageTest.stage.seed()
    done = unittest.TextTestRunner(verbosity=2).run(tests(options.part))
finally:
    PageTest.end()
    PageTest.stage.end()
sys.exit(0 if done.wasSuccessful() else 1)

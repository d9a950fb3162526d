#!/usr/bin/env python3
"""Lists the rows of the acceptance criteria with the tests of the pages that show them; exits with 1 if a row has none.

A test's name ends in the numbers of the rows that it shows."""

import pathlib
import re
import sys

COUNTS = {"TG": 12, "MT": 15, "VO": 15, "VT": 15, "GT": 15, "OU": 10}
#: The rows that a browser cannot show, and why.
ELSEWHERE = {
    "OU-3": "Tests/MoneyTests computes 100,000 ledgers; the page adds up its own in VT-7 and OU-7",
    "OU-5": "Tests/UplinkTests/UplinkTests and .ci/press-uplink kill both ends; the page Machine shows its state",
}


tests = {}
for file in sorted(pathlib.Path(__file__).parent.glob("test_*.py")):
    for name in re.findall(r"def (test_\w+)", file.read_text()):
        for document, number in re.findall(r"_(TG|MT|VO|VT|GT|OU)_(\d+)", name):
            tests.setdefault(f"{document}-{number}", []).append(f"{file.stem}.{name.split('__')[0]}")
known = [f"{document}-{n}" for document, count in COUNTS.items() for n in range(1, count + 1)]
for row in known:
    print(f"{row:6} {', '.join(tests.get(row, [])) or ELSEWHERE.get(row, 'NO TEST')}")
missing = [row for row in known if row not in tests and row not in ELSEWHERE]
print(f"{len(known)} rows, {len(set(known) & set(tests))} shown, {len(missing)} without a test")
sys.exit(bool(missing or set(tests) - set(known)))

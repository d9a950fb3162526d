"""Measures the door: a good page beside 10,000 connections that never complete a request; and the time until the page
Now appears for a new visitor, on a processor that is slowed down four times.

    python3 Tests/Pages/measure.py --waymark .build/release/waymark"""

import argparse
import http.client
import os
import re
import resource
import socket
import statistics
import time
import urllib.parse

import stage
from browser import Browser

parser = stage.arguments(__doc__)
parser.add_argument("--storm", action=argparse.BooleanOptionalAction, default=True, help="measure the connections as well")
options = parser.parse_args()
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
made = stage.Stage(options)
daemon = made.processes[0].pid
address = urllib.parse.urlsplit(made.base)


def memory():
    """Returns the resident memory in MB."""
    with open(f"/proc/{daemon}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1000


def descriptors():
    return len(os.listdir(f"/proc/{daemon}/fd"))


def storm(count=10_000):
    """Opens connections that send nothing, half a header or half a body, and requests a page now and then."""
    host = f"Host: {address.netloc}\r\n".encode()
    beginnings = [
        b"", b"GET / HTTP/1.1\r\n" + host,
        b"POST /rpc HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
    ]
    good = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    times = []

    def ask():
        begin = time.monotonic()
        good.request("GET", "/")
        answer = good.getresponse()
        answer.read()
        assert answer.status == 200
        times.append(1000 * (time.monotonic() - begin))

    ask()
    print(f"before: {memory():.1f} MB, {descriptors()} descriptors")
    times.clear()
    hanging = []
    for number in range(count):
        try:
            connection = socket.create_connection((address.hostname, address.port), timeout=10)
            connection.sendall(beginnings[number % 3])
            hanging.append(connection)
        except OSError:
            pass
        if number % 100 == 0:
            ask()
    print(f"{count} connections: {memory():.1f} MB, {descriptors()} descriptors; a good page took {statistics.median(times):.1f} ms "
          f"in the median, {max(times):.1f} at most")
    for connection in hanging:
        connection.close()


#: Notes when the page shows its first card, the picture of the map, and the map itself, by the page's own clock.
WATCH = """
window.seen = {};
const look = () => {
  const now = {
    card: document.querySelector('main .card'),
    picture: document.querySelector('.map-snapshot')?.complete,
    map: document.querySelector('.map')?.view?.gl?.loaded(),
  };
  for (const name in now) if (now[name]) window.seen[name] ??= performance.now() / 1000;
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def first_view(runs=7, factor=4):
    """Measures when a new browser shows the page Now, and when it does so again, by the frames that it draws."""
    made.drive(1)
    seen = {"new": [], "again": []}
    for _ in range(runs):
        window = Browser(made.base)
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        window.tell("Emulation.setCPUThrottlingRate", rate=factor)
        for visit in seen.values():
            window.driver.get(made.base + "/")
            window.until(lambda: window.driver.execute_script("return window.seen.map && localStorage.getItem('read:map') ? 1 : 0"),
                         "the map", 30)
            visit.append(window.driver.execute_script("return window.seen"))
            window.driver.get("about:blank")
        window.end()
    print(f"page Now, processor slowed {factor} times, {runs} browsers, seconds in the median (at most):")
    for name, visits in seen.items():
        for what in ("card", "picture", "map"):
            times = [visit[what] for visit in visits if what in visit]
            if times:
                print(f"  {name}: {what} {statistics.median(times):.2f} ({max(times):.2f})")


try:
    options.storm and storm()
    first_view()
finally:
    made.end()

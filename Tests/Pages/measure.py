"""Measures the door: a good page beside 10,000 connections that never complete a request; and the time until the page
Now appears for a new visitor, on a processor that is slowed down four times.

    python3 Tests/Pages/measure.py --waymark .build/release/waymark"""

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


def first_view(runs=7, factor=4):
    """Measures the time from the first request to the map of the page Now, with an empty cache."""
    made.drive(1)
    times = []
    for _ in range(runs):
        window = Browser(made.base)
        window.tell("Emulation.setCPUThrottlingRate", rate=factor)
        begin = time.monotonic()
        window.driver.get(made.base + "/")
        window.until(lambda: window.driver.execute_script(
            "return document.querySelector('main h1') && document.querySelector('.map')?.view?.gl?.loaded() ? 1 : 0"), "the map", 30)
        seen = time.monotonic() - begin
        paint = window.driver.execute_script(
            "return performance.getEntriesByName('first-contentful-paint').map(entry => entry.startTime)[0] || 0")
        times.append((seen, paint / 1000))
        window.end()
    print(f"first view, processor slowed {factor} times, {runs} new browsers: the first text after "
          f"{statistics.median(paint for _, paint in times):.2f} s, the map after {statistics.median(seen for seen, _ in times):.2f} s "
          f"in the median, {max(seen for seen, _ in times):.2f} at most")


try:
    storm()
    first_view()
finally:
    made.end()

"""What the peers share: the work's fixes and polygons, the events that follow, and the line of figures."""
import json
import pathlib
import resource
import sys

MASK = (1 << 64) - 1


def mix(value):
    """SplitMix64's finaliser."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def rows(folder, name, limit=None):
    with open(pathlib.Path(folder) / name, encoding="utf-8") as file:
        next(file)
        for number, line in enumerate(file):
            if number == limit:
                return
            yield line.rstrip("\n")


def fixes(folder, limit):
    """Yields device, milliseconds, latitude and longitude; the numbers of the place are texts."""
    for row in rows(folder, "fixes-1000x1000.csv", limit):
        device, milliseconds, latitude, longitude = row.split(",")[:4]
        yield int(device), int(milliseconds), latitude, longitude


def polygons(folder):
    """Yields the id and the WKT of each polygon."""
    for row in rows(folder, "shapes-10001.csv"):
        number, text = row.split(",", 1)
        yield int(number), text


def report(peer, folder, hits, seconds, cpu, limit, **more):
    """Prints the line of figures of a peer that found pairs of a fix, counted from 0, and a polygon that covers it."""
    covering = {}
    for fix, polygon in hits:
        covering.setdefault(fix, set()).add(polygon)
    inside, total, events, count = {}, 0, 0, 0
    for number, (device, milliseconds, *_) in enumerate(fixes(folder, limit)):
        now, before = covering.get(number, set()), inside.get(device, set())
        for polygon in now ^ before:
            total += mix(mix(device << 32 | polygon) ^ (milliseconds * 2 + (polygon in now)) & MASK)
            events += 1
        inside[device] = now
        count += 1
    print(json.dumps({
        "peer": peer, "workload": f"fence-shapes-{count}", "n": count, "seconds": round(seconds, 6),
        "cpu_seconds": round(cpu, 6), "rate_per_s": round(count / seconds, 1),
        "peak_rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "result_checksum": f"{total & MASK:016x}", "events": events, **more}))
    sys.stdout.flush()

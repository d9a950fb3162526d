"""Prints the medians of the lines of figures in a file, and their ratios to Waymark's among the polygons."""
import json
import statistics
import sys

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
runs = {}
for line in lines:
    runs.setdefault((line["peer"], line["workload"]), []).append(line)
# The processor time of a run says how much work it was, whatever else the machine did meanwhile.
cost = {key: statistics.median(1e6 * run["cpu_seconds"] / run["n"] for run in each) for key, each in runs.items()}
own = cost[("waymark", "fence-shapes-1000000")]
for (peer, workload), each in sorted(runs.items()):
    sums = sorted({run["result_checksum"] for run in each})
    print(f"{peer:10} {workload:30} {cost[(peer, workload)]:10.3f} us a fix, {len(each)} runs, "
          f"{cost[(peer, workload)] / own:8.1f} times waymark among polygons, {', '.join(sums)}")
circles = cost.get(("waymark", "fence-100000-1000000"))
both = cost.get(("waymark", "fence-shapes-circles-1000000"))
if circles and both:
    print(f"a fix among circles and polygons costs {both / circles:.2f} times one among the circles alone")

"""Shapely 2: the polygons in an STRtree, and prepared. All fixes are asked in one call, and the rest is GEOS's own work."""
import sys
import time

import numpy
import shapely

import fences

folder, limit = sys.argv[1], int(sys.argv[2])
numbers, texts = zip(*fences.polygons(folder))
# One by one: NumPy would give each text the room of the longest.
polygons = numpy.array([shapely.from_wkt(text) for text in texts])
places = [(float(longitude), float(latitude)) for *_, latitude, longitude in fences.fixes(folder, limit)]
points = shapely.points(places)
tree = shapely.STRtree(polygons)
shapely.prepare(polygons)
tree.query(points[:1])
begin, processor = time.perf_counter(), time.process_time()
near = tree.query(points)
covers = shapely.covers(polygons[near[1]], points[near[0]])
seconds, cpu = time.perf_counter() - begin, time.process_time() - processor
hits = [(int(fix), numbers[polygon]) for fix, polygon in near[:, covers].T]
fences.report("shapely", folder, hits, seconds, cpu, limit, version=shapely.__version__)

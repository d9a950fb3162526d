"""Makes map tiles of invented streets, in each of the schemas that the map knows (Mapbox vector tile 2.1)."""

import json
import struct

EXTENT = 4096


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(tag, content):
    return varint(tag << 3 | 2) + varint(len(content)) + content


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def geometry(kind, points):
    """Encodes a point (1), a line (2) or an area (3)."""
    commands, (x, y) = [], (0, 0)
    for n, (east, south) in enumerate(points):
        if n < 2:
            commands.append(9 if n == 0 else 2 | len(points) - 1 << 3)
        commands += [zigzag(east - x), zigzag(south - y)]
        x, y = east, south
    return b"".join(map(varint, commands + ([15] if kind == 3 else [])))


def value(of):
    if isinstance(of, bool):
        return varint(7 << 3) + varint(of)
    if isinstance(of, str):
        return field(1, of.encode())
    return varint(3 << 3 | 1) + struct.pack("<d", of)


def layer(name, features):
    """Encodes a layer of features (kind, points, properties)."""
    keys, values, body = [], [], b""
    for kind, points, properties in features:
        tags = b""
        for key, each in properties.items():
            for known, one in ((keys, key), (values, each)):
                if not any(one == other and type(one) is type(other) for other in known):
                    known.append(one)
            at = next(n for n, other in enumerate(values) if other == each and type(other) is type(each))
            tags += varint(keys.index(key)) + varint(at)
        body += field(2, field(2, tags) + varint(3 << 3) + varint(kind) + field(4, geometry(kind, points)))
    texts = b"".join(field(3, key.encode()) for key in keys) + b"".join(field(4, value(each)) for each in values)
    numbers = varint(5 << 3) + varint(EXTENT) + varint(15 << 3) + varint(2)
    return field(3, field(1, name.encode()) + body + texts + numbers)


def square(west, north, side):
    return [(west, north), (west + side, north), (west + side, north + side), (west, north + side)]


#: What lies in each tile: a kind of geometry, and where it lies.
SHAPES = {
    "wood": (3, square(200, 200, 1200)), "water": (3, square(2600, 200, 1100)), "building": (3, square(700, 2600, 500)),
    "main": (2, [(-64, 2000), (4160, 2100)]), "street": (2, [(2048, -64), (2048, 4160)]),
        "path": (2, [(300, 3900), (1900, 2300)]),
    "rail": (2, [(-64, 3200), (4160, 3300)]), "bridge": (2, [(2500, 3000), (2700, 3600)]),
        "border": (2, [(-64, 1600), (4160, 1500)]),
    "stream": (2, [(2400, 4160), (3000, 2300)]), "town": (1, [(1500, 1700)]), "house": (1, [(2380, 2600)]),
    "cafe": (1, [(2120, 2340)]), "lake": (1, [(3100, 700)]),
}

#: For each schema, the layers of a tile: the shape and the properties of each feature.
SCHEMAS = {
    "OpenMapTiles": {
        "landcover": [("wood", {"class": "wood"})], "water": [("water", {"class": "lake"})],
            "building": [("building", {})],
        "waterway": [("stream", {"class": "stream", "name": "Brook"})],
        "transportation": [
            ("main", {"class": "primary"}), ("street", {"class": "minor"}), ("path", {"class": "path"}),
                ("rail", {"class": "rail"}),
            ("bridge", {"class": "secondary", "brunnel": "bridge"})],
        "transportation_name": [("main", {"class": "primary", "name": "{way}", "ref": "B 1"}),
            ("street", {"class": "minor", "name": "Short Street"})],
        "boundary": [("border", {"admin_level": 2})], "place": [("town", {"class": "town", "name": "{town}"})],
        "housenumber": [("house", {"housenumber": "7a"})],
            "poi": [("cafe", {"class": "cafe", "subclass": "cafe", "name": "Harbour Café", "rank": 1})],
        "water_name": [("lake", {"class": "lake", "name": "Round Lake"})],
    },
    "Protomaps": {
        "earth": [], "landuse": [("wood", {"kind": "forest"})],
        "water": [("water", {"kind": "lake"}), ("stream", {"kind": "stream", "name": "Brook"}),
            ("lake", {"kind": "lake", "name": "Round Lake"})],
        "buildings": [("building", {"kind": "building"}), ("house", {"kind": "address", "addr_housenumber": "7a"})],
        "roads": [
            ("main", {"kind": "major_road", "kind_detail": "primary", "name": "{way}", "ref": "B 1"}),
            ("street", {"kind": "minor_road", "kind_detail": "residential", "name": "Short Street"}),
            ("path", {"kind": "path", "kind_detail": "footway"}), ("rail", {"kind": "rail", "kind_detail": "rail"}),
            ("bridge", {"kind": "major_road", "kind_detail": "secondary", "is_bridge": True})],
        "boundaries": [("border", {"kind": "country", "kind_detail": 2})],
        "places": [("town", {"kind": "locality", "kind_detail": "town", "name": "{town}", "population_rank": 6})],
        "pois": [("cafe", {"kind": "cafe", "name": "Harbour Café", "min_zoom": 14})],
    },
    "Protomaps 3": {
        "earth": [], "landuse": [("wood", {"pmap:kind": "forest"})],
        "water": [("water", {"pmap:kind": "lake"}), ("lake", {"pmap:kind": "lake", "name": "Round Lake"})],
        "physical_line": [("stream", {"pmap:kind": "stream", "name": "Brook"})],
        "buildings": [("building", {"pmap:kind": "building"}),
            ("house", {"pmap:kind": "address", "addr_housenumber": "7a"})],
        "roads": [
            ("main", {"pmap:kind": "major_road", "pmap:kind_detail": "primary", "name": "{way}", "ref": "B 1"}),
            ("street", {"pmap:kind": "minor_road", "pmap:kind_detail": "residential", "name": "Short Street"}),
            ("path", {"pmap:kind": "path", "pmap:kind_detail": "footway"}),
            ("bridge", {"pmap:kind": "major_road", "pmap:kind_detail": "secondary", "pmap:level": 1})],
        "transit": [("rail", {"pmap:kind": "rail"})],
        "boundaries": [("border", {"pmap:min_admin_level": 2})],
        "places": [("town", {"pmap:kind": "locality", "pmap:kind_detail": "town", "name": "{town}",
            "pmap:population_rank": 6})],
        "pois": [("cafe", {"pmap:kind": "cafe", "name": "Harbour Café", "pmap:min_zoom": 14})],
    },
    "Shortbread": {
        "land": [("wood", {"kind": "forest"})], "water_polygons": [("water", {"kind": "water"})],
            "buildings": [("building", {})],
        "water_lines": [("stream", {"kind": "stream"})],
            "water_lines_labels": [("stream", {"kind": "stream", "name": "Brook"})],
        "water_polygons_labels": [("lake", {"kind": "water", "name": "Round Lake"})],
        "streets": [
            ("main", {"kind": "primary"}), ("street", {"kind": "residential"}), ("path", {"kind": "footway"}),
                ("rail", {"kind": "rail", "rail": True}),
            ("bridge", {"kind": "secondary", "bridge": True})],
        "street_labels": [("main", {"kind": "primary", "name": "{way}", "ref": "B 1"}),
            ("street", {"kind": "residential", "name": "Short Street"})],
        "boundaries": [("border", {"admin_level": 2})],
            "place_labels": [("town", {"kind": "town", "name": "{town}", "population": 20000})],
        "addresses": [("house", {"housenumber": "7a"})],
            "pois": [("cafe", {"amenity": "cafe", "name": "Harbour Café"})],
    },
}


def tile(schema, way="Long Road", town="Harbour Town"):
    """Returns a tile. It looks the same everywhere."""
    def named(properties):
        return {key: {"{way}": way, "{town}": town}.get(each, each) if isinstance(each, str) else each for key,
            each in properties.items()}
    return b"".join(
        layer(name, [(*SHAPES[shape], named(properties)) for shape, properties in features]) for name,
            features in SCHEMAS[schema].items())


def description(schema, bounds=(5, 50, 6, 51), **more):
    """Returns what /tiles.json says of a file with such tiles."""
    return {
        "tiles": "/tiles/{z}/{x}/{y}", "attribution": "© The Inventors", "min_zoom": 0, "max_zoom": 14,
            "bounds": bounds, "provider": None,
        "vector_layers": [{"id": name, "fields": {}} for name in SCHEMAS[schema]], **more}


def archive(schema, bounds=(5, 50, 6, 51), attribution="© The Inventors"):
    """Returns a PMTiles file (version 3) with one tile, that of the zoom level 0."""
    made = tile(schema)
    metadata = json.dumps({"attribution": attribution,
        "vector_layers": [{"id": name, "fields": {}} for name in SCHEMAS[schema]]}).encode()
    # One entry: the first tile, once, with its length, at the beginning.
    directory = bytes([1, 0, 1]) + varint(len(made)) + bytes([1])
    after = 127 + len(directory)
    places = (127, len(directory), after, len(metadata), 0, 0, after + len(metadata), len(made), 1, 1, 1)
    edges = [round(degrees * 10_000_000) for degrees in bounds]
    return (b"PMTiles\x03" + struct.pack("<11Q", *places) + bytes([1, 1, 1, 1, 0, 0]) + struct.pack("<4i", *edges)
        + bytes(9) + directory + metadata + made)

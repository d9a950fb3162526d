import GPX
import Geodesy
import Interchange
import Positioning
import Receivers
import Shapes

/// The formats of maps and apps.
extension SightFile {
    /// Whether the root element of an XML document is that of KML.
    static func isKML(_ beginning: [UInt8]) -> Bool {
        // The zero bytes of UTF-16 are skipped.
        let text = String(decoding: beginning.prefix(8192).filter { $0 != 0 }, as: UTF8.self)
        guard let kml = text.firstRange(of: "<kml") ?? text.firstRange(of: ":kml") else { return false }
        // A GPX file may declare a namespace of that name.
        return text.firstRange(of: "<gpx").map { kml.lowerBound < $0.lowerBound } ?? true
    }

    static func kml(_ first: [UInt8], _ file: FileBytes, _ options: Options) throws(RecordingError) -> Content {
        let bytes = try whole(first, file, atMost: KMLReader.maximumLength)
        let (placemarks, others) = try KMLReader.shapes(from: bytes)
        guard !placemarks.isEmpty else {
            throw RecordingError("the KML file has no Placemarks with a point, line or polygon")
        }
        var sights = SightCollector(options)
        for placemark in placemarks {
            let name = "Placemark \(placemark.number)"
            guard let title = placemark.name else { throw RecordingError("\(name): it has no name") }
            let data = placemark.data
            try sights.add(
                placemark.geometry, radius: try number(data[ShapeFeature.radiusProperty] ?? data["radius"], of: name),
                name: name, id: data["id"], title: title, category: data["category"],
                information: placemark.description)
        }
        var content = sights.content
        if others > 0 { content.notes.append("left out Placemarks without a point, line or polygon: \(others)") }
        return content
    }

    static func regions(_ first: [UInt8], _ file: FileBytes, _ options: Options) throws(RecordingError) -> Content {
        let bytes = try whole(first, file, atMost: OwnTracksRegions.maximumLength)
        var sights = SightCollector(options)
        for (index, region) in try OwnTracksRegions.regions(from: bytes).enumerated() {
            try sights.add(
                .point(RawPosition(region.coordinate)), radius: region.radius?.meters, name: "waypoints[\(index)]",
                id: region.id, title: region.name)
        }
        return sights.content
    }

    /// Reads the waypoints of a GPX file, and its routes and tracks if there is a radius for them, or nothing else.
    static func gpx(_ first: [UInt8], _ file: FileBytes, _ options: Options) throws(RecordingError) -> Content {
        let reader = GPXReader()
        var items: [GPXItem] = []
        var table = GPXSights(options)
        try reader.feed(first.span, into: &items)
        try table.append(&items)
        while let piece = try file.next() {
            try reader.feed(piece.span, into: &items)
            try table.append(&items)
        }
        try reader.finish(into: &items)
        try table.append(&items)
        return try table.finish()
    }
}

/// The waypoints, routes and tracks of a GPX document, converted to sights as they are read.
private struct GPXSights {
    private var sights: SightCollector
    /// Whether routes and tracks become corridors.
    private let takesWays: Bool
    private var (waypoints, routes, tracks) = (0, 0, 0)
    /// The route or track that is being read.
    private var way: (name: String, title: String?, lines: [[RawPosition]])?

    init(_ options: SightFile.Options) {
        sights = SightCollector(options)
        takesWays = options.radius != nil
    }

    mutating func append(_ items: inout [GPXItem]) throws(RecordingError) {
        for item in items {
            switch item {
            case .document, .trackKind: break
            case .waypoint(let point):
                try close()
                try add(point)
            case .route(let title):
                try close()
                routes += 1
                way = ("route \(routes)", title, [[]])
            case .track(let title):
                try close()
                tracks += 1
                way = ("track \(tracks)", title, [])
            case .segment: if takesWays { way?.lines.append([]) }
            case .routePoint(let point), .trackPoint(let point):
                guard takesWays, let last = way?.lines.indices.last else { break }
                way?.lines[last].append(RawPosition(point.coordinate))
            }
        }
        items.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ point: GPXPoint) throws(RecordingError) {
        waypoints += 1
        let name = "waypoint \(waypoints)"
        guard let title = point.name else { throw RecordingError("\(name): it has no name") }
        // 0 means that no warning is wanted.
        let radius = point.proximity.flatMap { $0 > .zero ? $0.meters : nil }
        try sights.add(
            .point(RawPosition(point.coordinate)), radius: radius, name: name, id: nil, title: title,
            category: point.category ?? point.symbol, information: point.description ?? point.comment)
    }

    /// Ends the route or track.
    private mutating func close() throws(RecordingError) {
        guard let way else { return }
        self.way = nil
        let lines = way.lines.filter { $0.count > 1 }
        guard takesWays, !lines.isEmpty else { return }
        guard let title = way.title else { throw RecordingError("\(way.name): it has no name") }
        try sights.add(.lines(lines), radius: nil, name: way.name, id: nil, title: title)
    }

    mutating func finish() throws(RecordingError) -> SightFile.Content {
        try close()
        guard sights.content.sights.isEmpty else { return sights.content }
        guard takesWays || routes + tracks == 0 else {
            throw RecordingError(
                "the GPX file has no waypoints to import as sights; with a radius, its routes and tracks are corridors")
        }
        throw RecordingError("the GPX file has no waypoints to import as sights")
    }
}

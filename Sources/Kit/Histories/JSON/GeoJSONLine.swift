internal import Geodesy
internal import Positioning
internal import Time

/// Joins the places of a GeoJSON geometry with their times, which stand in another array (`coordTimes`).
///
/// Whichever array comes first waits for the other. Where a line is cut at the antimeridian (RFC 7946, section 3.1.9),
/// one part ends at 180° and the next begins at -180° with the same latitude and time, or the other way round. The
/// parts are one again here, without the vertices that were made for the cut.
struct GeoJSONLine {
    /// The most places or times that wait: eleven days at a fix a second, in 24 MB.
    static let maximumWaiting = 1_000_000

    enum Part {
        case places, times
    }

    /// A place with its time.
    struct Vertex {
        fileprivate var place: Place
        /// The time; `nil` if it is unknown.
        var time: Timestamp?

        fileprivate init(_ place: Place) { self.place = place }

        /// Whether a part of a line begins here.
        var beginsLine: Bool { place.beginsLine }

        fileprivate var isOnEdge: Bool { abs(place.longitude) == 180 }

        /// Returns whether another vertex is this one on the other side of a cut.
        fileprivate func meets(_ next: Vertex) -> Bool {
            next.beginsLine && next.place.longitude == -place.longitude && next.place.latitude == place.latitude
                && next.time == time
        }

        /// Returns whether this vertex lies where, and when, the way between two others crosses the antimeridian.
        ///
        /// Then it was made for the cut. The tolerance is that of the rounding: 1e-7 degrees and a millisecond.
        fileprivate func isBetween(_ start: Vertex, _ end: Vertex) -> Bool {
            let before = 180 - abs(start.place.longitude)
            let after = 180 - abs(end.place.longitude)
            guard before + after > 0 else { return false }
            let fraction = before / (before + after)
            let latitude = start.place.latitude + (end.place.latitude - start.place.latitude) * fraction
            guard abs(latitude - place.latitude) < 1.5e-7 else { return false }
            guard let time, let first = start.time, let last = end.time else { return true }
            return abs(last.seconds(since: first) * fraction - time.seconds(since: first)) < 0.0015
        }

        /// Returns the place, with its altitude.
        func fix(at time: Timestamp) throws(DroppedPoint) -> Fix {
            let coordinate = try HistoryValues.place(
                latitude: place.latitude.isNaN ? nil : place.latitude,
                longitude: place.longitude.isNaN ? nil : place.longitude)
            var fix = Fix(time: time, coordinate: coordinate)
            fix.altitude = HistoryValues.altitude(place.altitude)
            return fix
        }

        /// Returns the fix of a vertex with a time.
        func fix() throws(DroppedPoint) -> Fix {
            guard let time else { throw .noTime }
            return try fix(at: time)
        }
    }

    fileprivate struct Place {
        var latitude: Double
        var longitude: Double
        /// In metres; NaN if it is unknown.
        var altitude: Double
        var beginsLine: Bool
    }
    private var part: Part?
    private var depth = 0
    /// The numbers of the position that is open; the fourth and further ones have no meaning.
    private var numbers: InlineArray<3, Double> = [.nan, .nan, .nan]
    private var count = 0
    private var beginsLine = true
    private var isPosition = true

    private var places: [Place] = []
    private var times: [Timestamp?] = []
    private var nextPlace = 0
    private var nextTime = 0
    /// A vertex on the antimeridian, which may be the end of a part.
    private var edge: Vertex?
    /// Whether the part on the other side has begun.
    private var isCut = false
    private var previous: Vertex?
    /// The earliest and the latest time of the vertices so far.
    private(set) var period: ClosedRange<Timestamp>?
    /// The place of a point.
    private(set) var point: Vertex?
    /// Whether the geometry has more than a point.
    private(set) var isLine = false

    var isOpen: Bool { part != nil }

    /// Forgets the geometry.
    mutating func removeAll() {
        part = nil
        (depth, count, nextPlace, nextTime) = (0, 0, 0, 0)
        beginsLine = true
        edge = nil
        isCut = false
        previous = nil
        period = nil
        point = nil
        isLine = false
        if !places.isEmpty { places = [] }
        if !times.isEmpty { times = [] }
    }

    mutating func open(_ part: Part) {
        self.part = part
        depth = 1
        isPosition = true
        count = 0
        if part == .places { beginsLine = true }
    }

    /// Begins an array in the open one.
    mutating func begin() -> Bool {
        depth += 1
        isPosition = true
        count = 0
        return true
    }

    /// Ends the innermost array.
    mutating func end() {
        if part == .places {
            if isPosition, count > 0 {
                endPosition()
            } else if depth > 1 {
                beginsLine = true
            }
        }
        isPosition = false
        depth -= 1
        if depth == 0 { part = nil }
    }

    private mutating func endPosition() {
        guard depth > 1 else {
            point = Vertex(
                Place(latitude: numbers[1], longitude: numbers[0], altitude: numbers[2], beginsLine: false))
            return
        }
        places.append(
            Place(latitude: numbers[1], longitude: numbers[0], altitude: numbers[2], beginsLine: beginsLine))
        beginsLine = false
        isLine = true
    }

    mutating func append(_ scalar: JSONScalar, of bytes: Span<UInt8>) {
        switch part {
        case .places:
            if count == 0 { numbers = [.nan, .nan, .nan] }
            if count < 3, case .number(let range) = scalar {
                var at = range.lowerBound
                numbers[count] = DecimalReader.prefix(of: bytes, from: &at) ?? .nan
            }
            count = min(count + 1, 3)
        case .times:
            switch scalar {
            case .text(let range, _): times.append(try? HistoryTime.time(bytes.extracting(range)))
            case .number(let range): times.append(try? HistoryTime.time(bytes.extracting(range)))
            case .literal: times.append(nil)
            }
        case nil: break
        }
    }

    /// Refuses a line of which too much waits.
    func check() throws(RecordingError) {
        guard places.count - nextPlace <= Self.maximumWaiting, times.count - nextTime <= Self.maximumWaiting else {
            throw RecordingError(
                "a line has more than \(Self.maximumWaiting) places before their times; export it as CSV or GPX")
        }
    }

    /// Returns the next vertex whose place and time have both come.
    mutating func next() -> Vertex? {
        while nextPlace < places.count, nextTime < times.count {
            var vertex = Vertex(places[nextPlace])
            vertex.time = times[nextTime]
            if let time = vertex.time {
                period = min(period?.lowerBound ?? time, time)...max(period?.upperBound ?? time, time)
            }
            if let held = edge {
                if !isCut, held.meets(vertex) {
                    // The other side of the cut is no place of its own, and no segment begins behind it.
                    isCut = true
                    consume()
                    continue
                }
                let isInvented = isCut && previous.map { held.isBetween($0, vertex) } ?? false
                edge = nil
                isCut = false
                if !isInvented {
                    previous = held
                    return held
                }
            }
            consume()
            if vertex.isOnEdge {
                edge = vertex
            } else {
                previous = vertex
                return vertex
            }
        }
        return nil
    }

    /// Returns the next vertex of a geometry that is complete, also without a time.
    mutating func last() -> Vertex? {
        if let held = edge {
            edge = nil
            return held
        }
        guard nextPlace < places.count else { return nil }
        defer { nextPlace += 1 }
        return Vertex(places[nextPlace])
    }

    private mutating func consume() {
        nextPlace += 1
        nextTime += 1
        if nextPlace == places.count {
            places.removeAll(keepingCapacity: true)
            nextPlace = 0
        }
        if nextTime == times.count {
            times.removeAll(keepingCapacity: true)
            nextTime = 0
        }
    }
}

internal import Geodesy
internal import Positioning
internal import Time

// Google's location history: as Takeout gives it, and as the phones export it since 2024.
extension JSONHistoryReader {
    /// Reads a location of `Records.json`.
    ///
    ///     {"latitudeE7": 411580537, "longitudeE7": -86290653, "accuracy": 25, "velocity": 1, "heading": 203,
    ///      "altitude": 902, "timestamp": "2024-05-11T05:30:00.564Z"}
    ///
    /// Until 2022 the time was `timestampMs`, a number of milliseconds as text. The altitude is above the ellipsoid, as
    /// Android gives it.
    mutating func readGoogleRecord(_ record: JSONRecord) {
        let hasPlace = record.member(.latitudeE7) != nil || record.member(.longitudeE7) != nil
        if hasPlace || record.member(.timestampMs) != nil { settle(.googleRecords) }
        append { () throws(DroppedPoint) in
            let place = try HistoryValues.place(
                latitudeE7: record.required(.latitudeE7), longitudeE7: record.required(.longitudeE7))
            let time = try record.plausibleTime(.timestamp, orMilliseconds: .timestampMs)
            var fix = Fix(time: time, coordinate: place)
            fix.accuracy = HistoryValues.phoneAccuracy(record.number(.accuracy))
            fix.altitude = HistoryValues.altitude(record.number(.altitude))
            fix.speed = HistoryValues.speed(record.number(.speed))
            fix.track = HistoryValues.track(record.number(.heading))
            fix.kind = Self.likeliestKind(record)
            return fix
        }
    }

    /// Returns how the phone was moved at a location of `Records.json`, as it thought: the first guess of the first time.
    ///
    ///     "activity": [{"timestamp": "2024-05-11T05:30:04Z", "activity": [{"type": "WALKING", "confidence": 92}]}]
    private static func likeliestKind(_ record: JSONRecord) -> TripKind? {
        guard let first = record.firstElement(.activity), let guess = record.firstElement(.activity, of: first) else {
            return nil
        }
        return record.kind(.type, of: guess)
    }

    /// Reads an object of a month: an `activitySegment` or a `placeVisit`.
    ///
    /// The points of a segment are its start, its path (`simplifiedRawPath`) and its end. The waypoints of a segment have
    /// no time, and a visit's path repeats records of a phone that lay still.
    mutating func readSegment(_ record: JSONRecord) {
        if let segment = record.member(.activitySegment) {
            beginsSegment = true
            let count = items.count
            readSegmentEnd(record, record.member(.startLocation, of: segment), segment, isStart: true)
            if let path = record.member(.simplifiedRawPath, of: segment), let points = record.member(.points, of: path)
            {
                record.forEachElement(of: points) { point in
                    append { () throws(DroppedPoint) in
                        let place = try Self.placeE7(record, point)
                        let time = try record.plausibleTime(.timestamp, orMilliseconds: .timestampMs, of: point)
                        var fix = Fix(time: time, coordinate: place)
                        fix.accuracy = HistoryValues.phoneAccuracy(record.number(.accuracy, of: point))
                        return fix
                    }
                }
            }
            readSegmentEnd(record, record.member(.endLocation, of: segment), segment, isStart: false)
            append(activity: record.kind(.activityType, of: segment), after: count) { () throws(DroppedPoint) in
                (
                    try Self.segmentTime(record, segment, isStart: true),
                    try Self.segmentTime(record, segment, isStart: false)
                )
            }
        }
        if let visit = record.member(.placeVisit) {
            append(visit: { () throws(DroppedPoint) in
                let location = record.member(.location, of: visit)
                let place: Coordinate
                if let location, record.member(.latitudeE7, of: location) != nil {
                    place = try Self.placeE7(record, location)
                } else {
                    place = try HistoryValues.place(
                        latitudeE7: record.required(.centerLatitudeE7, of: visit),
                        longitudeE7: record.required(.centerLongitudeE7, of: visit))
                }
                let times = (
                    try Self.segmentTime(record, visit, isStart: true),
                    try Self.segmentTime(record, visit, isStart: false)
                )
                let name = location.flatMap { record.string(.name, of: $0) }
                return try Self.visit(from: times.0, to: times.1, at: place, name: name)
            })
        }
    }

    /// Appends the start or end of a segment, if the history knows its place.
    private mutating func readSegmentEnd(_ record: JSONRecord, _ location: Int?, _ segment: Int, isStart: Bool) {
        guard let location, record.member(.latitudeE7, of: location) != nil else { return }
        append { () throws(DroppedPoint) in
            let place = try Self.placeE7(record, location)
            return Fix(time: try Self.segmentTime(record, segment, isStart: isStart), coordinate: place)
        }
    }

    private static func placeE7(_ record: JSONRecord, _ node: Int) throws(DroppedPoint) -> Coordinate {
        try HistoryValues.place(
            latitudeE7: record.required(.latitudeE7, of: node), longitudeE7: record.required(.longitudeE7, of: node))
    }

    private static func segmentTime(
        _ record: JSONRecord, _ node: Int, isStart: Bool
    ) throws(DroppedPoint) -> Timestamp {
        guard let duration = record.member(.duration, of: node) else { throw .noTime }
        return try isStart
            ? record.plausibleTime(.startTimestamp, orMilliseconds: .startTimestampMs, of: duration)
            : record.plausibleTime(.endTimestamp, orMilliseconds: .endTimestampMs, of: duration)
    }

    /// Returns a visit, unless it ends before it begins.
    static func visit(
        from start: Timestamp, to end: Timestamp, at place: Coordinate, name: String?
    ) throws(DroppedPoint) -> HistoryVisit {
        guard start <= end else { throw .outOfRange }
        return HistoryVisit(start: start, end: end, coordinate: place, name: name)
    }
}

extension JSONHistoryReader {
    /// Reads a segment of a phone's timeline: a `timelinePath`, an `activity` or a `visit`.
    ///
    /// Android writes a place as `{"latLng": "41.158°, -8.629°"}` or as that text alone, an iPhone as
    /// `"geo:41.158,-8.629"`. A point of a path has a time on Android; on an iPhone it has the whole minutes since the
    /// segment's start, as text.
    mutating func readTimelineSegment(_ record: JSONRecord) {
        if let path = record.member(.timelinePath) {
            beginsSegment = true
            record.forEachElement(of: path) { point in
                append { () throws(DroppedPoint) in
                    let place = try Self.place(record, record.member(.point, of: point))
                    return Fix(time: try Self.pathTime(record, point), coordinate: place)
                }
            }
        }
        if let activity = record.member(.activity) {
            beginsSegment = true
            let count = items.count
            for (end, time) in [(JSONField.start, JSONField.startTime), (.end, .endTime)] {
                append { () throws(DroppedPoint) in
                    let place = try Self.place(record, record.member(end, of: activity))
                    return Fix(time: try record.plausibleTime(time), coordinate: place)
                }
            }
            let kind = record.member(.topCandidate, of: activity).flatMap { record.kind(.type, of: $0) }
            append(activity: kind, after: count) { () throws(DroppedPoint) in
                (try record.plausibleTime(.startTime), try record.plausibleTime(.endTime))
            }
        }
        if let visit = record.member(.visit) {
            append(visit: { () throws(DroppedPoint) in
                let candidate = record.member(.topCandidate, of: visit)
                let place = try Self.place(record, candidate.flatMap { record.member(.placeLocation, of: $0) })
                return try Self.visit(
                    from: record.plausibleTime(.startTime), to: record.plausibleTime(.endTime), at: place,
                    name: nil)
            })
        }
    }

    /// Reads an element of `rawSignals`, of which only a `position` is a point.
    mutating func readRawSignal(_ record: JSONRecord) {
        guard let position = record.member(.position) else { return }
        append { () throws(DroppedPoint) in
            let place = try Self.place(record, record.member(.latLng, of: position))
            var fix = Fix(time: try record.plausibleTime(.timestamp, of: position), coordinate: place)
            fix.accuracy = HistoryValues.phoneAccuracy(record.number(.accuracy, of: position))
            fix.altitude = HistoryValues.altitude(record.number(.altitude, of: position))
            fix.speed = HistoryValues.speed(record.number(.speed, of: position))
            fix.track = HistoryValues.track(record.number(.heading, of: position))
            return fix
        }
    }

    private static func place(_ record: JSONRecord, _ node: Int?) throws(DroppedPoint) -> Coordinate {
        guard let node else { throw .noPosition }
        guard record.isObject(node) else { return try record.place(at: node) }
        guard let text = record.member(.latLng, of: node) else { throw .noPosition }
        return try record.place(at: text)
    }

    private static func pathTime(_ record: JSONRecord, _ point: Int) throws(DroppedPoint) -> Timestamp {
        if let time = try record.time(.time, of: point) { return try HistoryTime.plausible(time) }
        guard let minutes = record.number(.minutesFromStart, of: point), let step = Int64(exactly: minutes * 60_000)
        else { throw .noTime }
        return try HistoryTime.plausible(record.plausibleTime(.startTime).advanced(byMilliseconds: step))
    }
}

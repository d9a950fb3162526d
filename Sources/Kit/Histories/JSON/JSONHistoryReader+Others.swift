internal import Geodesy
internal import Positioning
internal import Time

// OwnTracks and Polarsteps.
extension JSONHistoryReader {
    /// Reads an element of a list of OwnTracks' messages.
    mutating func readMessage(_ record: JSONRecord) {
        if record.member(.messageType) != nil || record.member(.tst) != nil { settle(.ownTracksJSON) }
        append { () throws(DroppedPoint) in try OwnTracksMessage.fix(record) }
    }

    /// Reads an element of Polarsteps' `locations`: `{"lat": 52.52, "lon": 13.405, "time": 1690593397.676}`.
    ///
    /// The time is in seconds, or RFC 3339.
    mutating func readPolarstepsLocation(_ record: JSONRecord) {
        if record.member(.time) != nil { settle(.polarsteps) }
        append { () throws(DroppedPoint) in
            let place = try HistoryValues.place(
                latitude: record.required(.latitude), longitude: record.required(.longitude))
            return Fix(time: try record.plausibleTime(.time), coordinate: place)
        }
    }

    /// Reads a step of Polarsteps' `trip.json`, which is a visit.
    ///
    /// A step often has no end; then the visit ends when it begins.
    mutating func readStep(_ record: JSONRecord) {
        append(visit: { () throws(DroppedPoint) in
            guard let location = record.member(.location) else { throw .noPosition }
            let place = try HistoryValues.place(
                latitude: record.required(.latitude, of: location),
                longitude: record.required(.longitude, of: location))
            let start = try record.plausibleTime(.startTime)
            let end = try record.member(.endTime) == nil ? start : record.plausibleTime(.endTime)
            return try Self.visit(
                from: start, to: end, at: place,
                name: record.string(.name) ?? record.string(.name, of: location))
        })
    }
}

/// The meaning of OwnTracks' messages (owntracks.org/booklet/tech/json).
enum OwnTracksMessage {
    /// The members that mean something.
    static let fields = HistoryList.data.fields

    /// Returns the fix of a `location` or `transition`.
    ///
    /// `tst` is in seconds, `vel` in kilometres an hour. The apps leave out what is zero or unknown. A ping (`t` is `p`)
    /// has the time of its sending, so it is a fix only if it has an accuracy.
    static func fix(_ message: JSONRecord) throws(DroppedPoint) -> Fix {
        guard message.member(.messageType) == nil || isFix(message) else { throw kind(message) }
        let accuracy = HistoryValues.phoneAccuracy(message.number(.accuracy))
        guard accuracy != nil || !message.has(.trigger, "p") else { throw .ping }
        let place = try HistoryValues.place(
            latitude: message.required(.latitude), longitude: message.required(.longitude))
        var fix = Fix(time: try message.plausibleTime(.tst), coordinate: place)
        fix.accuracy = accuracy
        fix.altitude = HistoryValues.altitude(message.number(.altitude))
        fix.speed = HistoryValues.speed(message.number(.kilometersPerHour).map { $0 / 3.6 })
        fix.track = HistoryValues.track(message.number(.heading))
        return fix
    }

    private static func isFix(_ message: JSONRecord) -> Bool {
        message.has(.messageType, "location") || message.has(.messageType, "transition")
    }

    private static func kind(_ message: JSONRecord) -> DroppedPoint {
        let kinds: [(StaticString, DroppedPoint)] = [
            ("waypoint", .waypoint), ("waypoints", .waypoint), ("lwt", .lastWill), ("status", .status),
            ("encrypted", .encrypted),
        ]
        return kinds.first { message.has(.messageType, $0.0) }?.1 ?? .otherMessage
    }
}

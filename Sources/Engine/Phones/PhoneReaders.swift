internal import Positioning
internal import RPC
internal import Time

// One reader a protocol. Speeds become metres per second and batteries percent here.

extension FormParameters {
    /// Reads a fix of OsmAnd's protocol or of GPSLogger.
    ///
    /// The names of GPSLogger's parameters are read for OsmAnd's protocol, too, where its own are missing: whoever
    /// writes a custom URL mixes them.
    func fix() throws(IgnoredReason) -> PhoneFix {
        if let valid = self["valid"]?.lowercased(), valid == "false" || valid == "0" { throw .noPosition }
        var reported = ReportedFix()
        (reported.latitude, reported.longitude) = place
        reported.altitude = number("altitude", "alt")
        reported.track = number("bearing", "heading", "dir")
        // Android gives an accuracy of 0 where it knows none.
        reported.accuracy = number("accuracy", "acc").unlessZero
        reported.hdop = number("hdop")
        reported.battery = number("batt")
        if has("spd") {
            // `%TIME` has milliseconds, `%TIMESTAMP` has none.
            reported.time = PhoneTime.any(self["time"]) ?? PhoneTime.any(self["timestamp"])
            // GPSLogger writes 0.0 for what it does not know.
            reported.speed = number("spd").unlessZero
            reported.track = reported.track.unlessZero
            reported.altitude = reported.altitude.unlessZero
        } else {
            reported.time = PhoneTime.any(self["timestamp"]) ?? PhoneTime.any(self["time"])
            if isOfOsmAnd {
                // OsmAnd's own app has metres per second, and a radius in metres, under the names of its protocol.
                reported.speed = number("speed")
                if reported.accuracy == .absent { reported.accuracy = reported.hdop.unlessZero }
                reported.hdop = .absent
            } else {
                reported.speed = number("speed").times(Self.metersPerSecondInAKnot)
            }
        }
        return try reported.fix()
    }

    /// Whether OsmAnd itself sent the fix: the address says so, or it has what OsmAnd's usual address has.
    ///
    /// OsmAnd tells the time in milliseconds and an accuracy only as `hdop`. Other apps of its protocol tell the time in
    /// seconds, and their accuracy by name.
    private var isOfOsmAnd: Bool {
        if let app = self["app"] { return app.lowercased() == "osmand" }
        guard has("hdop"), has("altitude"), has("bearing"), !has("accuracy"), !has("batt"),
            let timestamp = self["timestamp"]
        else { return false }
        return timestamp.utf8.count == Self.digitsOfMilliseconds
    }

    /// The digits of a time in milliseconds from 2001 to 2286.
    private static let digitsOfMilliseconds = 13
    private static let metersPerSecondInAKnot = 1852.0 / 3600

    /// The latitude and the longitude: `lat` and `lon`, or both in `location` with a comma between them.
    private var place: (ReportedNumber, ReportedNumber) {
        guard self["lat"] == nil, self["lon"] == nil, let location = self["location"] else {
            return (number("lat"), number("lon"))
        }
        let parts = location.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return (.notANumber, .notANumber) }
        return (ReportedNumber(String(parts[0])), parts.count == 2 ? ReportedNumber(String(parts[1])) : .absent)
    }

    /// The number of the first parameter that was sent and is not empty.
    private func number(_ names: String...) -> ReportedNumber {
        for name in names {
            if let text = self[name] { return ReportedNumber(text) }
        }
        return .absent
    }
}

extension PhoneCollector {
    /// Adds a message of OwnTracks, which is a fix if it is a location or the crossing of a region.
    ///
    /// - SeeAlso: <https://owntracks.org/booklet/tech/json/>
    mutating func addOwnTracks(_ message: JSONValue) {
        claimTopic(message["topic"])
        guard case .string(let type)? = message["_type"] else { return ignore(.noType) }
        switch type {
        case "location":
            guard message["t"] != "p" || ReportedNumber(message["acc"]).within(Fix.accuracies) != nil else {
                return ignore(.ping)
            }
            add { () throws(IgnoredReason) in try Self.ownTracksFix(message, transition: nil) }
        case "transition":
            var event = ""
            if case .string(let text)? = message["event"] {
                event = String(text.prefix(PhoneTransition.maximumLength))
            }
            add { () throws(IgnoredReason) in
                try Self.ownTracksFix(message, transition: PhoneTransition(event: event))
            }
        default:
            let reason = IgnoredReason(rawValue: type) ?? .unknownType
            ignore(Self.messageTypes.contains(reason) ? reason : .unknownType)
        }
    }

    /// The types of OwnTracks' messages that are no fixes.
    private static let messageTypes: Set<IgnoredReason> = [
        .beacon, .card, .cmd, .dump, .encrypted, .lwt, .request, .status, .steps, .waypoint, .waypoints,
    ]

    private static func ownTracksFix(
        _ message: JSONValue, transition: PhoneTransition?
    ) throws(IgnoredReason) -> PhoneFix {
        var reported = ReportedFix()
        reported.time = PhoneTime.seconds(ReportedNumber(message["tst"]))
        reported.latitude = ReportedNumber(message["lat"])
        reported.longitude = ReportedNumber(message["lon"])
        reported.altitude = ReportedNumber(message["alt"])
        reported.speed = ReportedNumber(message["vel"]).times(1 / 3.6)
        reported.track = ReportedNumber(message["cog"])
        reported.accuracy = ReportedNumber(message["acc"])
        reported.battery = ReportedNumber(message["batt"])
        reported.transition = transition
        return try reported.fix()
    }

    /// Notes the device's part of a topic: `owntracks/USER/DEVICE`, with more after it for some messages.
    private mutating func claimTopic(_ topic: JSONValue?) {
        guard case .string(let text)? = topic else { return }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        if parts.count > 2 { claim(.string(String(parts[2]))) }
    }

    /// Adds the location of Traccar Client 9 or later; a list of locations is read as well.
    ///
    /// - SeeAlso: <https://www.traccar.org/osmand/>
    mutating func addTraccar(_ message: JSONValue) {
        switch message["location"] {
        case .array(let locations): for location in locations { addTraccar(location: location) }
        case .object: addTraccar(location: message["location"] ?? .null)
        case nil, .null: ignore(.noPosition)
        default: ignore(.unreadable)
        }
    }

    private mutating func addTraccar(location: JSONValue) {
        guard case .object = location else { return ignore(.unreadable) }
        add { () throws(IgnoredReason) in
            let coordinates = location["coords"]
            var reported = ReportedFix()
            reported.time = PhoneTime.any(location["timestamp"])
            reported.latitude = ReportedNumber(coordinates?["latitude"])
            reported.longitude = ReportedNumber(coordinates?["longitude"])
            reported.altitude = ReportedNumber(coordinates?["altitude"])
            reported.speed = ReportedNumber(coordinates?["speed"])
            reported.track = ReportedNumber(coordinates?["heading"])
            reported.accuracy = ReportedNumber(coordinates?["accuracy"])
            reported.battery = ReportedNumber(location["battery"]?["level"]).times(100)
            return try reported.fix()
        }
    }

    /// Adds a batch of Overland.
    ///
    /// One feature that cannot be read does not affect the others.
    ///
    /// - SeeAlso: <https://github.com/aaronpk/Overland-iOS#api>
    mutating func addOverland(_ batch: JSONValue) {
        if let feature = batch["current"] { current = try? Self.overlandFix(feature) }
        guard case .array(let features)? = batch["locations"] else { return ignore(.unreadable) }
        for feature in features {
            claim(feature["properties"]?["device_id"])
            add { () throws(IgnoredReason) in try Self.overlandFix(feature) }
        }
    }

    private static func overlandFix(_ feature: JSONValue) throws(IgnoredReason) -> PhoneFix {
        guard case .object = feature else { throw .unreadable }
        let properties = feature["properties"]
        if let action = properties?["action"], action != .null { throw action == "visit" ? .visit : .action }
        switch properties?["type"] {
        case "trip": throw .trip
        case "visit": throw .visit
        default: break
        }
        var reported = ReportedFix()
        // The third coordinate of GeoJSON is a height above the ellipsoid, so it does not stand in for an altitude.
        if case .array(let coordinates)? = feature["geometry"]?["coordinates"], coordinates.count >= 2 {
            reported.longitude = coordinate(coordinates[0])
            reported.latitude = coordinate(coordinates[1])
        }
        reported.time = PhoneTime.any(properties?["timestamp"])
        reported.altitude = ReportedNumber(properties?["altitude"])
        reported.speed = ReportedNumber(properties?["speed"])
        reported.track = ReportedNumber(properties?["course"])
        reported.accuracy = ReportedNumber(properties?["horizontal_accuracy"])
        reported.battery = ReportedNumber(properties?["battery_level"]).times(100)
        return try reported.fix()
    }
    /// A coordinate of GeoJSON, which must be a number (RFC 7946, section 3.1.1); null is none.
    private static func coordinate(_ json: JSONValue) -> ReportedNumber {
        json == .null ? .notANumber : ReportedNumber(json)
    }
}

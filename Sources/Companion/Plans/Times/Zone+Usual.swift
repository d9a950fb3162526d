import RPC

extension Zone {
    /// Creates the zone with a name from the gazetteer, or UTC if the name is `nil` or unknown to the system.
    ///
    /// - Throws: ``Refusal/invalid(_:_:)`` if the system has no time zones at all.
    init(usual name: String?) throws {
        guard let zone = name.flatMap({ Zone($0) }) ?? Zone("UTC") else {
            throw Refusal.invalid("zone", "must be given; the system has no time zones")
        }
        self = zone
    }
}

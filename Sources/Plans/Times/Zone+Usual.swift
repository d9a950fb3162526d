import RPC

extension Zone {
    /// The zone of a name that the gazetteer gives; UTC where there is none, or none that is known here.
    init(usual name: String?) throws {
        guard let zone = name.flatMap({ Zone($0) }) ?? Zone("UTC") else {
            throw Refusal.invalid("zone", "must be given: the system has no time zones")
        }
        self = zone
    }
}

import RPC

extension Responder {
    /// Returns the trip with an id or a number in `waymark trip list`, where 1 is the last, or the trip `last`.
    ///
    /// - Parameter isOver: Whether `last` means only trips that have ended.
    /// - Returns: Its id; any other word is taken for an id.
    /// - Throws: ``Unknown`` if there are fewer trips.
    nonisolated(nonsending) func trip(_ name: String, isOver: Bool = false) async throws -> String {
        guard let number = name == "last" ? 1 : Int(name), number > 0, number <= 1_000_000 else { return name }
        // There is at most one open trip per device, and hardly a hundred devices.
        let limit = name == "last" && isOver ? 100 : number
        var left = number
        var found: String?
        try await forEachPage(of: "trips.list", "trips", [:], limit: limit) { trips in
            for trip in trips where found == nil {
                if name == "last", isOver, trip["end"] == nil { continue }
                left -= 1
                if left == 0 { found = trip.text("id") }
            }
        }
        guard let found else { throw Unknown(noun: "trip", id: name) }
        return found
    }

    /// Returns the ids of trips; see ``trip(_:isOver:)``.
    nonisolated(nonsending) func trips(_ names: [String], isOver: Bool = false) async throws -> [String] {
        var ids: [String] = []
        for name in names { ids.append(try await trip(name, isOver: isOver)) }
        return ids
    }
}

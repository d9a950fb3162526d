import RPC

extension Responder {
    /// The trip that someone means by its id, `last`, or its number in `waymark trip list`, where 1 is the last.
    ///
    /// - Parameter isOver: whether only trips that have ended are meant by `last`.
    /// - Returns: its id; another word is taken for one.
    /// - Throws: ``Unknown`` where there are not so many trips.
    nonisolated(nonsending) func trip(_ name: String, isOver: Bool = false) async throws -> String {
        guard let number = name == "last" ? 1 : Int(name), number > 0, number <= 1_000_000 else { return name }
        // As many trips may go on as there are devices, and hardly a hundred.
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

    /// The trips that someone means; see ``trip(_:isOver:)``.
    nonisolated(nonsending) func trips(_ names: [String], isOver: Bool = false) async throws -> [String] {
        var ids: [String] = []
        for name in names { ids.append(try await trip(name, isOver: isOver)) }
        return ids
    }
}

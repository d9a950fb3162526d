/// The positions of some nodes, which are filled in while all nodes pass by.
struct NodePlaces {
    /// A position in ten millionths of a degree.
    struct Place {
        var latitudeE7: Int32
        var longitudeE7: Int32
    }

    /// The ids, sorted, each once.
    private let ids: [Int64]
    private var places: [Place]
    /// The number of ids up to the last node that passed by.
    private var cursor = 0

    /// The position of a node that has not passed by, which is not on the earth.
    private static let none = Place(latitudeE7: .max, longitudeE7: .max)
    /// The steps to the next id before it is searched for; nodes pass by in the order of their ids, as a rule.
    private static let mostSteps = 8

    /// Creates places for the nodes with some ids.
    init(of ids: [Int64] = []) {
        var unique: [Int64] = []
        unique.reserveCapacity(ids.count)
        for id in ids.sorted() where unique.last != id { unique.append(id) }
        self.ids = unique
        places = [Place](repeating: Self.none, count: unique.count)
    }

    /// Keeps the position of a node, if it is one of ours.
    mutating func put(_ id: Int64, _ latitudeE7: Int32, _ longitudeE7: Int32) {
        var steps = 0
        while cursor < ids.count, ids[cursor] < id, steps < Self.mostSteps {
            cursor += 1
            steps += 1
        }
        let isPassed = ids.prefix(cursor).last.map { $0 >= id } ?? false
        if isPassed || steps == Self.mostSteps { cursor = search(id) }
        guard cursor < ids.count, ids[cursor] == id else { return }
        places[cursor] = Place(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
    }

    /// The position of a node; `nil` if it has not passed by.
    subscript(_ id: Int64) -> Place? {
        let index = search(id)
        guard index < ids.count, ids[index] == id, places[index].latitudeE7 != .max else { return nil }
        return places[index]
    }

    /// Returns the number of ids before a given one.
    private func search(_ id: Int64) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

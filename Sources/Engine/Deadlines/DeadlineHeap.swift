/// What is due at different times, from which each entry can be removed before its time.
///
/// - Complexity: O(log *n*) for each change.
struct DeadlineHeap<Value> {
    /// One thing that is due.
    struct Entry {
        /// The name by which it can be removed.
        let number: Int
        let deadline: ContinuousClock.Instant
        let value: Value
    }

    /// The entries; none is due later than the two at twice its place.
    private var entries: [Entry] = []
    /// The place of each entry, by its number.
    private var places: [Int: Int] = [:]

    /// The number of entries.
    var count: Int { entries.count }

    /// The earliest deadline; `nil` if there is none.
    var earliest: ContinuousClock.Instant? { entries.first?.deadline }

    /// Adds an entry whose number no other entry has.
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        moveUp(from: entries.count - 1)
    }

    /// Removes an entry; `nil` if there is none with that number.
    mutating func remove(_ number: Int) -> Value? {
        guard let place = places[number] else { return nil }
        return removeEntry(at: place)
    }

    /// Removes the earliest entry if it is due; `nil` if none is.
    mutating func removeDue(_ now: ContinuousClock.Instant) -> Value? {
        guard let earliest, earliest <= now else { return nil }
        return removeEntry(at: 0)
    }

    private mutating func removeEntry(at place: Int) -> Value? {
        entries.swapAt(place, entries.count - 1)
        guard let removed = entries.popLast() else { return nil }
        places[removed.number] = nil
        if place < entries.count {
            moveUp(from: place)
            moveDown(from: places[entries[place].number] ?? place)
        }
        return removed.value
    }

    private mutating func moveUp(from place: Int) {
        var place = place
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].deadline < entries[parent].deadline else { break }
            entries.swapAt(place, parent)
            places[entries[place].number] = place
            place = parent
        }
        places[entries[place].number] = place
    }

    private mutating func moveDown(from place: Int) {
        var place = place
        while true {
            var earliest = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if entries[child].deadline < entries[earliest].deadline { earliest = child }
            }
            guard earliest != place else { break }
            entries.swapAt(place, earliest)
            places[entries[place].number] = place
            place = earliest
        }
        places[entries[place].number] = place
    }
}

/// A binary heap of elements with keys, each of which can change or leave in O(log *n*).
///
/// - SeeAlso: T. H. Cormen and others, *Introduction to Algorithms*, chapter 6, where it is a priority queue with handles.
struct KeyedHeap<Element: Hashable, Key: Comparable> {
    private var entries: [(element: Element, key: Key)] = []
    private var positions: [Element: Int] = [:]
    /// The number of comparisons of keys so far.
    private(set) var comparisons = 0

    /// The element with the least key.
    var first: (element: Element, key: Key)? { entries.first }
    var isEmpty: Bool { entries.isEmpty }

    /// Adds an element, or changes its key.
    mutating func set(_ element: Element, _ key: Key) {
        if let position = positions[element] {
            entries[position].key = key
            sink(rise(position))
        } else {
            positions[element] = entries.count
            entries.append((element, key))
            _ = rise(entries.count - 1)
        }
    }

    /// Removes an element if it is there.
    mutating func remove(_ element: Element) {
        guard let position = positions.removeValue(forKey: element) else { return }
        let last = entries.removeLast()
        guard position < entries.count else { return }
        entries[position] = last
        positions[last.element] = position
        sink(rise(position))
    }

    private mutating func isBefore(_ one: Int, _ other: Int) -> Bool {
        comparisons += 1
        return entries[one].key < entries[other].key
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        positions[entries[one].element] = one
        positions[entries[other].element] = other
    }

    /// Moves an entry up to its place, and returns that.
    private mutating func rise(_ start: Int) -> Int {
        var position = start
        while position > 0, isBefore(position, (position - 1) / 2) {
            exchange(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
        return position
    }

    private mutating func sink(_ start: Int) {
        var position = start
        while true {
            var least = position
            for child in [2 * position + 1, 2 * position + 2] where child < entries.count && isBefore(child, least) {
                least = child
            }
            guard least != position else { return }
            exchange(position, least)
            position = least
        }
    }
}

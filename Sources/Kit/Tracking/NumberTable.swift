/// A hash table of numbers.
///
/// It stores only the numbers, not the keys that they stand for.
///
/// It uses open addressing with linear probing. A slot takes four bytes, and at most two thirds of the slots are taken.
///
/// - SeeAlso: D. E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4.
struct NumberTable: Sendable {
    private static let empty: Int32 = -1
    private var slots = ContiguousArray<Int32>(repeating: empty, count: 8)
    private var count = 0

    /// Returns the number with a hash for which `isIt` returns true, or `nil` if there is none.
    func number(hash: Int, where isIt: (Int32) -> Bool) -> Int32? {
        var slot = first(hash)
        while slots[slot] != Self.empty {
            if isIt(slots[slot]) { return slots[slot] }
            slot = next(slot)
        }
        return nil
    }

    /// Adds a number that is not in the table.
    ///
    /// - Parameters:
    ///   - hash: the hash of the number's key.
    ///   - hashOfOther: returns the hash of the key of a number in the table.
    mutating func append(_ number: Int32, hash: Int, hashOfOther: (Int32) -> Int) {
        if (count + 1) * 3 > slots.count * 2 { grow(to: slots.count * 2, hash: hashOfOther) }
        count += 1
        place(number, hash)
    }

    /// Reserves space for `capacity` numbers.
    ///
    /// The table must be empty.
    mutating func reserveCapacity(_ capacity: Int) {
        var size = slots.count
        while capacity * 3 > size * 2 { size *= 2 }
        grow(to: size) { _ in 0 }
    }

    private mutating func grow(to size: Int, hash: (Int32) -> Int) {
        let old = slots
        slots = ContiguousArray(repeating: Self.empty, count: size)
        for number in old where number != Self.empty { place(number, hash(number)) }
    }

    private mutating func place(_ number: Int32, _ hash: Int) {
        var slot = first(hash)
        while slots[slot] != Self.empty { slot = next(slot) }
        slots[slot] = number
    }

    private func first(_ hash: Int) -> Int { hash & (slots.count - 1) }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }
}

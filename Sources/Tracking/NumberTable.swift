/// Finds numbers by the hash of what they stand for, which it does not hold.
///
/// Open addressing with linear probing: four bytes a slot, at most two thirds of them taken.
///
/// - SeeAlso: D. E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4.
struct NumberTable: Sendable {
    private static let empty: Int32 = -1
    private var slots = ContiguousArray<Int32>(repeating: empty, count: 8)
    private var count = 0

    /// The number of that hash for which `isIt` holds; nil where there is none.
    func number(hash: Int, where isIt: (Int32) -> Bool) -> Int32? {
        var slot = first(hash)
        while slots[slot] != Self.empty {
            if isIt(slots[slot]) { return slots[slot] }
            slot = next(slot)
        }
        return nil
    }

    /// Adds a number that is not there.
    ///
    /// - Parameters:
    ///   - hash: the hash of what it stands for.
    ///   - hashOfOther: the hash of what a number stands for that is there.
    mutating func append(_ number: Int32, hash: Int, hashOfOther: (Int32) -> Int) {
        if (count + 1) * 3 > slots.count * 2 { grow(to: slots.count * 2, hash: hashOfOther) }
        count += 1
        place(number, hash)
    }

    /// Makes room for so many numbers; to be called while there are none.
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

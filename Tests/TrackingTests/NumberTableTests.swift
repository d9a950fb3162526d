import TestSupport
import Testing

@testable import Tracking

@Suite struct NumberTableTests {
    /// Compares the table with a dictionary, with hashes that collide often; some are negative or have all bits set.
    @Test(arguments: UInt64(1)...5) func lookupsGiveTheSameAsADictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NumberTable()
        var names: [Int] = []
        var known: [Int: Int32] = [:]
        if seed.isMultiple(of: 2) { table.reserveCapacity(500) }
        func hash(_ name: Int) -> Int { name % 7 == 0 ? -1 : (name % 50) << 40 | name % 3 }
        for _ in 0..<3_000 {
            let name = Int.random(in: 0..<2_000, using: &random)
            let found = table.number(hash: hash(name)) { names[Int($0)] == name }
            #expect(found == known[name])
            if found == nil, Bool.random(using: &random) {
                known[name] = Int32(names.count)
                names.append(name)
                table.append(Int32(names.count - 1), hash: hash(name)) { hash(names[Int($0)]) }
            }
        }
        #expect(known.count > 500)
    }
}

import TestSupport
import Testing

@testable import Deadlines

/// What is due at different times, compared with a plain list.
@Suite struct DeadlineHeapTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func entriesComeInOrderAndCanBeRemoved(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let start = ContinuousClock.now
        var heap = DeadlineHeap<Int>()
        var model: [(number: Int, time: Int)] = []
        for number in 0..<500 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where !model.isEmpty:
                let place = Int.random(in: 0..<model.count, using: &random)
                #expect(heap.remove(model[place].number) == model[place].number)
                #expect(heap.remove(model[place].number) == nil)
                model.remove(at: place)
            case 1:
                let time = Int.random(in: 0..<100, using: &random)
                var due: [Int] = []
                while let value = heap.removeDue(start + .seconds(time)) { due.append(value) }
                let expected = model.filter { $0.time <= time }
                #expect(Set(due) == Set(expected.map(\.number)))
                let times = due.compactMap { value in model.first { $0.number == value }?.time }
                #expect(times == times.sorted())
                model.removeAll { $0.time <= time }
            default:
                let time = Int.random(in: 0..<100, using: &random)
                heap.insert(.init(number: number, deadline: start + .seconds(time), value: number))
                model.append((number, time))
            }
            #expect(heap.count == model.count)
            #expect(heap.earliest == model.map(\.time).min().map { start + .seconds($0) })
        }
    }
}

#if Fleet
import FleetStore
import Testing

@testable import waymark

/// What the commands of a fleet read and write, without servers.
@Suite struct FleetCursorTests {
    @Test func aCursorNamesAPartitionAndANumber() throws {
        let cursor = try #require(FleetEventsCommand.cursor("3:120"))
        #expect(cursor == (3, 120))
    }

    @Test(arguments: ["", ":", "3", "3:", ":4", "-1:4", "1:-4", "1:2:3", "a:b", "1:9223372036854775808"])
    func anotherTextIsNoCursor(text: String) { #expect(FleetEventsCommand.cursor(text) == nil) }

    @Test func aCountTellsWhatIsLostAndDoubled() {
        var count = FleetCount()
        count.add(events: ["a", "b"], expected: ["a", "b"])
        #expect(count.isExact && count.events == 2)
        count.add(events: ["b", "a"], expected: ["a", "b"])
        #expect(!count.isExact && count.disordered == 1 && count.lostEvents == 0)
        count.add(events: ["a", "a"], expected: ["a", "b"])
        #expect(count.lostEvents == 1 && count.doubledEvents == 1)
    }
}
#endif

import Positioning
import TestSupport
import Testing

@testable import Plans

@Suite struct DaysTests {
    private struct Item: Planned {
        var name: String
        var start: PlannedTime?
        var end: PlannedTime?

        init(
            _ name: String, _ start: String?, _ end: String? = nil, zone: String = "Europe/Amsterdam", to: String? = nil
        )
            throws
        {
            self.name = name
            self.start = try start.map { try PlannedTime($0, in: Zone(zone).known) }
            self.end = try end.map { try PlannedTime($0, in: Zone(to ?? zone).known) }
        }
    }

    private func lines(_ items: [Item]) -> [String] {
        Days(items).days.map { day in
            "\(day.date?.text ?? "any day"): "
                + day.items.map { $0.name + ($0.until.map { " \($0)" } ?? "") }.joined(separator: ", ")
        }
    }

    @Test func eachItemIsListedOnceOnTheDayItBegins() throws {
        let items = try [
            Item("dinner", "2026-05-01T19:00", "2026-05-01T21:30"), Item("packing", nil),
            Item("ferry", "2026-05-01T23:15", "2026-05-02T02:10"), Item("hotel", "2026-05-01", "2026-05-04"),
            Item("breakfast", "2026-05-02T08:00"), Item("museum", "2026-05-02", "2026-05-02"),
            Item("bus", "2026-05-02T00:00", "2026-05-02T00:20"),
            Item("boat", "2026-04-30T22:00", "2026-05-02T06:00"), Item("checkout", nil, "2026-05-04T11:00"),
        ]
        #expect(
            lines(items) == [
                "2026-04-30: boat until 06:00 on 2026-05-02",
                "2026-05-01: hotel until 2026-05-04, dinner until 21:30, ferry until 02:10 next day",
                "2026-05-02: museum, bus until 00:20, breakfast", "2026-05-04: checkout until 11:00",
                "any day: packing",
            ])
    }

    @Test func itemsAreOrderedByTimeAcrossZones() throws {
        let items = try [
            // 09:00 in Lisbon is after 09:30 in Amsterdam.
            Item("Lisbon", "2026-05-01T09:00", zone: "Europe/Lisbon"), Item("Amsterdam", "2026-05-01T09:30"),
            Item("flight", "2026-05-01T20:00", "2026-05-02T05:00", to: "Asia/Tokyo"),
            // By local clocks, it arrives before it departs.
            Item("westward", "2026-05-01T23:30", "2026-05-01T21:00", zone: "Pacific/Auckland", to: "Pacific/Honolulu"),
        ]
        #expect(
            lines(items) == ["2026-05-01: Amsterdam, Lisbon, westward until 21:00, flight until 05:00 next day"])
        // An hour that occurs twice.
        let night = try [
            Item("second", "2026-10-25T02:15+01:00"), Item("first", "2026-10-25T02:45"),
            Item("third", "2026-10-25T03:00"),
        ]
        #expect(lines(night) == ["2026-10-25: first, second, third"])
        // A time in the skipped hour is moved to later on that day.
        let spring = try [Item("skipped", "2026-03-29T02:30"), Item("three", "2026-03-29T03:10")]
        #expect(lines(spring) == ["2026-03-29: three, skipped"])
    }
}

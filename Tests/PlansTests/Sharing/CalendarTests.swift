import Foundation
import GPX
import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Plans

@Suite struct CalendarTests {
    private func time(_ text: String, _ zone: String) throws -> PlannedTime {
        try PlannedTime(text, in: Zone(zone).known)
    }

    private func events() throws -> [CalendarWriter.Event] {
        try [
            .init(
                uid: "activity-a@waymark", revision: 1, title: "Train; to Paris, first class",
                description: "Seat 12\\A\nCoach 3", location: "Amsterdam Centraal",
                place: Coordinate(latitude: 52.378889, longitude: 4.900556), url: "https://example.org/t?a=1,2",
                start: time("2026-10-24T22:15", "Europe/Amsterdam"), end: time("2026-10-25T02:30+01:00", "Europe/Paris")
            ),
            .init(
                uid: "activity-b@waymark", revision: 4,
                title: "Ein Abend in der Oper mit sehr vielen schönen Arien — und danach noch ein Glas Wein 🍷 am Fluss",
                start: time("2026-10-25T02:30", "Europe/Paris"), end: nil),
            .init(
                uid: "activity-c@waymark", revision: 2, title: "Hotel", start: time("2026-10-24", "Europe/Paris"),
                end: time("2026-10-27", "Europe/Paris")),
            .init(uid: "activity-d@waymark", revision: 1, title: "Packing", start: nil, end: nil),
            .init(
                uid: "activity-e@waymark", revision: 1, title: "Call", start: time("2026-10-24T12:00", "UTC"),
                end: time("2026-10-24T12:30", "UTC")),
        ]
    }

    @Test func aCalendarEqualsTheRecordedFile() throws {
        let text = CalendarWriter.calendar(named: "Paris, in autumn", of: try events(), stamp: moment(0))
        let url = URL(fileURLWithPath: "\(#filePath)/../../../../fixtures/plans/paris.ics").standardized
        if ProcessInfo.processInfo.environment["WAYMARK_RECORD"] != nil {
            try Data(text.utf8).write(to: url)
            Issue.record("recorded")
        }
        #expect(text == String(decoding: try Data(contentsOf: url), as: UTF8.self))
        for line in text.components(separatedBy: "\r\n") { #expect(line.utf8.count <= 75) }
        #expect(!text.replacing("\r\n", with: "").contains("\n"))
        #expect(text.replacing("\r\n ", with: "").contains("noch ein Glas Wein 🍷 am Fluss"))
    }

    @Test func anExportContainsOnlyWhatThePersonSees() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(
                .titled("Rome", level: .everyone, from: "2026-06-01", to: "2026-06-05"), in: db)
            for (name, level) in [("Forum", Level.everyone), ("Home", .me)] {
                var fields = Location.Fields(name: name)
                (fields.level, fields.place) = (level, Coordinate(latitude: 41.89, longitude: 12.48))
                fields.span.start = try time("2026-06-02T10:00", "Europe/Rome")
                _ = try Location.create(fields, in: access, at: moment(0), in: db)
            }
            _ = try Location.create(.init(name: "Somewhere"), in: access, at: moment(0), in: db)
            let seen = try PlansFixture.access(access, as: nil, in: db)
            let calendar = try PlanExport.calendar(of: seen, in: db)
            #expect(calendar.contains("SUMMARY:Forum") && !calendar.contains("Home") && !calendar.contains("Somewhere"))
            #expect(calendar.contains("DTSTART;VALUE=DATE:20260601\r\nDTEND;VALUE=DATE:20260606"))
            let own = String(decoding: try PlanExport.gpx(of: access, in: db), as: UTF8.self)
            #expect(own.components(separatedBy: "<wpt").count == 3)
            let gpx = String(decoding: try PlanExport.gpx(of: seen, in: db), as: UTF8.self)
            #expect(gpx.contains("Forum") && !gpx.contains("Home"))
        }
    }
}

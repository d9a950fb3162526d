import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@Suite struct ActiveHoursTests {
    /// Monday, 5 January 2026, at midnight in UTC.
    private static let monday = Timestamp(rfc3339: "2026-01-05T00:00:00Z").known

    private static func hours(_ text: String, offset: Int32 = 0) throws -> ActiveHours {
        ActiveHours(
            spans: try ActiveHours.spans(from: text), offsets: [.init(since: .earliest, seconds: offset)])
    }

    /// The minutes of a week in which hours hold, by asking for each of them.
    private static func minutes(_ hours: ActiveHours) -> Set<Int> {
        Set(
            (0..<10_080).filter { minute in
                hours.state(at: monday.advanced(byMilliseconds: Int64(minute) * 60_000)).isActive
            })
    }

    @Test func hoursAreThoseOfTheText() throws {
        let office = try Self.minutes(Self.hours("Mo-Fr 08:00-17:00; Sa 09:00-12:00,13:30-14:00"))
        var expected = Set((0..<5).flatMap { (day: Int) -> Range<Int> in (day * 1440 + 480)..<(day * 1440 + 1020) })
        expected.formUnion(5 * 1440 + 540..<5 * 1440 + 720)
        expected.formUnion(5 * 1440 + 810..<5 * 1440 + 840)
        #expect(office == expected)
        #expect(try Self.minutes(Self.hours("00:00-24:00")).count == 10_080)
        // From Sunday evening to Monday morning, over the end of the week.
        #expect(try Self.minutes(Self.hours("Su 22:00-06:00")) == Set(0..<360).union(6 * 1440 + 1320..<10_080))
        #expect(try Self.minutes(Self.hours("Sa-Mo 12:00-13:00")).count == 180)
    }

    @Test func localTimeIsAheadOfUTC() throws {
        // At 09:00 in Amsterdam in winter it is 08:00 in UTC.
        let minutes = try Self.minutes(Self.hours("Mo 09:00-10:00", offset: 3600))
        #expect(minutes == Set(480..<540))
    }

    @Test func theNextChangeIsTheFirstMinuteThatDiffers() throws {
        let hours = try Self.hours("Mo-Fr 08:00-17:00; Su 22:00-06:00", offset: 3600)
        var time = Self.monday
        var changes = 0
        while time < Self.monday.advanced(byMilliseconds: 604_800_000) {
            let (isActive, until) = hours.state(at: time)
            #expect(until > time)
            for part in [0.1, 0.5, 0.99] {
                let span = Double(until.milliseconds(since: time)) * part
                #expect(hours.state(at: time.advanced(byMilliseconds: Int64(span))).isActive == isActive)
            }
            time = until
            changes += 1
        }
        #expect(changes == 13)
    }

    @Test func theOffsetChangesWithTheZone() throws {
        let summer = Timestamp(rfc3339: "2026-03-29T01:00:00Z").known
        let hours = ActiveHours(
            spans: try ActiveHours.spans(from: "08:00-09:00"),
            offsets: [.init(since: .earliest, seconds: 3600), .init(since: summer, seconds: 7200)])
        #expect(hours.state(at: Timestamp(rfc3339: "2026-03-28T07:30:00Z").known).isActive)
        #expect(hours.state(at: Timestamp(rfc3339: "2026-03-29T06:30:00Z").known).isActive)
        #expect(!hours.state(at: Timestamp(rfc3339: "2026-03-29T07:30:00Z").known).isActive)
        #expect(hours.state(at: Timestamp(rfc3339: "2026-03-29T00:30:00Z").known).until == summer)
    }

    @Test(arguments: [
        "", "Mo", "Mo 8-17", "Xx 08:00-09:00", "Mo 08:00", "08:60-09:00", "25:00-26:00", "Mo 08:00-09:00 x",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: ActiveHours.Flaw.self) { try ActiveHours.spans(from: text) }
    }

    @Test func outsideItsHoursAGeofenceIsAsIfRemoved() throws {
        var geofence = Geofence(
            identity: .init(kind: .sight, id: "yard"), title: "Yard", center: Journey().origin, radius: .meters(100))
        geofence.watch = Geofence.Watch(hours: try Self.hours("08:00-09:00"), devices: [])
        let index = GeofenceIndex([(geofence, 1)])
        // A fix every ten minutes from 07:00 to 10:00, at the same place.
        let fixes = (0...18).map { step in
            Fix(
                time: Self.monday.advanced(byMilliseconds: (420 + 10 * Int64(step)) * 60_000),
                coordinate: Journey().origin)
        }
        let events = Tracker.output(of: fixes, in: index).events.filter { $0.type.hasPrefix("geofence.") }
        #expect(events.map(\.type) == ["geofence.enter", "geofence.dwell", "geofence.exit"])
        let lines = events.map { String(decoding: $0.json(), as: UTF8.self) }
        #expect(lines.first?.contains("T08:00:00.000Z") == true)
        #expect(lines.first?.hasSuffix("\"initial\":true}") == true)
        #expect(lines.last?.contains("T09:00:00.000Z") == true)
        #expect(lines.last?.hasSuffix("\"reason\":\"closed\"}") == true)
    }
}

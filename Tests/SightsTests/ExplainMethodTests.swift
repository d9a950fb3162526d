import FeatureSupport
import Geodesy
import Positioning
import RPC
import TestSupport
import Testing
import Tracking

@testable import Service
@testable import Sights
@testable import Trips

/// Explanations of why stored trips emitted events, and differences between events.
@Suite struct ExplainMethodTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        _ = try core.store.importSights([
            Sight(
                id: "mill", title: "Mill", place: Coordinate(latitudeE7: 523_750_000, longitudeE7: 48_900_000).known,
                radius: .meters(50))
        ])
    }

    @Test func aTripIsExplainedFromItsPoints() async throws {
        // 11 m north each second.
        try core.record("gps0", at: 0, points: 120)
        let answer = try await core.call("geofences.explain", ["geofence": "mill", "time": .string("\(moment(50))")])
        #expect(answer["source"].text == "trip")
        #expect(answer["device"].text == "gps0")
        let types = answer["fixes"].elements.flatMap { $0["events"].elements.compactMap { $0["type"].text } }
        #expect(types == ["geofence.enter", "geofence.exit"])
        #expect(answer["fixes"].elements.count == 111)
    }

    @Test func aMissingTraceOrGeofenceIsReportedAsNotFound() async throws {
        try core.record("gps0", at: 0, points: 120)
        let late: JSONObject = ["geofence": "sight/mill", "time": .string("\(moment(9000))")]
        let error = try await core.error("geofences.explain", late)
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("Memory holds none.") == true)
        for name in ["nope", "sight/nope", "vote/mill"] {
            let unknown: JSONObject = ["geofence": .string(name), "time": .string("\(moment(50))")]
            #expect(try await core.error("geofences.explain", unknown)?.code == .notFound)
        }
        let wrong: JSONObject = ["geofence": "mill", "time": "noon"]
        #expect(try await core.error("geofences.explain", wrong)?.code == .invalidValue)
    }

    @Test func eventsWithinAMinuteCountAsTheSame() {
        var difference = EventDifference()
        var changes: [String] = []
        func append(_ change: EventDifference.Change, _ line: [UInt8]) {
            changes.append("\(change.rawValue) \(String(decoding: line, as: UTF8.self))")
        }
        func tell(_ seconds: Double, _ name: String, type: String = "enter") {
            difference.observe(type: type, subject: "s", time: moment(seconds), line: Array(name.utf8))
        }
        func expect(_ seconds: Double, _ name: String, type: String = "enter", isDoubtful: Bool = false) {
            difference.expect(
                type: type, subject: "s", time: moment(seconds), line: Array(name.utf8), isDoubtful: isDoubtful)
        }
        tell(0, "a")
        expect(60, "b")
        tell(100, "c", type: "exit")
        expect(200, "d", type: "exit")
        expect(300, "e", isDoubtful: true)
        tell(1000, "f")
        difference.settle(before: moment(700), append)
        #expect(changes == ["same a", "added c", "removed d"])
        #expect(difference.doubtful == 1)
        expect(1030, "g")
        difference.settle(append)
        #expect(changes.last == "same f")
        #expect(changes.count == 4)
    }
}

import Geodesy
import Positioning
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Sights

/// The fixes in memory, which explanations use.
@Suite struct FixHistoryTests {
    private let identity = Geofence.Identity(kind: .sight, id: "here")

    private func rig() async throws -> LiveRig {
        let store = try Stores.temporary()
        _ = try store.importSights([
            Sight(
                id: "here", title: "Here", place: Coordinate(latitude: 52.37, longitude: 4.89).known,
                radius: .meters(50))
        ])
        return try await LiveRig(store)
    }

    @Test func recentFixesAreExplainedIncludingRejectedOnes() async throws {
        let rig = try await rig()
        try await rig.run {
            // The fixes are away, here, from the future, and inaccurate.
            var vague = LiveRig.fix(3, east: 0)
            vague.accuracy = .meters(900)
            await rig.receive([
                LiveRig.fix(1, east: 300), LiveRig.fix(2, east: 10), LiveRig.fix(90_000, east: 10), vague,
            ])
        }
        let question = Explanation.Question(time: LiveRig.time(2), window: 10)
        let found = try #require(await rig.pipeline.explain(question, identity, device: "van"))
        #expect(found.geofence.identity == identity)
        #expect(found.explanation.fixes.map(\.rejection) == [nil, nil, "accuracy"])
        // A fix from the future is placed by its own time.
        #expect(found.explanation.after?.rejection == "future")
        #expect(await rig.pipeline.historyBegin(of: "van") == LiveRig.time(1))
        #expect(await rig.pipeline.explain(question, identity, device: "bus") == nil)
        let early = Explanation.Question(time: LiveRig.time(0))
        #expect(await rig.pipeline.explain(early, identity, device: "van") == nil)
    }

    @Test func newSettingsClearTheHistory() async throws {
        let rig = try await rig()
        try await rig.run { await rig.receive([LiveRig.fix(1)]) }
        await rig.pipeline.adopt(TrackingPolicy())
        #expect(await rig.pipeline.historyBegin(of: "van") == nil)
    }

    @Test func memoryIsBoundedByTheNumberOfDevices() {
        var histories = FixHistories()
        func add(_ device: String, at seconds: Double) {
            var tracker = Tracker(device: device)
            var output = Tracker.Output()
            histories.add(LiveRig.fix(seconds), of: device, &tracker, now: seconds, revision: 1) {
                $0.ingest(LiveRig.fix(seconds), in: GeofenceIndex(), into: &output)
            }
        }
        for number in 0..<20 { add("d\(number)", at: Double(number)) }
        #expect(histories["d15"]?.begin == LiveRig.time(15))
        #expect(histories["d16"] == nil)
        // A device that has sent nothing for long makes space for another.
        add("late", at: 3700)
        #expect(histories["late"]?.begin == LiveRig.time(3700))
        #expect(histories["d0"] == nil)
        #expect(histories["d1"] != nil)
        // When some devices are forgotten, the others keep their histories.
        for number in 1..<8 { histories.forget("d\(number)") }
        for number in 8..<16 {
            add("d\(number)", at: 4000 + Double(number))
            #expect(histories["d\(number)"]?.begin == LiveRig.time(Double(number)))
        }
        #expect(histories["d3"] == nil)
        add("d3", at: 5000)
        #expect(histories["d3"]?.begin == LiveRig.time(5000))
        #expect(histories["late"]?.begin == LiveRig.time(3700))
    }
}

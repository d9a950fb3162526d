import Callers
import EventStream
import FeatureSupport
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// The names of trips and stops beside past events.
@Suite struct EventNameTests {
    private let core: CoreFixture

    /// Creates a store with 200 events, which is more than a list reads at once; every third is of a hidden device, and
    /// those after 150 are no stops.
    init() throws {
        core = try CoreFixture()
        let members = Array(#""lat":52.09,"lon":5.12"#.utf8)
        var events: [EventRecord] = []
        for number in 1...200 {
            let type = number <= 150 ? "stop.start" : "geofence.enter"
            let time = Timestamp(milliseconds: Int64(number) * 1000)
            let device = number % 3 == 0 ? "hidden" : "gps0"
            events.append(EventRecord(time: time, type: type, device: device, subject: nil, members: members))
        }
        _ = try core.store.write { try EventLog.append(events, to: $0) }
    }

    /// Returns the names beside the events that a caller sees.
    private func names(_ parameters: JSONValue = ["limit": 1000]) async throws -> JSONValue {
        let hub = try await EventHub(journal: StoreJournal(store: core.store)) { event, _ in event.device != "hidden" }
        let method = try #require(hub.methods().first { $0.name == "events.list" })
        let call: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "events.list", "params": parameters]
        var table = MethodTable<Principal>(title: "Test", version: "1")
        table.add([method])
        let answer = await table.answer(to: call, from: CoreFixture.connection(as: nil))
        let bytes = try #require(answer).dropLast()
        let result = try JSONValue(parsing: Array(bytes).span)["result"] ?? .null
        #expect(result["events"].elements.count == (parameters["limit"] == 1000 ? 134 : 5))
        return result["names"] ?? [:]
    }

    @Test func eachVisibleStopIsNamedAndNothingElse() async throws {
        #expect(try await names() == [:], "there is no gazetteer")
        try await core.call("places.import", ["text": .string(MethodCase.utrecht)])
        var expected = JSONObject()
        for number in 1...150 where number % 3 != 0 { expected["\(number)"] = "near Utrecht" }
        #expect(try await names() == .object(expected))
        #expect(try await names(["limit": 5, "newest": true]) == [:])
    }
}

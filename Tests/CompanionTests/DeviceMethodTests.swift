import Geodesy
import Positioning
import RPC
import Store
import Testing
import Tracking

@testable import Companion

@Suite struct DeviceMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    /// Stores a device's state after a fix.
    private func store(_ device: String, at seconds: Double) throws {
        var tracker = Tracker(device: device)
        var output = Tracker.Output()
        tracker.ingest(fix(seconds), in: GeofenceIndex(), into: &output)
        var pending = PendingCommit()
        pending.devices[device] = .init(
            time: moment(seconds), place: fix(seconds).coordinate, saved: tracker.saved(in: GeofenceIndex()))
        _ = try core.store.commit(pending)
    }

    private func primary() async throws -> [String] {
        try await core.call("devices.list")["devices"].elements.filter { $0["primary"] == true }
            .compactMap { $0["name"].text }
    }

    @Test func aListTellsWhatIsStoredAndWhatIsLive() async throws {
        #expect(try await core.call("devices.list", isGuest: true) == ["devices": []])
        try store("van", at: 0)
        try store("bike", at: 5)
        core.present.place("bike", at: fix(9, north: 3))
        core.present.place("new", at: fix(9))
        let devices = try await core.call("devices.list")["devices"].elements
        #expect(
            devices == [
                [
                    "name": "bike", "primary": false,
                    "last": ["time": "2026-05-01T10:00:09.000Z", "lat": 52.3700003, "lon": 4.89],
                ],
                [
                    "name": "new", "primary": false,
                    "last": ["time": "2026-05-01T10:00:09.000Z", "lat": 52.37, "lon": 4.89],
                ],
                [
                    "name": "van", "primary": true,
                    "last": ["time": "2026-05-01T10:00:00.000Z", "lat": 52.37, "lon": 4.89],
                ],
            ])
    }

    @Test func thereIsExactlyOnePrimaryDevice() async throws {
        core.present.place("new", at: fix(9))
        core.present.place("newer", at: fix(9))
        #expect(try await primary() == ["new"])
        try store("van", at: 0)
        try store("bike", at: 5)
        #expect(try await primary() == ["van"])
        #expect(try await core.call("devices.update", ["device": "bike", "primary": true])["primary"] == true)
        #expect(try await primary() == ["bike"])
        // One that has yet to be stored, too.
        #expect(try await core.call("devices.update", ["device": "new", "primary": true])["primary"] == true)
        #expect(try await primary() == ["new"])
        #expect(try await core.call("devices.update", ["device": "van", "primary": false])["primary"] == false)
        #expect(try await core.error("devices.update", ["device": "new", "primary": false])?.code == .conflict)
        #expect(try await primary() == ["new"])
        #expect(try core.store.devices().filter(\.isPrimary).map(\.name) == ["new"])
    }

    @Test func aTitleIsSetAndTakenAway() async throws {
        try store("van", at: 0)
        #expect(try await core.call("devices.update", ["device": "van", "title": "Our van"])["title"] == "Our van")
        #expect(try await core.call("devices.update", ["device": "van"])["title"] == "Our van")
        try store("van", at: 10)
        #expect(try core.store.devices().map(\.title) == ["Our van"])
        #expect(try await core.call("devices.update", ["device": "van", "title": ""])["title"] == nil)
    }

    @Test func thePositionIsTheLiveOneElseTheStoredOne() async throws {
        #expect(try await core.error("position.current", [:])?.code == .unavailable)
        try store("van", at: 0)
        #expect(
            try await core.call("position.current", isGuest: true) == [
                "device": "van", "time": "2026-05-01T10:00:00.000Z", "lat": 52.37, "lon": 4.89,
            ])
        var live = fix(3, north: 5)
        live.altitude = .meters(12.34)
        live.speed = .metersPerSecond(3.456)
        live.track = .degrees(359.94)
        live.accuracy = .meters(7.77)
        live.mode = .threeDimensional
        core.present.place("van", at: live)
        #expect(
            try await core.call("position.current", ["device": "van"]) == [
                "device": "van", "time": "2026-05-01T10:00:03.000Z", "lat": 52.3700005, "lon": 4.89, "alt": 12.3,
                "speed": 3.46, "track": 359.9, "accuracy": 7.8, "mode": 3,
            ])
        // A device that has a name and no fix.
        try await core.store.write { _ = try Devices.add("spare", to: $0) }
        #expect(try await core.error("position.current", ["device": "spare"])?.code == .unavailable)
        #expect(try await core.error("position.current", ["device": "none"])?.code == .notFound)
    }
}

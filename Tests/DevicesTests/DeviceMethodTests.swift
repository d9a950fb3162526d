import Callers
import FeatureSupport
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Testing
import Tracking

@testable import Service

@Suite struct DeviceMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    /// Stores a device's state after one fix.
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

    @Test func manyDevicesComeInPages() async throws {
        for number in 0..<5 { try store("boat\(number)", at: Double(number)) }
        let pages = try await core.pages("devices.list", ["limit": 2], of: "devices")
        let all = try await core.call("devices.list")["devices"].elements
        #expect(pages.map(\.count).allSatisfy { $0 <= 2 } && pages.flatMap(\.self) == all)
        #expect(all.count >= 5)
    }

    @Test func theListHasStoredAndLiveDevices() async throws {
        #expect(try await core.call("devices.list", isGuest: true) == ["devices": []])
        try store("van", at: 0)
        try store("bike", at: 5)
        core.liveState.place("bike", at: fix(9, north: 3))
        core.liveState.place("new", at: fix(9))
        let devices = try await core.call("devices.list", isGuest: true)["devices"].elements
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
        core.liveState.place("new", at: fix(9))
        core.liveState.place("newer", at: fix(9))
        #expect(try await primary() == ["new"])
        try store("van", at: 0)
        try store("bike", at: 5)
        #expect(try await primary() == ["van"])
        #expect(try await core.call("devices.update", ["device": "bike", "primary": true])["primary"] == true)
        #expect(try await primary() == ["bike"])
        // Also a device that is not stored yet.
        #expect(try await core.call("devices.update", ["device": "new", "primary": true])["primary"] == true)
        #expect(try await primary() == ["new"])
        #expect(try await core.call("devices.update", ["device": "van", "primary": false])["primary"] == false)
        #expect(try await core.error("devices.update", ["device": "new", "primary": false])?.code == .conflict)
        #expect(try await primary() == ["new"])
        #expect(try core.store.devices().filter(\.isPrimary).map(\.name) == ["new"])
    }

    @Test func aTitleIsSetAndRemoved() async throws {
        try store("van", at: 0)
        #expect(try await core.call("devices.update", ["device": "van", "title": "Our van"])["title"] == "Our van")
        #expect(try await core.call("devices.update", ["device": "van"])["title"] == "Our van")
        try store("van", at: 10)
        #expect(try core.store.devices().map(\.title) == ["Our van"])
        #expect(try await core.call("devices.update", ["device": "van", "title": ""])["title"] == nil)
    }

    @Test func aSpeedLimitIsSetForTheNextFixAndRemoved() async throws {
        try store("van", at: 0)
        #expect(try await core.call("devices.update", ["device": "van", "speed_limit": 25])["speed_limit"] == 25)
        #expect(core.liveState.speedLimits == ["van": .metersPerSecond(25)])
        #expect(try await core.call("devices.update", ["device": "van", "title": "Van"])["speed_limit"] == 25)
        try store("van", at: 10)
        #expect(try core.store.speedLimit(ofDevice: "van") == .metersPerSecond(25))
        #expect(try await core.call("devices.update", ["device": "van", "speed_limit": 0])["speed_limit"] == nil)
        #expect(core.liveState.speedLimits == ["van": Speed?.none])
        #expect(try core.store.speedLimit(ofDevice: "van") == nil)
    }

    @Test func theLivePositionIsPreferredToTheStoredOne() async throws {
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
        core.liveState.place("van", at: live)
        #expect(
            try await core.call("position.current", ["device": "van"]) == [
                "device": "van", "time": "2026-05-01T10:00:03.000Z", "lat": 52.3700005, "lon": 4.89, "alt": 12.3,
                "speed": 3.46, "track": 359.9, "accuracy": 7.8, "mode": 3,
            ])
        // A device that is stored but has no fix.
        try await core.store.write { _ = try Devices.add("spare", to: $0) }
        #expect(try await core.error("position.current", ["device": "spare"])?.code == .unavailable)
        #expect(try await core.error("position.current", ["device": "none"])?.code == .notFound)
    }

    @Test func onlyPeopleOnBoardAndAdministratorsSeeWhoIsOnBoard() async throws {
        try core.people("ada", "bob", "cai")
        core.liveState.place("van", at: fix(0))
        func people(from connection: Principal) async throws -> JSONValue? {
            let devices = try await core.call("devices.list", [:], from: connection)["devices"].elements
            return try #require(devices.first)["people"]
        }
        let (ada, bob) = (CoreFixture.connection(as: "ada"), CoreFixture.connection(as: "bob"))
        #expect(try await people(from: CoreFixture.admin) == [])
        #expect(try await people(from: ada) == nil)
        #expect(try await core.call("devices.join", ["device": "van"], from: ada)["people"] == ["ada"])
        #expect(try await core.call("devices.join", ["device": "van"], from: ada)["people"] == ["ada"])
        #expect(try await people(from: ada) == ["ada"])
        #expect(try await people(from: bob) == nil)
        #expect(try await people(from: CoreFixture.guest) == nil)
        let update: JSONObject = ["device": "van", "people": ["cai", "bob", "cai"]]
        #expect(try await core.call("devices.update", update)["people"] == ["bob", "cai"])
        #expect(try await people(from: ada) == nil)
        #expect(try await people(from: bob) == ["bob", "cai"])
        #expect(try await core.call("devices.leave", ["device": "van"], from: ada)["people"] == nil)
        #expect(try await core.call("devices.leave", ["device": "van"], from: bob)["people"] == nil)
        #expect(try await people(from: CoreFixture.admin) == ["cai"])
        // A removed account is no longer on board.
        try await core.store.write { try $0.execute(sql: "DELETE FROM person WHERE id = 'cai'") }
        #expect(try await people(from: CoreFixture.admin) == [])
    }

    @Test func anUnknownPersonIsRefusedAndNothingChanges() async throws {
        try core.people("ada")
        core.liveState.place("van", at: fix(0))
        _ = try await core.call("devices.update", ["device": "van", "people": ["ada"]])
        for id in ["bob", "nobody", ""] {
            let update: JSONObject = ["device": "van", "title": "Van", "people": [.string(id)]]
            #expect(try await core.error("devices.update", update)?.data?["field"] == "people")
        }
        let van = try await core.call("devices.list")["devices"].elements.first
        #expect(van?["people"] == ["ada"])
        #expect(van?["title"] == nil)
    }
}

import FeatureSupport
import GRDB
import Positioning
import RPC
import Service
import TestSupport
import Testing
import Time
import Tracking

@testable import Devices
@testable import Sights
@testable import Store

/// Groups of devices: who sees which device, and what is watched for a group.
@Suite struct DeviceGroupTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "eve")
        for (device, start) in [("van", 0.0), ("boat", 1000), ("bike", 2000)] {
            try core.record(device, at: start)
            core.liveState.place(device, at: fix(start + 2))
        }
    }

    private func devices(_ person: String?) async throws -> [String] {
        let answer =
            if let person { try await core.call(as: person, "devices.list") } else {
                try await core.call("devices.list", isGuest: true)
            }
        return answer["devices"].elements.compactMap { $0["name"].text }
    }

    @Test func withoutAGroupEverybodySeesEveryDevice() async throws {
        for person in [nil, "ada"] { #expect(try await devices(person) == ["bike", "boat", "van"]) }
        try await core.call("groups.create", ["title": "Fleet"])
        for person in [nil, "ada"] { #expect(try await devices(person) == []) }
        try await core.call("groups.remove", ["id": "fleet"])
        for person in [nil, "ada"] { #expect(try await devices(person) == ["bike", "boat", "van"]) }
    }

    /// Compares what each person sees with the rule, counted by brute force over random groups and passengers.
    @Test func aPersonSeesTheDevicesOnBoardAndThoseOfTheirGroups() async throws {
        var generator = SeededGenerator(seed: 58)
        let (all, people) = (["bike", "boat", "van"], ["ada", "bob", "eve"])
        try await core.call("groups.create", ["title": "One"])
        try await core.call("groups.create", ["title": "Two"])
        for _ in 0..<20 {
            var expected: [String: Set<String>] = [:]
            for group in ["one", "two"] {
                let devices = all.filter { _ in Bool.random(using: &generator) }
                let members = people.filter { _ in Bool.random(using: &generator) }
                try await core.call(
                    "groups.update",
                    [
                        "id": .string(group), "devices": .array(devices.map { .string($0) }),
                        "people": .array(members.map { .string($0) }),
                    ])
                for person in members { expected[person, default: []].formUnion(devices) }
            }
            for device in all {
                let carried = people.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                try await core.call(
                    "devices.update",
                    ["device": .string(device), "people": .array(carried.map { .string($0) })])
                for person in carried { expected[person, default: []].insert(device) }
            }
            for person in people { #expect(try await devices(person) == (expected[person] ?? []).sorted()) }
            #expect(try await devices(nil) == [])
            #expect(try await core.call("devices.list")["devices"].elements.count == 3)
        }
    }

    @Test func aDriverSeesTheTripAndNotTheDevice() async throws {
        try await core.call("groups.create", ["title": "Fleet", "devices": ["van"]])
        let id = try #require(try await core.call("trips.list", ["device": "van"])["trips"].elements.first?["id"])
        #expect(try await core.error(as: "eve", "trips.get", ["id": id])?.code == .notFound)
        try await core.call("logbook.set", ["id": id, "username": "eve"])
        #expect(try await core.call(as: "eve", "trips.get", ["id": id])["id"] == id)
        #expect(try await core.call(as: "eve", "trips.list")["trips"].elements.count == 1)
        #expect(try await core.call(as: "eve", "logbook.list")["trips"].elements.count == 1)
        #expect(try await core.call(as: "eve", "trips.trace", ["id": id])["points"].elements.isEmpty == false)
        #expect(try await devices("eve") == [])
        #expect(try await core.error(as: "bob", "trips.trace", ["id": id])?.code == .notFound)
        try await core.call("logbook.set", ["id": id, "username": ""])
        #expect(try await core.error(as: "eve", "trips.get", ["id": id])?.code == .notFound)
    }

    @Test func nobodyComesAboardOfAHiddenDevice() async throws {
        try await core.call("groups.create", ["title": "Fleet", "devices": ["van"], "people": ["bob"]])
        #expect(try await core.error(as: "eve", "devices.join", ["device": "van"])?.code == .notFound)
        #expect(try await core.error(as: "eve", "people.invite", ["device": "van"])?.code == .notFound)
        #expect(try await core.call(as: "bob", "devices.join", ["device": "van"])["name"] == "van")
        try await core.call("groups.update", ["id": "fleet", "people": []])
        #expect(try await devices("bob") == ["van"])
        // Who leaves a device sees no more where it is.
        #expect(try await core.call(as: "bob", "devices.leave", ["device": "van"])["last"] == nil)
        #expect(try await devices("bob") == [])
    }

    private func watched(_ id: String) throws -> [String]? {
        try #require(core.liveState.index.geofence(of: .init(kind: .sight, id: id))).geofence.watch?.devices
    }

    @Test func aSightIsWatchedForTheDevicesOfItsGroups() async throws {
        try await core.call("groups.create", ["title": "Fleet", "devices": ["van"], "people": ["bob"]])
        let quay: JSONObject = [
            "title": "Quay", "lat": 52, "lon": 5, "devices": ["bike"], "groups": ["fleet"], "description": "Here.",
        ]
        let answer = try await core.call("sights.add", quay)
        #expect(answer["groups"] == ["fleet"])
        #expect(try watched("quay") == ["bike", "van"])
        try await core.call("groups.update", ["id": "fleet", "devices": ["boat", "van"]])
        #expect(try watched("quay") == ["bike", "boat", "van"])
        let stored = try core.store.sightGeofences().geofence(of: .init(kind: .sight, id: "quay"))
        #expect(stored?.geofence.watch?.devices == ["bike", "boat", "van"])
        try await core.call("sights.update", ["id": "quay", "devices": []])
        try await core.call("groups.update", ["id": "fleet", "devices": []])
        // A group without devices is not every device.
        #expect(try watched("quay") == [""])
        #expect(try await core.error("sights.update", ["id": "quay", "groups": ["none"]])?.code == .invalidValue)
        #expect(try await core.error("groups.remove", ["id": "fleet"])?.code == .conflict)
        try await core.call("groups.update", ["id": "fleet", "devices": ["boat", "van"]])
        // Bob is in the group and sees the sight; it would tell Eve where the devices are.
        #expect(try await core.call(as: "bob", "sights.get", ["id": "quay"])["groups"] == ["fleet"])
        #expect(try await core.error(as: "eve", "sights.get", ["id": "quay"])?.code == .notFound)
        #expect(try await core.call(as: "eve", "sights.list")["sights"].elements == [])
        #expect(try await core.call(as: "eve", "sights.nearest", ["lat": 52, "lon": 5])["nearest"].elements == [])
        #expect(
            try await core.call(as: "eve", "sights.map", ["bbox": [4, 51, 6, 53]])["count"] == 0
        )
    }

    @Test func aLinkShowsTheDeviceUntilItEnds() async throws {
        try await core.call("groups.create", ["title": "Fleet", "devices": ["van"], "people": ["bob"]])
        try await core.call("devices.update", ["device": "van", "people": ["ada"]])
        #expect(try await core.error(as: "bob", "follow.create", ["device": "van"])?.code == .notAllowed)
        let now = core.clock.time
        let ends = now.advanced(byMilliseconds: 3_600_000)
        let link = try #require(
            try await core.call(as: "ada", "follow.create", ["until": .string("\(ends)")])["link"])
        let shown = try await core.call("follow.open", ["link": link], isGuest: true)
        #expect(shown["title"] == "van")
        #expect(shown["left"] == 3600)
        #expect(shown["lat"] == 52.37)
        // The page asks again and again, and counts once.
        _ = try await core.call("follow.open", ["link": link, "again": true], isGuest: true)
        #expect(try await core.call(as: "ada", "follow.list")["links"].elements.map { $0["opened"] } == [1])
        #expect(try await core.call(as: "bob", "follow.list")["links"].elements == [])
        try await core.call("devices.update", ["device": "van", "people": []])
        #expect(try await core.error("follow.open", ["link": link], isGuest: true)?.code == .notFound)
        try await core.call("devices.update", ["device": "van", "people": ["ada"]])
        core.clock.time = ends.advanced(byMilliseconds: -1)
        #expect(try await core.error("follow.open", ["link": link], isGuest: true) == nil)
        core.clock.time = ends
        #expect(try await core.error("follow.open", ["link": link], isGuest: true)?.code == .notFound)
    }

    /// The page gets the way in parts, as it asks again, and nothing from before the link.
    @Test func aLinkShowsTheWayOfTheGoingTripSinceItWasMade() async throws {
        let begin = 10_000.0
        let trip = try core.record("van", at: begin, points: 2000, isOpen: true)
        core.clock.time = moment(begin + 99.5)
        let link = try #require(try await core.call("follow.create", ["device": "van"])["link"])
        func open(_ parameters: JSONObject = [:]) async throws -> JSONValue {
            var parameters = parameters
            parameters["link"] = link
            return try await core.call("follow.open", parameters, isGuest: true)
        }
        let parked = try await open()
        #expect(parked["way_begin"] == nil && parked["way"].elements.isEmpty)
        core.liveState.open(trip)
        let first = try await open()
        #expect(first["way_begin"] == .string("\(moment(begin + 99.5))"))
        let times = first["way"].elements.compactMap { $0["time"].text }
        #expect(times.first == "\(moment(begin + 100))")
        #expect((200...FollowedWay.most).contains(times.count) && times == times.sorted())
        let rest = try await open(["after": .string("\(moment(begin + 1989))")])
        #expect(rest["way"].elements.count == 10)
        #expect(rest["way"].elements.last?["lat"].number == 52.37 + 1999 * 0.0001)
        #expect(try await open(["after": .string("\(moment(0))")])["way"] == first["way"])
        // Another trip begins anew, from its start.
        _ = try await core.store.write { db in try db.execute(sql: #"UPDATE trip SET "end" = start + 1999000"#) }
        let next = try core.record("van", at: begin + 9000, points: 3, isOpen: true)
        core.liveState.open(next)
        let other = try await open()
        #expect(other["way_begin"] == .string("\(next.start)") && other["way"].elements.count == 3)
    }
}

import Callers
import FeatureSupport
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import Testing

@testable import Service
@testable import Sights

@Suite struct SightOwnerTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
    }

    private static let draft: JSONObject = [
        "id": "mill", "title": "  Old Mill\n", "description": " Turns. ", "lat": 1, "lon": 2, "category": " ",
    ]

    @Test func aSightBelongsToThePersonWhoAddsItAndHasATime() async throws {
        core.clock.time = moment(5)
        let added = try await core.call(as: "ada", "sights.add", Self.draft)
        #expect(
            added == [
                "id": "mill", "title": "Old Mill", "lat": 1, "lon": 2, "radius": 100, "description": "Turns.",
                "added_by": "ada",
            ])
        core.clock.time = moment(9)
        _ = try await core.call("sights.update", ["id": "mill", "title": "Mill"])
        _ = try await core.call(
            "sights.import",
            ["sights": [["id": "mill", "title": "New mill", "lat": 1, "lon": 2], ["title": "B", "lat": 1, "lon": 2]]])
        let got = try await core.call("sights.get", ["id": "mill"], isGuest: true)
        #expect(got["title"] == "New mill")
        #expect(got["added_by"] == "ada")
        #expect(got["added"] == "2026-05-01T10:00:05.000Z")
        #expect(try await core.call("sights.get", ["id": "b"])["added_by"] == nil)
        // Only an administrator changes a sight without an owner.
        #expect(try await core.error(as: "ada", "sights.update", ["id": "b", "title": "C"])?.code == .notAllowed)
        // An administrator may be a person as well.
        let both = CoreFixture.connection([.read, .change], as: "bob")
        var other = Self.draft
        other["id"] = nil
        let theirs = try await core.call("sights.add", other, from: both)
        #expect(theirs["added_by"] == "bob")
        _ = try await core.call("sights.remove", ["id": "mill"], from: both)
    }

    @Test func sightsOfARemovedAccountStay() async throws {
        _ = try await core.call(as: "ada", "sights.add", Self.draft)
        try await core.store.write { try $0.execute(sql: "DELETE FROM person WHERE id = 'ada'") }
        #expect(try await core.call("sights.get", ["id": "mill"])["added_by"] == nil)
    }

    @Test func aRefusedSightIsNotStored() async throws {
        for (field, value) in [("title", ""), ("description", ""), ("title", " "), ("description", "\n")] {
            var draft = Self.draft
            draft[field] = .string(value)
            let error = try await core.error(as: "ada", "sights.add", draft)
            #expect(error?.code == .invalidValue)
            #expect(error?.data?["field"].text == field)
        }
        #expect(try core.store.sights().isEmpty)
        #expect(core.liveState.drainChanges().isEmpty)
    }

    @Test func aSightOfNobodyMayLackADescription() async throws {
        _ = try core.store.importSights([
            Sight(id: "a", title: "Two\nlines", place: fix(0).coordinate, radius: .meters(50))
        ])
        #expect(try await core.call("sights.update", ["id": "a", "radius": 60])["radius"] == 60)
        #expect(try await core.error("sights.update", ["id": "a", "title": "Three\nlines"])?.code == .invalidValue)
        #expect(try await core.call("sights.update", ["id": "a", "description": "Here."])["description"] == "Here.")
        #expect(try await core.call("sights.update", ["id": "a", "description": ""])["description"] == nil)
    }

    @Test func removingASightRemovesItAsASubject() async throws {
        _ = try await core.call(as: "ada", "sights.add", Self.draft)
        let id = SubjectID(kind: "sight", id: "mill")
        try await core.store.write { _ = try Subjects.makeNumber(of: id, in: $0) }
        _ = try await core.call(as: "ada", "sights.remove", ["id": "mill"])
        #expect(try await core.store.read { try Subjects.number(of: id, in: $0) } == nil)
    }

    @Test func theDefaultPlaceIsTheLatestFixOfADeviceThatCarriesThePerson() async throws {
        core.liveState.place("bike", at: fix(5, north: 1))
        core.liveState.place("van", at: fix(4, north: 2))
        core.liveState.place("board", at: fix(9, north: 3))
        _ = try await core.call("devices.update", ["device": "board", "primary": true])
        func here(_ device: JSONValue? = nil, from connection: Principal) async throws -> Double? {
            var draft: JSONObject = ["title": "Here", "description": "Here."]
            draft["device"] = device
            return try await core.call("sights.add", draft, from: connection)["lat"].number
        }
        let ada = CoreFixture.connection(as: "ada")
        #expect(try await here(from: ada) == 52.370_000_3)
        for device in ["bike", "van"] {
            _ = try await core.call(as: "ada", "devices.join", ["device": .string(device)])
        }
        #expect(try await here(from: ada) == 52.370_000_1)
        core.liveState.place("van", at: fix(6, north: 2))
        #expect(try await here(from: ada) == 52.370_000_2)
        #expect(try await here("bike", from: ada) == 52.370_000_1)
        #expect(try await here(from: CoreFixture.connection(as: "bob")) == 52.370_000_3)
        #expect(try await here(from: CoreFixture.admin) == 52.370_000_3)
        #expect(try await core.call(as: "ada", "position.current")["device"] == "van")
        #expect(try await core.call(as: "ada", "sights.nearest", ["k": 1])["lat"] == 52.370_000_2)
        #expect(try await core.call("position.current")["device"] == "board")
    }

    @Test func withoutAFixThereIsNoDefaultPlace() async throws {
        let here: JSONObject = ["title": "Here", "description": "Here."]
        #expect(try await core.error(as: "ada", "sights.add", here)?.code == .unavailable)
        // The person's own device has no position, and that of another device would be wrong.
        core.liveState.place("board", at: fix(9))
        try await core.store.write { _ = try Devices.add("van", to: $0) }
        _ = try await core.call(as: "ada", "devices.join", ["device": "van"])
        #expect(try await core.error(as: "ada", "sights.add", here)?.code == .unavailable)
    }
}

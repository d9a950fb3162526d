#if Companion
import Foundation
import GRDB
import RPC
import TestSupport
import Testing

/// TourGuide's system: rows TG-1 to TG-12 of its acceptance.
@Suite(.slow) struct TourGuideTests {
    private static let password: JSONObject = ["account": "ada", "password": "correct horse"]

    private static func sight(_ id: String, north: Double = 0) -> JSONObject {
        [
            "id": .string(id), "title": .string("The \(id)"), "description": .string("About the \(id)."),
            "lat": .number(52 + north), "lon": 5, "radius": 50,
        ]
    }

    @Test("TG-1 sign up: each missing or unequal field is named, and no account is made")
    func signUp() async throws {
        try await Town.play { town in
            let ada = try town.traveller()
            let asked = ["first_name", "last_name", "username", "email", "password", "password_again", "terms"]
            for field in asked {
                var form = Town.form("ada")
                form["form"] = "password"
                form[field] = nil
                let refusal = try ada.refusal("people.signUp", form)
                #expect(refusal?.code == 4)
                #expect(refusal?.field == field)
            }
            for field in ["email_again", "password_again"] {
                var form = Town.form("ada")
                form[field] = "other@example.org"
                #expect(try ada.refusal("people.signUp", form)?.field == field)
            }
            #expect(try town.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM person") } == 0)
            _ = try town.resident("ada")
            #expect(try ada.call("people.get", ["person": "ada"])["name"]?.text == "Ada Test")
        }
    }

    @Test("TG-2 sign in and out: writes work only while signed in, and a wrong password is refused")
    func signIn() async throws {
        try await Town.play { town in
            let bob = try town.resident("bob")
            try bob.call("sights.add", Self.sight("mill"))
            _ = try town.resident("ada")
            let ada = try town.traveller()
            let review: JSONObject = ["subject": "sight/mill", "rating": 4]
            #expect(try ada.code("reviews.put", review) == 2)
            #expect(try ada.code("people.signIn", ["account": "ada", "password": "wrong horse"]) == 2)
            #expect(try ada.code("reviews.put", review) == 2)
            try ada.call("people.signIn", Self.password)
            #expect(try ada.code("reviews.put", review) == 0)
            try ada.call("people.signOut")
            #expect(try ada.code("reviews.put", review) == 2)
        }
    }

    @Test("TG-3 and TG-4 a person near a sight is notified and opens it from the notification")
    func near() async throws {
        let town = try await Town()
        try await town.drive(Town.way(latitude: 51), from: "2026-05-01T08:00:00Z")
        try await Town.play(in: town) { town in
            let ada = try town.resident("ada")
            try ada.call("devices.join", ["device": "van"])
            let bob = try town.resident("bob")
            try bob.call("sights.add", Self.sight("mill"))
            try bob.send(TestPicture.png, to: "sight/mill")
            // Its circle ends 100 m north of the route.
            try bob.call("sights.add", Self.sight("farm", north: 0.00135))
        }
        try await town.drive(Town.way(latitude: 52), from: "2026-05-01T10:00:00Z")
        try await Town.play(in: town) { town in
            let ada = try town.traveller()
            try ada.call("people.signIn", Self.password)
            let listener = try town.traveller()
            try listener.call("people.signIn", Self.password)
            try listener.call("events.subscribe", ["after": 0, "types": ["notification"]])
            let line = try #require(try listener.socket.event())
            let event = try JSONValue(parsing: line.span)
            #expect(event["to"]?.text == "ada")
            let enters = try ada.call("events.list", ["types": ["geofence.enter"]])["events"]?.elements ?? []
            #expect(enters.compactMap { $0["geofence"]?["id"]?.text } == ["mill"])
            let told = try ada.call("notifications.list")["notifications"]?.elements ?? []
            #expect(told.count == 1)
            #expect(told.first?["destination"]?.text == "waymark://sight/mill")
            #expect(try ada.call("events.list", ["types": ["notification"]])["events"]?.elements?.count == 1)

            let opened = try ada.call("notifications.open", ["notification": told[0]["id"].known])
            #expect(opened["subject"]?["title"]?.text == "The mill")
            #expect(opened["subject"]?["information"]?.text == "About the mill.")
            let image = try #require(opened["subject"]?["image"]?.text)
            #expect(try ada.fetch(image) == TestPicture.png)

            let bob = try town.traveller()
            try bob.call("people.signIn", ["account": "bob", "password": "correct horse"])
            #expect(try bob.call("events.list", ["types": ["notification"]])["events"]?.elements == [])
        }
    }

    @Test("TG-5 a sight added here is at the latest fix; without a fix it is refused")
    func here() async throws {
        let town = try await Town()
        let sight: JSONObject = ["title": "Here", "description": "Where we are."]
        try await Town.play(in: town) { town in
            let ada = try town.resident("ada")
            #expect(try ada.code("sights.add", sight) == 5)
        }
        try await town.drive(Town.way(latitude: 52), from: "2026-05-01T10:00:00Z")
        try await Town.play(in: town) { town in
            let ada = try town.traveller()
            try ada.call("people.signIn", Self.password)
            try ada.call("devices.join", ["device": "van"])
            let added = try ada.call("sights.add", sight)
            #expect(added["lat"]?.real == 52)
            let last: Double = 5 + 19 * 0.00073
            #expect(added["lon"]?.real == last)
            let author = added["added_by"]?.text ?? added["added_by"]?["id"]?.text
            #expect(author == "ada")
        }
    }

    @Test("TG-6 a sight elsewhere is added after confirming; without a yes nothing is stored")
    func elsewhere() async throws {
        let town = try await Town()
        let words = ["sights", "add", "Mill", "--description", "Old.", "--at", "52.5,4.5", "--id", "mill"]
        let no = try await town.daemon.ask(words)
        #expect(no.status == 64)
        #expect(try await town.daemon.ask("sights", "get", "mill").status == 1)
        let yes = try await town.daemon.ask(words + ["--yes"])
        #expect(yes.status == 0, "\(yes.errors)")
        let lines = try await town.daemon.ask("sights", "get", "mill").lines
        #expect(lines.contains("place     52.5° N 4.5° E"))
    }

    @Test("TG-7 a sight without title or information is refused, and nothing is stored")
    func incomplete() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            for field in ["title", "description"] {
                for value: JSONValue? in [nil, "", "  "] {
                    var sight = Self.sight("mill")
                    sight[field] = value
                    let refusal = try ada.refusal("sights.add", sight)
                    #expect(refusal?.code == 4)
                    #expect(refusal?.field == field)
                }
            }
            #expect(try ada.call("sights.list")["sights"]?.elements == [])
        }
    }

    @Test("TG-8 attach an image or none: the same bytes are read back; other bytes are refused")
    func image() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            try ada.call("sights.add", Self.sight("mill"))
            #expect(try ada.call("photos.list", ["subject": "sight/mill"])["photos"]?.elements == [])
            let photo = try ada.send(TestPicture.png, to: "sight/mill")
            #expect(try ada.fetch(photo) == TestPicture.png)
            #expect(throws: Traveller.Refusal.self) { try ada.send(Array("no image".utf8), to: "sight/mill") }
            #expect(try ada.call("photos.list", ["subject": "sight/mill"])["count"]?.whole == 1)
        }
    }

    @Test("TG-9 the ten closest, in order of distance, as brute force finds them; all if there are fewer")
    func closest() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            var distances: [(id: String, distance: Double)] = []
            var random = SeededGenerator(seed: 9)
            for number in 0..<30 {
                var sight = Self.sight("s\(number)")
                let (north, east) = (
                    Double.random(in: -0.5...0.5, using: &random), Double.random(in: -0.5...0.5, using: &random)
                )
                sight["lat"] = .number(52 + north)
                sight["lon"] = .number(5 + east)
                try ada.call("sights.add", sight)
                distances.append(("s\(number)", Self.distance(52 + north, 5 + east)))
                if number == 5 {
                    let few = try ada.call("sights.nearest", ["lat": 52, "lon": 5])
                    #expect(few.ids("nearest") == distances.sorted { $0.distance < $1.distance }.map(\.id))
                }
            }
            let found = try ada.call("sights.nearest", ["lat": 52, "lon": 5])
            #expect(found.ids("nearest") == distances.sorted { $0.distance < $1.distance }.prefix(10).map(\.id))
        }
    }

    /// Returns the distance in metres from 52° N 5° E by the haversine formula.
    private static func distance(_ latitude: Double, _ longitude: Double) -> Double {
        let (a, b, d) = (52 * Double.pi / 180, latitude * Double.pi / 180, (longitude - 5) * Double.pi / 180)
        let h = pow(sin((b - a) / 2), 2) + cos(a) * cos(b) * pow(sin(d / 2), 2)
        return 2 * 6_371_008.8 * asin(h.squareRoot())
    }

    @Test("TG-10 pins in a window, also across 180 degrees")
    func pins() async throws {
        try await Town.play { town in
            let ada = try town.resident("ada")
            for (id, lat, lon) in [("a", 10.0, 179.5), ("b", 10, -179.5), ("c", 10, 170), ("d", 21, 180)] {
                var sight = Self.sight(id)
                (sight["lat"], sight["lon"]) = (.number(lat), .number(lon))
                try ada.call("sights.add", sight)
            }
            let across = try ada.call("sights.list", ["bbox": [179, 0, -179, 20]])
            #expect(across.ids("sights") == ["a", "b"])
            #expect(try ada.call("sights.list", ["bbox": [160, 0, 179.5, 20]]).ids("sights") == ["a", "c"])
        }
    }

    @Test("TG-11 rate others' sights but not your own: mean and count follow, a second rating replaces the first")
    func rate() async throws {
        try await Town.play { town in
            let (ada, bob, cai) = (try town.resident("ada"), try town.resident("bob"), try town.resident("cai"))
            try ada.call("sights.add", Self.sight("mill"))
            let mill: JSONObject = ["subject": "sight/mill"]
            func rate(_ who: Traveller, _ stars: Int64) throws -> Int {
                try who.code("reviews.put", ["subject": "sight/mill", "rating": .integer(stars)])
            }
            #expect(try rate(ada, 5) == 2)
            #expect(try rate(bob, 2) == 0)
            #expect(try rate(cai, 4) == 0)
            var summary = try ada.call("reviews.summary", mill)
            #expect(summary["count"]?.whole == 2)
            #expect(summary["mean"]?.real == 3)
            #expect(try rate(bob, 5) == 0)
            summary = try ada.call("reviews.summary", mill)
            #expect(summary["count"]?.whole == 2)
            #expect(summary["mean"]?.real == 4.5)
        }
    }

    @Test("TG-12 a sight just added is reported by the next replay, and by one after a restart")
    func justAdded() async throws {
        let folder = try TemporaryFolder()
        var town = try await Town(in: folder)
        try await Town.play(in: town) { town in try town.resident("ada").call("sights.add", Self.sight("mill")) }
        try await town.drive(Town.way(latitude: 52), from: "2026-05-01T10:00:00Z")
        func enters(_ town: Town) async throws -> Int? {
            try await offThePool {
                try town.traveller().call("events.list", ["types": ["geofence.enter"]])["events"]?.elements?.count
            }
        }
        #expect(try await enters(town) == 1)
        #expect(try await town.daemon.stop() == .exit(0))
        town = try await Town(in: folder)
        try await town.drive(Town.way(latitude: 52), from: "2026-05-01T12:00:00Z")
        #expect(try await enters(town) == 2)
    }
}
#endif

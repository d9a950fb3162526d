#if Companion
import Foundation
import GRDB
import RPC
import TestSupport
import Testing
import Time

/// Vote: rows VO-5 to VO-15 of its acceptance, and OU-9.
@Suite(.slow) struct VoteTests {
    private static let lunch: JSONObject = [
        "subject": "Lunch", "options": ["Pizza", "Soup", "Salad"], "participants": 3, "passcode": "905173",
        "limit": "10m", "colour": "orange",
    ]

    private static func lunch(_ name: String, _ value: JSONValue) -> JSONObject {
        var parameters = lunch
        parameters[name] = value
        return parameters
    }

    /// Lets the van stand `meters` north of 52° N 5° E, with its latest fix `secondsAgo`.
    private static func stand(_ town: Town, north meters: Double = 0, secondsAgo: Double) async throws {
        let place = (lat: 52 + meters / 6_371_008.8 * 180 / .pi, lon: 5.0)
        let start = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 - secondsAgo - 95) * 1000))
        try await town.drive(Array(repeating: place, count: 20), from: start.description)
    }

    /// Returns a town in which the van has stopped, 400 s ago.
    private static func town() async throws -> Town {
        let town = try await Town()
        try await stand(town, secondsAgo: 400)
        return town
    }

    /// Returns a signed-in caller who has joined the van.
    private static func passenger(_ town: Town, _ id: String) throws -> Traveller {
        let traveller = try town.resident(id)
        try traveller.call("devices.join", ["device": "van"])
        return traveller
    }

    private static func open(_ ada: Traveller, _ more: JSONObject = lunch) throws -> JSONValue {
        try ada.call("votes.open", more)["id"].known
    }

    private static func enter(_ who: Traveller, _ vote: JSONValue) throws {
        try who.call("votes.get", ["vote": vote, "passcode": "905173"])
    }

    private static func vote(_ who: Traveller, _ option: Int64, in vote: JSONValue) throws {
        try enter(who, vote)
        try who.call("votes.choose", ["vote": vote, "option": .integer(option)])
        try who.call("votes.done", ["vote": vote])
    }

    private static func status(_ who: Traveller, _ part: String) throws -> [String] {
        try who.call("votes.list", ["part": .string(part)]).ids("votes", "status")
    }

    /// Stops the daemon, moves the votes back by `minutes`, and starts it again.
    private static func sleep(_ town: Town, minutes: Int64) async throws -> Town {
        _ = try await town.daemon.stop()
        let store = try DatabaseQueue(path: town.daemon.store)
        try await store.write { db in
            try db.execute(
                sql: "UPDATE vote SET opened = opened - ?1, ends = ends - ?1", arguments: [minutes * 60_000])
        }
        try store.close()
        return try await Town(in: town.daemon.folder)
    }

    private static func signIn(_ town: Town, _ id: String) throws -> Traveller {
        let traveller = try town.traveller()
        try traveller.call("people.signIn", ["account": .string(id), "password": "correct horse"])
        return traveller
    }

    private static func texts(_ who: Traveller) throws -> [String] {
        try who.call("notifications.list").ids("notifications", "text")
    }

    @Test("VO-5 an opened vote has an id and the fix as its place; bad values or a missing fix are refused")
    func open() async throws {
        let town = try await Town()
        try await Self.stand(town, secondsAgo: 3600)
        try await Town.play(in: town) { town in
            let ada = try town.resident("ada")
            #expect(try ada.code("votes.open", Self.lunch) == 5)
            try ada.call("devices.join", ["device": "van"])
            // The latest fix is an hour old.
            #expect(try ada.code("votes.open", Self.lunch) == 5)
        }
        try await Self.stand(town, secondsAgo: 100)
        try await Town.play(in: town) { town in
            let ada = try Self.signIn(town, "ada")
            let vote = try ada.call("votes.open", Self.lunch)
            #expect(vote["id"]?.text?.wholeMatch(of: /[0-9]{7}/) != nil)
            #expect(vote["lat"]?.real == 52 && vote["lon"]?.real == 5)
            #expect(vote["colour"]?.text == "orange" && vote["status"]?.text == "In progress")
            #expect(vote.ids("options", "text") == ["Pizza", "Soup", "Salad"])
            #expect(vote["participants"]?.whole == 3 && vote["limit"]?.text == "10m")
            for (field, value) in [
                ("options", ["Pizza"]), ("passcode", "1234567"), ("passcode", "12ab"), ("limit", "2h"),
                ("colour", "invisible"), ("subject", ""), ("participants", 0),
            ] as [(String, JSONValue)] {
                let refusal = try ada.refusal("votes.open", Self.lunch(field, value))
                #expect(refusal?.code == 4 && refusal?.field == field, "\(field)")
            }
            #expect(try town.traveller().code("votes.open", Self.lunch) == 2)
        }
    }

    @Test("VO-6 votes here include one at 999 m, but none at 1,001 m or ended, as the device moves")
    func here() async throws {
        let town = try await Self.town()
        let vote = try await offThePool { try Self.open(Self.passenger(town, "ada")) }
        for (meters, age, found) in [(999.0, 280.0, [vote.text.known]), (1001, 160, []), (990, 40, [vote.text.known])] {
            try await Self.stand(town, north: meters, secondsAgo: age)
            let ids = try await offThePool { try Self.signIn(town, "ada").call("votes.here").ids("votes") }
            #expect(ids == found, "\(meters)")
        }
        let later = try await Self.sleep(town, minutes: 10)
        try await Town.play(in: later) { town in
            let ids = try Self.signIn(town, "ada").call("votes.here").ids("votes")
            #expect(ids == [])
        }
    }

    @Test("VO-7 and VO-8 a vote is found by id from anywhere and opened only with the passcode; guesses are limited")
    func passcode() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try town.resident("bob"))
            let vote = try Self.open(ada)
            let found = try bob.call("votes.find", ["vote": vote])
            #expect(found["id"] == vote && found["options"] == nil && found["subject"]?.text == "Lunch")
            let other: JSONValue = vote.text == "1234567" ? "1234568" : "1234567"
            #expect(try bob.code("votes.find", ["vote": other]) == 1)
            #expect(try bob.code("votes.get", ["vote": vote]) == 2)
            for _ in 0..<5 {
                let refusal = try bob.refusal("votes.get", ["vote": vote, "passcode": "905174"])
                #expect(refusal?.code == 2 && refusal?.message.contains("Pizza") == false)
            }
            #expect(try bob.code("votes.get", ["vote": vote, "passcode": "905173"]) == 5)
            #expect(try Self.texts(ada).contains { $0.contains("<b>Bob Test</b> has given a wrong passcode") })
            let cai = try town.resident("cai")
            #expect(try cai.call("votes.get", ["vote": vote, "passcode": "905173"]).ids("options", "text").count == 3)
            try Self.expectNowhere("905173", town, [ada, cai])
        }
    }

    /// Checks that a text is neither in a file of the daemon's folder, such as the store or the log, nor in an answer.
    private static func expectNowhere(_ secret: String, _ town: Town, _ people: [Traveller]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: town.daemon.folder.path) {
            let data = FileManager.default.contents(atPath: town.daemon.folder.file(name)) ?? Data()
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
        for person in people {
            let vote = try town.read { try String.fetchOne($0, sql: "SELECT id FROM vote") }.known
            for (method, parameters) in [
                ("votes.get", ["vote": .string(vote)]), ("votes.here", [:]), ("votes.list", ["part": "initiated"]),
                ("notifications.list", [:]), ("events.list", [:]), ("server.stats", [:]),
            ] as [(String, JSONObject)] {
                guard let answer = try? person.call(method, parameters) else { continue }
                #expect(!String(decoding: JSONText(answer).bytes, as: UTF8.self).contains(secret), "\(method)")
            }
        }
    }

    @Test("VO-9 choose, change, finish: the count rises only at the end; a second ballot is refused")
    func ballot() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try Self.passenger(town, "bob"))
            let vote = try Self.open(ada)
            #expect(try bob.code("votes.choose", ["vote": vote, "option": 1]) == 2)
            try Self.enter(bob, vote)
            #expect(try bob.code("votes.done", ["vote": vote]) == 3)
            for option in [1, 3] as [Int64] {
                try bob.call("votes.choose", ["vote": vote, "option": .integer(option)])
                #expect(try ada.call("votes.get", ["vote": vote])["voted"]?.whole == 0)
            }
            #expect(try bob.call("votes.done", ["vote": vote])["voted"]?.whole == 1)
            #expect(try bob.code("votes.done", ["vote": vote]) == 3)
            #expect(try bob.code("votes.choose", ["vote": vote, "option": 1]) == 3)
        }
    }

    @Test("VO-10 history: initiated and attended, with what each row shows, searched by subject and id")
    func history() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try town.resident("bob"))
            for part in ["initiated", "attended"] {
                #expect(try ada.call("votes.list", ["part": .string(part)]).ids("votes") == [])
            }
            let (vote, other) = (try Self.open(ada), try Self.open(ada, Self.lunch("subject", "Où dîner ?")))
            try Self.vote(bob, 2, in: vote)
            try Self.enter(bob, other)
            let rows = try ada.call("votes.list", ["part": "initiated"])
            #expect(rows.ids("votes") == [other.text.known, vote.text.known])
            let row = rows["votes"]?.elements?.last
            #expect(row?["opened"]?.text?.isEmpty == false && row?["colour"]?.text == "orange")
            #expect(row?["progress"]?.whole == 33 && row?["status"]?.text == "In progress")
            func search(_ who: Traveller, _ part: String, _ text: String) throws -> [String] {
                try who.call("votes.list", ["part": .string(part), "text": .string(text)]).ids("votes")
            }
            #expect(try search(ada, "initiated", "DINER") == [other.text.known])
            #expect(try search(ada, "initiated", vote.text.known) == [vote.text.known])
            #expect(try search(ada, "initiated", "breakfast") == [])
            #expect(try bob.call("votes.list", ["part": "attended"]).ids("votes") == [vote.text.known])
            #expect(try search(bob, "attended", "lunch") == [vote.text.known])
            #expect(try bob.call("votes.list", ["part": "initiated"]).ids("votes") == [])
        }
    }

    @Test("VO-11 a running vote: subject, options, id, limit, number voted, no tally; your choice only on request")
    func running() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob) = (try Self.passenger(town, "ada"), try town.resident("bob"))
            let vote = try Self.open(ada)
            try Self.vote(bob, 2, in: vote)
            for who in [ada, bob] {
                let details = try who.call("votes.get", ["vote": vote])
                #expect(details["subject"]?.text == "Lunch" && details["id"] == vote && details["voted"]?.whole == 1)
                #expect(details.ids("options", "text").count == 3 && details["limit"]?.text == "10m")
                for name in ["winners", "names", "tie"] { #expect(details[name] == nil) }
                for option in details["options"]?.elements ?? [] {
                    #expect(option["count"] == nil && option["percent"] == nil && option["chosen"] == nil)
                }
            }
            let own = try bob.call("votes.choice", ["vote": vote])
            #expect(own["option"]?.whole == 2 && own["text"]?.text == "Soup")
            #expect(try ada.call("votes.choice", ["vote": vote])["option"] == nil)
            #expect(try town.resident("cai").code("votes.choice", ["vote": vote]) == 2)
        }
    }

    @Test("VO-12 a vote has its result after the last ballot or the limit, also if the daemon was stopped then")
    func result() async throws {
        let town = try await Self.town()
        let (full, late) = try await offThePool { () throws -> (JSONValue, JSONValue) in
            let (ada, bob, cai) = (
                try Self.passenger(town, "ada"), try town.resident("bob"), try town.resident("cai")
            )
            let (full, late) = (try Self.open(ada), try Self.open(ada, Self.lunch("subject", "Dinner")))
            for (who, option) in [(ada, 2), (bob, 2), (cai, 3)] as [(Traveller, Int64)] {
                try Self.vote(who, option, in: full)
            }
            try Self.vote(bob, 1, in: late)
            try Self.vote(cai, 3, in: late)
            let details = try bob.call("votes.get", ["vote": full])
            #expect(details["status"]?.text == "Finished" && details["winners"] == [2] && details["tie"] == false)
            #expect(details["options"]?.elements?.map { $0["percent"]?.real } == [0, 66.7, 33.3])
            #expect(details["names"] == ["Ada Test", "Bob Test", "Cai Test"])
            #expect(details["ballot"]?.text == "counted")
            #expect(try ada.call("votes.get", ["vote": late])["status"]?.text == "In progress")
            return (full, late)
        }
        let later = try await Self.sleep(town, minutes: 10)
        try await Town.play(in: later) { town in
            let (ada, bob) = (try Self.signIn(town, "ada"), try Self.signIn(town, "bob"))
            // The daemon ends the vote although nobody asks.
            let listener = try Self.signIn(town, "bob")
            try listener.call("events.subscribe", ["after": 0, "types": ["notification"]])
            let end = "The vote \(late.text.known) has ended."
            while let event = try listener.socket.event(), !String(decoding: event, as: UTF8.self).contains(end) {}
            let details = try bob.call("votes.get", ["vote": late])
            #expect(details["status"]?.text == "Finished" && details["winners"] == [1, 3] && details["tie"] == true)
            #expect(details["options"]?.elements?.map { $0["percent"]?.real } == [50, 0, 50])
            #expect(details["ended"] == details["ends"])
            #expect(try ada.call("votes.get", ["vote": full])["winners"] == [2])
            for who in [ada, bob] {
                let texts = try Self.texts(who).filter { $0.contains("has ended") }
                #expect(
                    Set(texts) == [
                        "The vote <b>Lunch</b> has ended. <b>Soup</b> has won.",
                        "The vote <b>Dinner</b> has ended. It is a tie of Pizza and Salad.",
                    ])
                #expect(texts.count == 2)
            }
        }
    }

    /// Opens a vote in which two people with the same name have voted.
    private static func clash(_ town: Town) throws -> (ada: Traveller, bob: Traveller, rob: Traveller, vote: JSONValue)
    {
        let (ada, bob, rob) = (
            try passenger(town, "ada"), try town.resident("bob"), try town.resident("rob")
        )
        try rob.call("people.update", ["first_name": "Bob"])
        let vote = try open(ada)
        for (who, option) in [(bob, 1), (rob, 2)] as [(Traveller, Int64)] { try Self.vote(who, option, in: vote) }
        return (ada, bob, rob, vote)
    }

    @Test("VO-13 two addresses under one name: something is wrong, and only the initiator sees what")
    func conflict() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob, _, vote) = try Self.clash(town)
            #expect(try Self.status(ada, "initiated") == ["Something is wrong"])
            #expect(try Self.status(bob, "attended") == ["In progress"])
            #expect(
                try Self.texts(ada).contains(
                    "Something is wrong with the vote <b>Lunch</b>: several people are called <b>Bob Test</b>."))
            let list = try ada.call("votes.conflicts", ["vote": vote])
            let conflict = try #require(list["conflicts"]?.elements?.first)
            #expect(conflict["name"]?.text == "Bob Test")
            #expect(conflict.ids("ballots", "email") == ["bob@example.org", "rob@example.org"])
            for method in ["votes.conflicts", "votes.settle"] { #expect(try bob.code(method, ["vote": vote]) == 2) }
            #expect(try bob.code("votes.exclude", ["vote": vote, "email": "rob@example.org"]) == 2)
        }
    }

    @Test(
        "VO-14 and VO-15 exclude, include, settle: the tally follows, the next name comes, the voter sees the exclusion"
    )
    func removal() async throws {
        try await Town.play(in: Self.town()) { town in
            let (ada, bob, rob, vote) = try Self.clash(town)
            for (id, option) in [("cai", 3), ("kay", 3)] as [(String, Int64)] {
                let who = try town.resident(id)
                try who.call("people.update", ["first_name": "Cai"])
                try Self.vote(who, option, in: vote)
            }
            func names() throws -> [String] { try ada.call("votes.conflicts", ["vote": vote]).ids("conflicts", "name") }
            func voted() throws -> Int64? { try ada.call("votes.get", ["vote": vote])["voted"]?.whole }
            #expect(try names() == ["Bob Test", "Cai Test"])
            #expect(try voted() == 4)
            let rob2: JSONObject = ["vote": vote, "email": "rob@example.org"]
            try ada.call("votes.exclude", rob2)
            #expect(try voted() == 3)
            #expect(try rob.call("votes.choice", ["vote": vote])["ballot"]?.text == "not counted")
            try ada.call("votes.include", rob2)
            #expect(try voted() == 4)
            try ada.call("votes.exclude", rob2)
            try ada.call("votes.settle", ["vote": vote])
            #expect(try names() == ["Cai Test"])
            #expect(try ada.code("votes.include", rob2) == 1)
            try ada.call("votes.exclude", ["vote": vote, "email": "kay@example.org"])
            try ada.call("votes.settle", ["vote": vote, "name": "Cai Test"])
            #expect(try Self.status(ada, "initiated") == ["In progress"])
            let eve = try town.resident("eve")
            try eve.call("people.update", ["first_name": "bob"])
            try Self.vote(eve, 2, in: vote)
            #expect(try Self.status(ada, "initiated") == ["Something is wrong"])
            try ada.call("votes.settle", ["vote": vote])
            // Three ballots count, one for each option.
            let result = try rob.call("votes.get", ["vote": vote])
            #expect(result["status"]?.text == "Finished" && result["ballot"]?.text == "not counted")
            #expect(result["options"]?.elements?.map { $0["count"]?.whole } == [1, 1, 1])
            #expect(result["winners"] == [1, 2, 3])
            #expect(result["names"] == ["Bob Test", "bob Test", "Cai Test"])
            #expect(try bob.call("votes.get", ["vote": vote])["ballot"]?.text == "counted")
        }
    }

    @Test("OU-9 a vote is announced nearby; nobody can overwrite it, peek into it or keep it open by not answering")
    func vote() async throws {
        let town = try await Self.town()
        let vote = try await offThePool {
            let rob = try town.resident("rob")
            try rob.call("people.update", ["first_name": "Bob"])
            _ = try Self.passenger(town, "bob")
            return try Self.open(Self.passenger(town, "ada"))
        }
        try await Self.stand(town, north: 500, secondsAgo: 200)
        try await offThePool { () throws -> Void in
            let (ada, bob, rob) = (
                try Self.signIn(town, "ada"), try Self.signIn(town, "bob"), try Self.signIn(town, "rob")
            )
            // Being nearby is enough.
            let listener = try Self.signIn(town, "bob")
            try listener.call("events.subscribe", ["after": 0, "types": ["notification"]])
            let announced = "The vote \(vote.text.known) is open around here."
            while let event = try listener.socket.event(), !String(decoding: event, as: UTF8.self).contains(announced) {
            }
            #expect(try Self.texts(bob).contains("A vote is open around here: <b>Lunch</b>."))
            #expect(try bob.call("votes.here").ids("votes") == [vote.text.known])
            try Self.vote(bob, 1, in: vote)
            try Self.vote(rob, 2, in: vote)
            #expect(try rob.code("votes.choose", ["vote": vote, "option": 1]) == 3)
            #expect(try town.traveller().code("votes.choice", ["vote": vote]) == 2)
            #expect(try ada.call("votes.choice", ["vote": vote])["option"] == nil)
            #expect(try town.read { try Int.fetchOne($0, sql: "SELECT count(count) FROM vote_option") } == 0)
            #expect(try Self.status(ada, "initiated") == ["Something is wrong"])
        }
        // Ada does not settle the conflict.
        let later = try await Self.sleep(town, minutes: 10)
        try await Town.play(in: later) { town in
            let details = try Self.signIn(town, "rob").call("votes.get", ["vote": vote])
            #expect(details["status"]?.text == "Finished" && details["tie"] == true)
        }
    }
}
#endif

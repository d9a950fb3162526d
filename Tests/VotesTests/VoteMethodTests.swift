import Callers
import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Notifications
@testable import Service
@testable import Votes

/// The methods of votes: where a person is, how wrong passcodes are limited, and what stays secret.
@Suite struct VoteMethodTests {
    private static func opening(_ subject: String = "Lunch", participants: Int64 = 3) -> JSONObject {
        [
            "subject": .string(subject), "options": ["Pizza", "Soup"], "participants": .integer(participants),
            "passcode": "905173", "limit": "1h",
        ]
    }

    /// Makes a world with ada on board of gps0; the others are on no device.
    private static func world(_ store: LocationDatabase? = nil) async throws -> CoreFixture {
        let core = try CoreFixture(store: store)
        core.liveState.place("gps0", at: fix(0))
        try core.people("ada", "bob", "cai", "dan")
        try await core.board("ada")
        return core
    }

    /// Returns the place at a distance in metres and a bearing from another, on the sphere that decides who is near.
    private static func place(_ meters: Double, toward bearing: Double, of start: Coordinate) throws -> Coordinate {
        let (angle, bearing) = (meters / Sphere.radius.meters, bearing * .pi / 180)
        let (latitude, longitude) = (start.latitude * .pi / 180, start.longitude * .pi / 180)
        let north = asin(sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(bearing))
        let east =
            longitude
            + atan2(sin(bearing) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sin(north))
        var degrees = east * 180 / .pi
        if degrees > 180 { degrees -= 360 }
        if degrees < -180 { degrees += 360 }
        return try #require(Coordinate(latitude: north * 180 / .pi, longitude: degrees))
    }

    private static func here(_ core: CoreFixture, _ person: String) async throws -> [String] {
        try await core.call(as: person, "votes.here")["votes"].elements.ids
    }

    @Test(arguments: [(52.37, 4.89), (0, 179.9999), (-36.8, -179.9999), (89.9995, 12), (-90, 0), (89.99, -180)])
    func `a vote is found up to a thousand metres from where it was opened`(_ lat: Double, _ lon: Double) async throws {
        let core = try await Self.world()
        let start = try #require(Coordinate(latitude: lat, longitude: lon))
        core.liveState.place("gps0", at: Fix(time: moment(0), coordinate: start))
        let lunch = try #require(try await core.call(as: "ada", "votes.open", Self.opening())["id"].text)
        try await core.board("bob", on: "gps1")
        for bearing in stride(from: 0.0, to: 360, by: 30) {
            let near = try Self.place(999, toward: bearing, of: start)
            core.liveState.place("gps1", at: Fix(time: moment(0), coordinate: near))
            #expect(try await Self.here(core, "bob") == [lunch], "\(bearing)°")
            let far = try Self.place(1001, toward: bearing, of: start)
            core.liveState.place("gps1", at: Fix(time: moment(0), coordinate: far))
            #expect(try await Self.here(core, "bob") == [], "\(bearing)°")
        }
    }

    @Test func withoutARecentFixAPersonHasNoPosition() async throws {
        let core = try await Self.world()
        // The primary device is not the position of an administrator or of another person.
        #expect(try await core.error(as: "bob", "votes.open", Self.opening())?.code == .unavailable)
        #expect(try await core.error(as: "bob", "votes.here")?.code == .unavailable)
        let madeUp = await #expect(throws: RPCError.self) {
            try await core.call(as: "ada", "votes.here", ["lat": 1, "lon": 2])
        }
        #expect(madeUp?.code == .invalidParameters)
        core.clock.time = moment(601)
        let late = try await core.error(as: "ada", "votes.open", Self.opening())
        #expect(late?.code == .unavailable && late?.message.contains("is older than 10 minutes") == true)
        core.clock.time = moment(-601)
        let early = try await core.error(as: "ada", "votes.open", Self.opening())
        #expect(early?.code == .unavailable && early?.message.contains("ahead of this machine's clock") == true)
        core.clock.time = moment(601)
        core.clock.time = moment(600)
        #expect(try await core.error(as: "ada", "votes.open", Self.opening()) == nil)
        try await core.store.write { try $0.execute(sql: "DELETE FROM carried") }
        #expect(try await core.error(as: "ada", "votes.open", Self.opening())?.code == .unavailable)
    }

    @Test func votesHereArePagedAndExcludeEndedOnes() async throws {
        let core = try await Self.world()
        var ids: [String] = []
        for number in 0..<5 {
            ids.append(try await core.call(as: "ada", "votes.open", Self.opening("V\(number)"))["id"].text ?? "")
        }
        try await core.board("bob")
        let first = try await core.call(as: "bob", "votes.here", ["limit": 2])
        let second = try await core.call(
            as: "bob", "votes.here", ["limit": 3, "after": try #require(first["next"])])
        #expect(first["votes"].elements.ids + second["votes"].elements.ids == ids.reversed())
        #expect(second["next"] == nil)
        core.clock.time = moment(3600)
        #expect(try await Self.here(core, "bob") == [])
        let list = try await core.call(as: "ada", "votes.list", ["part": "initiated"])["votes"].elements
        #expect(list.allSatisfy { $0["status"] == "Finished" && $0["progress"] == 100 })
        #expect(list.allSatisfy { $0["ended"] == .string(moment(3600).description) })
    }

    @Test func wrongPasscodesAreLimitedAndReportedToTheInitiator() async throws {
        let core = try await Self.world()
        let lunch = try #require(try await core.call(as: "ada", "votes.open", Self.opening())["id"])
        let wrong: JSONObject = ["vote": lunch, "passcode": "905174"]
        let right: JSONObject = ["vote": lunch, "passcode": "905173"]
        for _ in 0..<RateLimit.passcode.maximum {
            let error = try await core.error(as: "bob", "votes.get", wrong)
            #expect(error?.code == .notAllowed && error?.message.contains("Pizza") == false)
        }
        let slowed = try await core.error(as: "bob", "votes.get", right)
        #expect(slowed?.code == .unavailable)
        #expect(slowed?.data?["retry_after"] == 900)
        // Others are not locked out, and a right passcode follows a few wrong ones.
        for _ in 0..<3 { _ = try await core.error(as: "cai", "votes.get", wrong) }
        #expect(try await core.call(as: "cai", "votes.get", right)["options"].elements.count == 2)
        let told = try await core.texts(of: "ada")
        #expect(
            Set(told) == [
                "<b>Bob Test</b> has given a wrong passcode for the vote <b>Lunch</b>.",
                "<b>Bob Test</b> has given too many wrong passcodes and has to wait for the vote <b>Lunch</b>.",
                "<b>Cai Test</b> has given a wrong passcode for the vote <b>Lunch</b>.",
            ])
        #expect(told.count == 3)
        #expect(try await core.call(as: "ada", "votes.get", ["vote": lunch])["wrong_passcodes"] == 8)
        #expect(try await core.call(as: "cai", "votes.get", ["vote": lunch])["wrong_passcodes"] == nil)
        core.clock.time = moment(900)
        #expect(try await core.error(as: "bob", "votes.get", right) == nil)
        // Wrong passcodes of many people are limited as well.
        try await core.store.write { db in
            try RateLimits.count(
                .passcodesOfVote, RateLimit.passcodesOfVote.maximum - 12, by: 0, at: try #require(String(json: lunch)),
                now: core.clock.time, in: db)
        }
        _ = try await core.error(as: "dan", "votes.get", wrong)
        let many = try await core.error(as: "dan", "votes.get", right)
        #expect(many?.data?["limit"] == .integer(Int64(RateLimit.passcodesOfVote.maximum)))
    }

    @Test func idGuessesAndNewVotesAreLimitedWithTheTimeToWait() async throws {
        let core = try await Self.world()
        for number in 0..<RateLimit.voteIDs.maximum {
            let error = try await core.error(as: "bob", "votes.find", ["vote": .string(String(1_000_000 + number))])
            #expect(error?.code == .notFound)
        }
        let tired = try await core.error(as: "bob", "votes.get", ["vote": "1000000", "passcode": "1"])
        #expect(tired?.code == .unavailable && tired?.data?["retry_after"] == 3600)
        for _ in 0..<RateLimit.votes.maximum { try await core.call(as: "ada", "votes.open", Self.opening()) }
        core.clock.time = moment(60)
        let full = try await core.error(as: "ada", "votes.open", Self.opening())
        #expect(full?.code == .unavailable && full?.data?["retry_after"] == 3540)
    }

    @Test func anOpenVoteIsWatchedAndNotifiedOnceToPeopleOnBoard() async throws {
        let core = try await Self.world()
        try await core.board("bob")
        let lunch = try #require(try await core.call(as: "ada", "votes.open", Self.opening())["id"].text)
        let kind = Geofence.Kind(rawValue: "vote")
        let watched = core.liveState.index.all.map(\.geofence)
        #expect(watched.map(\.identity) == [.init(kind: kind, id: lunch)])
        #expect(watched.first?.radius == .meters(1000))
        #expect(try core.store.geofences(of: FeatureList.standard.geofences).all.map(\.geofence) == watched)
        let geofence = try #require(watched.first)
        // The first event is from a recording an hour ago, the others are new.
        for seconds in [-3600, 1, 2] {
            let sighting = Event.GeofenceSighting(geofence: geofence, distance: .meters(48.2))
            let event = Event(
                kind: .enter(sighting, initial: true), time: moment(Double(seconds)), device: "gps0",
                place: fix(0).coordinate)
            try await core.store.write { _ = try EventLog.append([EventRecord(event)], to: $0) }
        }
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "bob") == ["A vote is open around here: <b>Lunch</b>."])
        #expect(try await core.texts(of: "ada") == [])
        // The log contains neither the subject nor the initiator, and only those who were let in see the distance.
        #expect(core.liveState.notifications.map(\.recipient) == ["bob"])
        #expect(core.liveState.told.allSatisfy { !String(decoding: $0.line, as: UTF8.self).contains("Lunch") })
        func sees(_ person: String) async throws -> Bool {
            core.context.subjects.isVisible("vote/\(lunch)", to: Viewer(person: person), in: core.store)
        }
        #expect(try await sees("ada"))
        #expect(try await !sees("bob"))
        #expect(
            !core.context.subjects.isVisible("vote/\(lunch)", to: Viewer(person: nil, isAdmin: true), in: core.store))
        try await core.call(as: "bob", "votes.get", ["vote": .string(lunch), "passcode": "905173"])
        #expect(try await sees("bob"))
        _ = core.liveState.drainChanges()
        core.clock.time = moment(3600)
        try await TimedWorks(core.context, core.features.timers).catchUp()
        #expect(core.liveState.index.all.isEmpty)
    }

    @Test func dueVotesEndByTheClockAndParticipantsAreNotified() async throws {
        let core = try await Self.world()
        let timers = TimedWorks(core.context, core.features.timers)
        #expect(try await timers.catchUp() == nil)
        let lunch = try #require(try await core.call(as: "ada", "votes.open", Self.opening())["id"])
        #expect(try await timers.catchUp() == moment(3600))
        try await Self.vote(core, "bob", 2, in: lunch)
        try await core.call(as: "cai", "votes.get", ["vote": lunch, "passcode": "905173"])
        core.clock.time = moment(4000)
        #expect(try await timers.catchUp() == nil)
        let text = "The vote <b>Lunch</b> has ended. <b>Soup</b> has won."
        #expect(try await core.texts(of: "ada") == [text])
        #expect(try await core.texts(of: "bob") == [text])
        #expect(try await core.texts(of: "cai") == [])
        let result = try await core.call(as: "cai", "votes.get", ["vote": lunch])
        #expect(result["winners"] == [2] && result["tie"] == false && result["names"] == ["Bob Test"])
        #expect(result["options"].elements.map { $0["percent"].number } == [0, 100])
    }

    @Test func removingTheInitiatorRemovesEverythingOfAnOpenVote() async throws {
        let core = try await Self.world()
        let lunch = try #require(try await core.call(as: "ada", "votes.open", Self.opening("Zephyrine"))["id"])
        try await Self.vote(core, "bob", 2, in: lunch)
        _ = try await core.error(as: "dan", "votes.get", ["vote": lunch, "passcode": "1"])
        try await core.call(as: "ada", "people.remove")
        #expect(try await core.error(as: "bob", "votes.find", ["vote": lunch])?.code == .notFound)
        try await TimedWorks(core.context, core.features.timers).catchUp()
        #expect(
            try await core.texts(of: "bob") == [
                "The vote \(try #require(String(json: lunch))), in which you have voted, is gone with the account of its initiator."
            ])
        #expect(core.liveState.index.all.isEmpty)
        let rows = try await Self.rows(of: core, hiding: [:])
        #expect(!rows.contains { $0.contains("Zephyrine") })
    }

    // MARK: Secrecy

    private static func vote(_ core: CoreFixture, _ person: String, _ option: Int64, in vote: JSONValue) async throws {
        try await core.call(as: person, "votes.get", ["vote": vote, "passcode": "905173"])
        try await core.call(as: person, "votes.choose", ["vote": vote, "option": .integer(option)])
        try await core.call(as: person, "votes.done", ["vote": vote])
    }

    /// Returns all rows of the store as text, without random values.
    private static func rows(of core: CoreFixture, hiding: [String: String]) async throws -> [String] {
        try await core.store.read { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_schema
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('log', 'log_start', 'photo_folder')
                    ORDER BY name
                    """)
            return try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").map { row in
                    let columns = row.map { name, value in
                        // The values are sealed or hashed, so only their lengths can be compared.
                        let isRandom = ["choice", "seal", "passcode"].contains(name)
                        return isRandom ? "\(name) \(Data.fromDatabaseValue(value)?.count ?? 0)" : "\(name) \(value)"
                    }
                    return hiding.reduce("\(table) \(columns.joined(separator: " "))") {
                        $0.replacingOccurrences(of: $1.key, with: $1.value)
                    }
                }
            }
        }
    }

    /// Returns all answers that anybody gets about a vote, except for a person's own choice.
    private static func answers(
        _ core: CoreFixture, _ vote: JSONValue, hiding: [String: String]
    ) async throws -> [String] {
        var answers: [String] = []
        let calls: [(String, JSONObject)] = [
            ("votes.get", ["vote": vote]), ("votes.find", ["vote": vote]), ("votes.list", ["part": "initiated"]),
            ("votes.list", ["part": "attended"]), ("votes.conflicts", ["vote": vote]), ("votes.here", [:]),
            ("votes.choice", ["vote": vote]), ("notifications.list", [:]), ("events.list", [:]), ("server.stats", [:]),
            ("subjects.share", ["subject": .string("vote/\(String(json: vote) ?? "")")]),
        ]
        for person in ["ada", "bob", "cai", "dan", nil] {
            let rights: Set<AccessRight> = person == nil ? [.read, .change] : [.read]
            let caller = CoreFixture.connection(rights, as: person)
            for (method, parameters) in calls where method != "votes.choice" || ["ada", "dan", nil].contains(person) {
                let request = Request(id: .integer(1), method: method, parameters: .named(parameters))
                let text: String =
                    switch await core.table.dispatch(request, from: caller) {
                    case .success(let answer): String(decoding: answer.bytes, as: UTF8.self)
                    case .failure(let error): "\(error)"
                    }
                answers.append(
                    hiding.reduce("\(person ?? "admin") \(method) \(text)") {
                        $0.replacingOccurrences(of: $1.key, with: $1.value)
                    })
            }
        }
        return answers
            + core.liveState.told.map { event in
                hiding.reduce(String(decoding: event.line, as: UTF8.self)) {
                    $0.replacingOccurrences(of: $1.key, with: $1.value)
                }
            }
    }

    @Test(.slow) func choicesAndPasscodesLeakNowhere() async throws {
        // Bob and cai choose the first option, one each, or the second; everything else happens at the same times.
        var worlds: [(rows: [String], answers: [String])] = []
        for choices in [[1, 1], [1, 2], [2, 2]] as [[Int64]] {
            let folder = try TemporaryFolder()
            let store = try LocationDatabase.open(at: folder.file("store"), migrations: FeatureList.standard.migrations)
            let core = try await Self.world(store)
            let vote = try #require(try await core.call(as: "ada", "votes.open", Self.opening())["id"])
            try await core.store.write { try $0.execute(sql: "UPDATE person SET first_name = 'Bob' WHERE id = 'cai'") }
            for (person, choice) in zip(["bob", "cai"], choices) { try await Self.vote(core, person, choice, in: vote) }
            _ = try await core.error(as: "dan", "votes.get", ["vote": vote, "passcode": "1"])
            let hiding = [try #require(String(json: vote)): "ID"]
            let answers = try await Self.answers(core, vote, hiding: hiding)
            #expect(answers.count > 50)
            for (person, choice) in zip(["bob", "cai"], choices) {
                let own = try await core.call(as: person, "votes.choice", ["vote": vote])
                #expect(own["option"] == .integer(choice))
            }
            worlds.append((try await Self.rows(of: core, hiding: hiding), answers))
            // The passcode is not in the file, its journal or a copy.
            let begun = try await core.call("backup.begin")
            let piece = try await core.call("backup.read", ["backup": try #require(begun["backup"])])
            var files = [try #require(Data(base64Encoded: piece["data"].text ?? ""))]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                if let data = FileManager.default.contents(atPath: folder.file(name)) { files.append(data) }
            }
            #expect(files.contains { $0.range(of: Data("Lunch".utf8)) != nil })
            for file in files { #expect(file.range(of: Data("905173".utf8)) == nil) }
            #expect(!answers.contains { $0.contains("905173") })
            #expect(!worlds[0].rows.contains { $0.contains("905173") })
            try store.close()
        }
        for world in worlds.dropFirst() {
            #expect(world.rows == worlds[0].rows)
            #expect(world.answers == worlds[0].answers)
        }
    }
}

#if Companion
import Callers
import Foundation
import GRDB
import Geodesy
import RPC
import Store
import TestSupport
import Time
import Tracking

@testable import Service

extension HostileWorld {
    /// A call that is accepted as it stands.
    struct Situation: Sendable {
        var caller: Caller
        var parameters: JSONObject

        init(_ caller: Caller, _ parameters: JSONObject = [:]) {
            self.caller = caller
            self.parameters = parameters
        }
    }

    /// Makes what a method needs, and returns a call of it that is accepted as it stands.
    ///
    /// - Returns: `nil` if the method needs nothing that ``refresh()`` does not make.
    /// - Throws: ``Refused`` if what it needs cannot be made, for example because a limit is reached.
    func situation(for method: String) async throws -> Situation? {
        try await restore()
        try await befriend()
        return switch method.prefix(while: { $0 != "." }) {
        case "people": try await people(method)
        case "friends", "devices", "notifications", "suggestions", "events": try await circles(method)
        case "backup", "uploads", "photos": try await files(method)
        case "trips", "stops", "geofences", "sights", "places", "logbook", "history":
            try await travels(method)
        case "reviews", "reactions", "subjects": try await opinions(method)
        case "plans", "members", "links", "checklists", "tasks": try await plans(method)
        case "locations", "activities", "expenses", "repayments": try await items(method)
        case "maps": try maps(method)
        case "groups": try await groups(method)
        case "follow": try await following(method)
        case "server": method == "server.trial" ? Situation(.admin) : nil
        case "votes": try await votes(method)
        case "posts", "products", "shopping": try await posts(method)
        case "push": try await push(method)
        case "uplink": method == "uplink.board" ? Situation(.admin, ["name": .string("board-\(next())")]) : nil
        default: nil
        }
    }
}

// MARK: - Groups and links of devices

extension HostileWorld {
    private func groups(_ method: String) async throws -> Situation? {
        switch method {
        case "groups.update": return Situation(.admin, ["id": try await group(), "people": ["ada"]])
        case "groups.remove": return Situation(.admin, ["id": try await group()])
        default: return nil
        }
    }

    /// Makes a group of no device, so that calls about devices go on as before for those who are on board.
    private func group() async throws -> JSONValue {
        try await make("groups.create", ["title": .string("Buses \(next())")], as: .admin).given("id")
    }

    private func following(_ method: String) async throws -> Situation? {
        switch method {
        case "follow.create": return Situation(.ada, ["device": "gps0"])
        case "follow.end": return Situation(.ada, ["number": try await link().given("number")])
        case "follow.open": return Situation(.guest, ["link": try await link().given("link")])
        default: return nil
        }
    }

    private func link() async throws -> JSONValue {
        try await store.write { try $0.execute(sql: "DELETE FROM follow_link") }
        return try await make("follow.create", ["device": "gps0"])
    }
}

// MARK: - Notifications in browsers

extension HostileWorld {
    private func push(_ method: String) async throws -> Situation? {
        guard ["push.subscribe", "push.remove"].contains(method) else { return nil }
        let session = try await store.write { [now = clock.time] in try Self.openSession(of: "ada", at: now, in: $0) }
        self[.ada].identity = .init(person: "ada", session: session)
        // The keys of the example of RFC 8291, section 5.
        let browser: JSONObject = [
            "endpoint": .string("https://push.example.org/\(next())"),
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        ]
        guard method == "push.remove" else { return Situation(.ada, browser) }
        return Situation(.ada, ["browser": try await make("push.subscribe", browser).given("id")])
    }
}

// MARK: - Maps

extension HostileWorld {
    private func maps(_ method: String) throws -> Situation? {
        switch method {
        case "maps.remove":
            try Data().write(to: URL(fileURLWithPath: maps.file("alps.mbtiles")))
            return Situation(.admin, ["name": "alps"])
        case "maps.addNames":
            return Situation(
                .admin, ["name": "alps", "text": "street\tresidential\t52.1\t5.1\t0\tKerkstraat\n", "part": 1])
        default: return nil
        }
    }
}

// MARK: - People

extension HostileWorld {
    private func people(_ method: String) async throws -> Situation? {
        switch method {
        case "people.signUp": return Situation(.guest, form().parameters)
        case "people.prove":
            let (ticket, email) = try await signedUp()
            return Situation(.guest, ["ticket": ticket, "code": try code(to: email)])
        case "people.correct":
            return Situation(
                .guest, ["ticket": try await signedUp().ticket, "email": .string("new\(next())@example.org")])
        case "people.resend": return Situation(.guest, ["ticket": try await signedUp().ticket])
        case "people.sendCode": return Situation(.guest, ["account": "ada"])
        case "people.signIn": return Situation(.guest, ["account": "ada", "code": try await mailedCode(as: .guest)])
        case "people.resume": return Situation(.guest, ["token": try await session().given("token")])
        case "people.endSession":
            try await session()
            let sessions = try await make("people.sessions")["sessions"]?.elements ?? []
            return Situation(.ada, ["id": try sessions.first.given("id")])
        case "people.signOut": return Situation(.ada, ["generate": true])
        case "people.setPassword":
            return Situation(
                .ada,
                [
                    "new": "correct horse", "again": "correct horse",
                    "code": try await mailedCode(as: .ada),
                ])
        case "people.linkUser": return Situation(.ada)
        case "people.unlinkUser":
            try await make("people.linkUser")
            return Situation(.ada)
        case "people.admin": return Situation(.admin, ["person": "bob"])
        case "people.changeEmail": return Situation(.ada, ["email": .string("new\(next())@example.org")])
        case "people.proveEmail":
            let email = "new\(next())@example.org"
            try await make("people.changeEmail", ["email": .string(email)])
            return Situation(.ada, ["code": try code(to: email)])
        case "people.update": return Situation(.ada, ["phone": "+31 20 555 0100"])
        case "people.invitation": return Situation(.ada, ["for": "sms"])
        case "people.remove": return Situation(.cai)
        case "people.follow", "people.unfollow": return Situation(.ada, ["person": "bob"])
        case "people.followMany": return Situation(.ada, ["people": ["bob", "cai"]])
        case "people.invite":
            try await withdrawInvitations()
            return Situation(.ada, ["days": 1])
        case "people.revokeInvitation":
            return Situation(.ada, ["number": try await invitation().given("number")])
        case "people.previewInvitation":
            return Situation(.guest, ["code": try await invitation().given("code")])
        case "people.join":
            let code = try await invitation().given("code")
            guard next().isMultiple(of: 2) else { return Situation(.cai, ["code": code]) }
            var parameters = form().parameters
            parameters["email_again"] = nil
            parameters["code"] = code
            return Situation(.guest, parameters)
        default: return nil
        }
    }

    /// Returns a filled form of `people.signUp`, and its mail address.
    private func form() -> (parameters: JSONObject, email: String) {
        let name = "new\(next())"
        let email = "\(name)@example.org"
        let parameters: JSONObject = [
            "first_name": "New", "last_name": "Comer", "username": .string(name), "email": .string(email),
            "email_again": .string(email), "password": "correct horse", "password_again": "correct horse",
            "terms": true,
        ]
        return (parameters, email)
    }

    private func signedUp() async throws -> (ticket: JSONValue, email: String) {
        let (parameters, email) = form()
        return (try await make("people.signUp", parameters, as: .guest).given("ticket"), email)
    }

    /// Returns the code in the latest mail to an address.
    private func code(to address: String) throws -> JSONValue {
        let text = try store.read { db in
            try String.fetchOne(
                db, sql: "SELECT body FROM mail WHERE recipient = ? ORDER BY number DESC LIMIT 1", arguments: [address])
        }
        let lines = text?.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) } ?? []
        guard let code = lines.first(where: { $0.allSatisfy(\.isNumber) }) else {
            throw Refused(description: "no code was mailed to \(address)")
        }
        return .string(String(code))
    }

    /// Mails a code to ada, and returns it.
    private func mailedCode(as caller: Caller) async throws -> JSONValue {
        try await mailedCode(from: self[caller])
    }

    private func mailedCode(from caller: Principal) async throws -> JSONValue {
        try await make("people.sendCode", ["account": "ada"], from: caller)
        let address = try await store.read { db in
            try String.fetchOne(db, sql: "SELECT email FROM person WHERE id = 'ada'")
        }
        return try code(to: address ?? "")
    }

    /// Signs ada in on another connection.
    @discardableResult
    private func session() async throws -> JSONValue {
        let caller = Principal(number: 9, origin: .user(3001), rights: [.read])
        return try await make(
            "people.signIn", ["account": "ada", "code": try await mailedCode(from: caller)], from: caller)
    }

    private func withdrawInvitations() async throws {
        try await store.write { try $0.execute(sql: "DELETE FROM invitation") }
    }

    private func invitation() async throws -> JSONValue {
        try await withdrawInvitations()
        return try await make("people.invite", ["days": 1])
    }

    private func circles(_ method: String) async throws -> Situation? {
        switch method {
        case "friends.list": return Situation(.ada)
        case "friends.request": return Situation(.ada, ["person": .string(try await newcomer().id)])
        case "friends.cancel":
            let person = JSONValue.string(try await newcomer().id)
            try await make("friends.request", ["person": person])
            return Situation(.ada, ["person": person])
        case "friends.confirm", "friends.decline":
            return Situation(.ada, ["person": .string(try await asking())])
        case "friends.remove":
            let person = JSONValue.string(try await asking())
            try await make("friends.confirm", ["person": person])
            return Situation(.ada, ["person": person])
        case "devices.update": return Situation(.admin, ["device": "gps0", "title": "Van"])
        case "devices.join", "devices.leave":
            if method == "devices.join" { try await make("devices.leave", ["device": "gps0"]) }
            return Situation(.ada, ["device": "gps0"])
        case "notifications.get", "notifications.open", "notifications.read", "notifications.act",
            "notifications.remove":
            _ = try await asking()
            let list = try await make("notifications.list", ["limit": 1])["notifications"]?.elements ?? []
            return Situation(.ada, ["notification": try list.first.given("id")])
        case "suggestions.send": return Situation(.ada, try await suggestion())
        case "suggestions.remove":
            let made = try await make("suggestions.send", try await suggestion())
            return Situation(.ada, ["suggestion": try made.given("id")])
        case "events.unsubscribe":
            let made = try await make("events.subscribe", as: .guest)
            return Situation(.guest, ["subscription": try made.given("subscription")])
        default: return nil
        }
    }

    /// Lets a new person ask ada to be a friend.
    private func asking() async throws -> String {
        let (id, caller) = try await newcomer()
        try await make("friends.request", ["person": "ada"], from: caller)
        return id
    }

    /// Returns a suggestion of ada's that she may send.
    private func suggestion() async throws -> JSONObject {
        let person = JSONValue.string(try await newcomer().id)
        try await make("people.follow", ["person": person])
        return ["subject": .string("sight/\(try await sight())"), "to": person]
    }
}

// MARK: - Files

extension HostileWorld {
    private func files(_ method: String) async throws -> Situation? {
        switch method {
        case "backup.begin":
            try await endBackup()
            return Situation(.admin)
        case "backup.read", "backup.end":
            try await endBackup()
            return Situation(.admin, ["backup": try await make("backup.begin", as: .admin).given("backup")])
        case "uploads.begin": return Situation(.ada, Self.size(of: [1, 2, 3]))
        case "uploads.append":
            let upload = try await upload([1, 2, 3], isSent: false)
            return Situation(.ada, ["upload": upload, "offset": 0, "data": "AQID"])
        case "uploads.finish": return Situation(.ada, ["upload": try await upload([1, 2, 3])])
        case "uploads.cancel": return Situation(.ada, ["upload": try await upload([1, 2, 3], isSent: false)])
        case "photos.add":
            let subject = JSONValue.string("sight/\(try await sight())")
            return Situation(.ada, ["subject": subject, "upload": try await finishedPicture()])
        case "photos.list": return Situation(.guest, ["subject": .string("sight/\(try await sight())")])
        case "photos.get", "photos.read": return Situation(.guest, ["photo": try await photo()])
        case "photos.update": return Situation(.ada, ["photo": try await photo(), "caption": "The mill"])
        case "photos.remove": return Situation(.ada, ["photo": try await photo()])
        default: return nil
        }
    }

    private static func size(of bytes: [UInt8]) -> JSONObject {
        ["size": .integer(Int64(bytes.count)), "sha256": .string(digest(of: bytes))]
    }

    /// Begins an upload of ada's anew, and sends its bytes.
    private func upload(_ bytes: [UInt8], isSent: Bool = true) async throws -> JSONValue {
        let begun = try await make("uploads.begin", Self.size(of: bytes)).given("upload")
        // Another upload of the same file may have come this far already.
        try await make("uploads.cancel", ["upload": begun])
        let upload = try await make("uploads.begin", Self.size(of: bytes)).given("upload")
        guard isSent else { return upload }
        let data = JSONValue.string(Data(bytes).base64EncodedString())
        try await make("uploads.append", ["upload": upload, "offset": 0, "data": data])
        return upload
    }

    private func finishedPicture() async throws -> JSONValue {
        let upload = try await upload(Self.bytes)
        try await make("uploads.finish", ["upload": upload])
        return upload
    }

    private func photo() async throws -> JSONValue {
        let subject = JSONValue.string("sight/\(try await sight())")
        return try await make("photos.add", ["subject": subject, "upload": try await finishedPicture()]).given("id")
    }
}

// MARK: - Sights and trips

extension HostileWorld {
    /// Adds a sight of ada's and returns its id.
    private func sight() async throws -> String {
        let title = JSONValue.string("Mill \(next())")
        let made = try await make(
            "sights.add", ["title": title, "description": "Old.", "lat": 52.37, "lon": 4.89])
        return try made.given("id").text ?? ""
    }

    /// Records two trips of the device `van` on a day of their own.
    private func trips() throws -> (first: JSONValue, second: JSONValue, time: Timestamp) {
        let time = Timestamp(milliseconds: 1_577_872_800_000 + Int64(next()) * 86_400_000)
        let ids = try travel("van", from: time)
        return (.string(ids[0]), .string(ids[1]), time)
    }

    private static func text(_ time: Timestamp, plus seconds: Int64 = 0) -> JSONValue {
        .string("\(time.advanced(byMilliseconds: seconds * 1000))")
    }

    private func travels(_ method: String) async throws -> Situation? {
        switch method {
        case "history.day": return Situation(.guest, ["day": "2026-05-01"])
        case "history.heat": return Situation(.guest, ["bbox": [4, 52, 5, 53]])
        case "history.year": return Situation(.guest, ["year": 2026])
        case "logbook.apply": return Situation(.admin)
        case "logbook.set": return Situation(.admin, ["id": try trips().first, "purpose": "business"])
        case "logbook.setPlace":
            return Situation(.admin, ["sight": .string(try await sight()), "role": "home"])
        case "trips.get", "trips.trace": return Situation(.guest, ["id": try trips().first])
        case "trips.remove": return Situation(.admin, ["id": try trips().first])
        case "trips.export": return Situation(.guest, ["ids": [try trips().first], "format": "gpx"])
        case "trips.import":
            let time = Timestamp(milliseconds: 1_262_304_000_000 + Int64(next()) * 86_400_000)
            return Situation(
                .admin, ["device": "van", "points": [["time": Self.text(time), "lat": 1, "lon": 2]]])
        case "trips.merge":
            let (first, second, _) = try trips()
            return Situation(.admin, ["id": first, "with": second])
        case "trips.split", "trips.undo":
            let (first, _, time) = try trips()
            let split: JSONObject = ["id": first, "at": Self.text(time, plus: 30)]
            guard method == "trips.undo" else { return Situation(.admin, split) }
            try await make(method.replacing("undo", with: "split"), split, as: .admin)
            return Situation(.admin, ["id": first])
        case "trips.edit":
            let (first, _, time) = try trips()
            return Situation(.admin, ["id": first, "remove_point": Self.text(time, plus: 10)])
        case "stops.remove":
            let (_, _, time) = try trips()
            var stop = StopSummary(
                device: "van", start: time.advanced(byMilliseconds: 10_000),
                place: Coordinate(latitude: 52.37, longitude: 4.89).known)
            stop.end = time.advanced(byMilliseconds: 40_000)
            var pending = PendingCommit()
            pending.changes["van"] = [.stopBegan(stop)]
            _ = try await store.commit(pending)
            return Situation(.admin, ["id": .string(stop.id)])
        case "trips.recompute": return Situation(.admin, ["ids": [try trips().first]])
        case "geofences.explain":
            let (_, _, time) = try trips()
            let geofence = JSONValue.string("sight/\(try await sight())")
            return Situation(.guest, ["geofence": geofence, "time": Self.text(time, plus: 10), "device": "van"])
        case "sights.get", "sights.visits", "sights.ratings":
            return Situation(.guest, ["id": .string(try await sight())])
        case "sights.add":
            return Situation(.ada, ["title": "Mill", "description": "Old.", "lat": 52.37, "lon": 4.89])
        case "sights.update": return Situation(.ada, ["id": .string(try await sight()), "title": "Windmill"])
        case "sights.remove": return Situation(.ada, ["id": .string(try await sight())])
        case "sights.nearest": return Situation(.guest, ["lat": 52.37, "lon": 4.89])
        case "sights.map": return Situation(.guest, ["bbox": [4, 52, 5, 53]])
        case "sights.import":
            return Situation(.admin, ["sights": [["title": "Old bridge", "lat": 52.36, "lon": 4.9]]])
        case "places.import": return Situation(.admin, ["text": Self.place])
        case "places.search", "places.at":
            try await make("places.import", ["text": Self.place], as: .admin)
            return Situation(.guest, method == "places.at" ? ["lat": 52.37, "lon": 4.89] : ["text": "Amst"])
        default: return nil
        }
    }
}

// MARK: - Opinions

extension HostileWorld {
    private func opinions(_ method: String) async throws -> Situation? {
        switch method {
        case "reviews.summary", "reviews.list", "reactions.get":
            return Situation(.guest, ["subject": .string("sight/\(try await sight())")])
        case "reactions.list":
            return Situation(.guest, ["subject": .string("sight/\(try await sight())"), "kind": "like"])
        case "reactions.set":
            return Situation(.bob, ["subject": .string("sight/\(try await sight())"), "kind": "like", "on": true])
        case "reviews.put":
            return Situation(.bob, ["subject": .string("sight/\(try await sight())"), "rating": 4])
        case "reviews.get": return Situation(.guest, ["review": try await review()])
        case "reviews.remove": return Situation(.bob, ["review": try await review()])
        case "reviews.agree": return Situation(.cai, ["review": try await review(), "agree": true])
        case "reviews.flag": return Situation(.cai, ["review": try await review()])
        case "reviews.clear", "reviews.hide":
            let review = try await review()
            try await make("reviews.flag", ["review": review], as: .cai)
            return Situation(.admin, ["review": review])
        case "subjects.share": return Situation(.guest, ["subject": .string("sight/\(try await sight())")])
        case "subjects.flag": return Situation(.bob, ["subject": .string("post/\(try await post())")])
        case "subjects.clear", "subjects.hide":
            let subject = JSONValue.string("post/\(try await post())")
            try await make("subjects.flag", ["subject": subject], as: .bob)
            return Situation(.admin, ["subject": subject])
        default: return nil
        }
    }

    /// Lets bob review a sight of ada's.
    private func review() async throws -> JSONValue {
        let subject = JSONValue.string("sight/\(try await sight())")
        return try await make("reviews.put", ["subject": subject, "rating": 4], as: .bob).given("id")
    }
}

// MARK: - Plans

extension HostileWorld {
    private func plan() async throws -> JSONValue {
        try await make(
            "plans.create",
            [
                "title": "Holland", "start": "2026-05-01", "end": "2026-05-03", "currency": "EUR", "level": "everyone",
            ]
        ).given("id")
    }

    /// Makes a plan and asks bob to join it.
    private func askedPlan() async throws -> JSONValue {
        let plan = try await plan()
        try await make("members.ask", ["plan": plan, "person": "bob"])
        return plan
    }

    /// Makes a plan that bob joins.
    private func sharedPlan() async throws -> JSONValue {
        let plan = try await askedPlan()
        try await make("members.confirm", ["plan": plan], as: .bob)
        return plan
    }

    private func plans(_ method: String) async throws -> Situation? {
        switch method {
        case "plans.get", "plans.journey", "plans.itinerary", "plans.calendar", "plans.gpx", "members.list":
            return Situation(.guest, ["plan": try await plan()])
        case "plans.create": return Situation(.ada, ["title": "Holland"])
        case "plans.list": return Situation(.ada)
        case "plans.update": return Situation(.ada, ["plan": try await plan(), "title": "The Netherlands"])
        case "plans.restore":
            let plan = try await plan()
            try await make("plans.remove", ["plan": plan])
            return Situation(.ada, ["removed": .string("plan/\(plan.text ?? "")")])
        case "plans.remove", "links.list": return Situation(.ada, ["plan": try await plan()])
        case "plans.addTrip": return Situation(.ada, ["plan": try await plan(), "trip": try trips().first])
        case "plans.removeTrip":
            let parameters: JSONObject = ["plan": try await plan(), "trip": try trips().first]
            try await make("plans.addTrip", parameters)
            return Situation(.ada, parameters)
        case "plans.look": return Situation(.ada, ["plan": try await plan()])
        case "checklists.list": return Situation(.guest, ["plan": try await plan()])
        case "checklists.add": return Situation(.ada, ["plan": try await plan(), "title": "To pack"])
        case "checklists.update": return Situation(.ada, ["checklist": try await checklist(), "title": "To do"])
        case "checklists.remove": return Situation(.ada, ["checklist": try await checklist()])
        case "tasks.add": return Situation(.ada, ["checklist": try await checklist(), "title": "Tent"])
        case "tasks.update": return Situation(.ada, ["task": try await tasks().first, "done": true])
        case "tasks.move":
            let (first, second) = try await tasks()
            return Situation(.ada, ["task": second, "before": first])
        case "tasks.remove": return Situation(.ada, ["task": try await tasks().first])
        case "plans.swapDays":
            return Situation(.ada, ["plan": try await plan(), "day": "2026-06-01", "other": "2026-06-02"])
        case "plans.history": return Situation(.ada, ["plan": try await plan()])
        case "plans.undo":
            let plan = try await plan()
            try await make("activities.add", ["plan": plan, "title": "Lunch"])
            let history = try await make("plans.history", ["plan": plan, "limit": 1])
            let change = history["changes"]?.elements?.first
            return Situation(.ada, ["plan": plan, "change": try change.given("change")])
        case "plans.publish": return Situation(.ada, ["plan": try await plan(), "published": true])
        case "plans.copy": return Situation(.cai, ["plan": try await plan()])
        case "members.ask": return Situation(.ada, ["plan": try await plan(), "person": "bob"])
        case "members.invite":
            try await withdrawInvitations()
            return Situation(
                .ada, ["plan": try await plan(), "days": 1, "server": "https://van.example", "image": true])
        case "members.confirm", "members.decline": return Situation(.bob, ["plan": try await askedPlan()])
        case "members.change":
            return Situation(.ada, ["plan": try await sharedPlan(), "person": "bob", "edits": true])
        case "members.remove", "members.handOver":
            return Situation(.ada, ["plan": try await sharedPlan(), "person": "bob"])
        case "members.allow": return Situation(.ada, ["plan": try await plan(), "person": "bob", "edits": true])
        case "links.create": return Situation(.ada, ["plan": try await plan(), "days": 7])
        case "links.open":
            return Situation(.guest, ["link": try await make("links.create", ["plan": try await plan()]).given("link")])
        case "links.revoke":
            let plan = try await plan()
            return Situation(
                .ada, ["plan": plan, "number": try await make("links.create", ["plan": plan]).given("number")])
        default: return nil
        }
    }

    private func items(_ method: String) async throws -> Situation? {
        switch method {
        case "locations.list", "activities.list": return Situation(.guest, ["plan": try await plan()])
        case "locations.add": return Situation(.ada, ["plan": try await plan(), "name": "Mill"])
        case "locations.get": return Situation(.guest, ["location": try await locations().first])
        case "locations.update": return Situation(.ada, ["location": try await locations().first, "name": "Windmill"])
        case "locations.move":
            let (first, second) = try await locations()
            return Situation(.ada, ["location": second, "before": first])
        case "locations.clear", "locations.remove": return Situation(.ada, ["location": try await locations().first])
        case "locations.import":
            return Situation(
                .ada, ["plan": try await plan(), "locations": [["name": "Mill", "lat": 52.37, "lon": 4.89]]])
        case "activities.add": return Situation(.ada, ["plan": try await plan(), "title": "Lunch"])
        case "activities.get": return Situation(.guest, ["activity": try await activity()])
        case "activities.update": return Situation(.ada, ["activity": try await activity(), "note": "Soup"])
        case "activities.remove": return Situation(.ada, ["activity": try await activity()])
        case "expenses.list", "expenses.sums", "expenses.balances", "expenses.csv", "repayments.list":
            return Situation(.bob, ["plan": try await sharedPlan()])
        case "expenses.add":
            return Situation(.ada, ["plan": try await plan(), "title": "Fuel", "amount": "20.00"])
        case "expenses.update": return Situation(.ada, ["expense": try await expense(), "amount": "30.00"])
        case "expenses.remove": return Situation(.ada, ["expense": try await expense()])
        case "repayments.add": return Situation(.bob, Self.repayment(in: try await sharedPlan()))
        case "repayments.remove":
            let made = try await make("repayments.add", Self.repayment(in: try await sharedPlan()), as: .bob)
            return Situation(.ada, ["repayment": try made.given("id")])
        default: return nil
        }
    }

    private static func repayment(in plan: JSONValue) -> JSONObject {
        ["plan": plan, "from": "bob", "to": "ada", "amount": "1.00"]
    }

    private func locations() async throws -> (first: JSONValue, second: JSONValue) {
        let plan = try await plan()
        func location(_ name: JSONValue) async throws -> JSONValue {
            try await make("locations.add", ["plan": plan, "name": name, "lat": 52.37, "lon": 4.89]).given("id")
        }
        return (try await location("Mill"), try await location("Harbour"))
    }

    private func activity() async throws -> JSONValue {
        try await make("activities.add", ["plan": try await plan(), "title": "Lunch"]).given("id")
    }

    private func checklist() async throws -> JSONValue {
        try await make("checklists.add", ["plan": try await plan(), "title": "To pack"]).given("id")
    }

    private func tasks() async throws -> (first: JSONValue, second: JSONValue) {
        let checklist = try await checklist()
        func task(_ title: JSONValue) async throws -> JSONValue {
            try await make("tasks.add", ["checklist": checklist, "title": title]).given("id")
        }
        return (try await task("Tent"), try await task("Stove"))
    }

    private func expense() async throws -> JSONValue {
        try await make("expenses.add", ["plan": try await plan(), "title": "Fuel", "amount": "20.00"]).given("id")
    }
}

// MARK: - Votes and posts

extension HostileWorld {
    private static let vote: JSONObject = [
        "subject": "Lunch", "participants": 9, "limit": "1w", "passcode": "1234", "options": ["Pizza", "Soup"],
    ]

    private func votes(_ method: String) async throws -> Situation? {
        switch method {
        case "votes.open": return Situation(.ada, Self.vote)
        case "votes.list": return Situation(.ada, ["part": "initiated"])
        case "votes.find": return Situation(.bob, ["vote": try await vote()])
        case "votes.get": return Situation(.bob, ["vote": try await vote(), "passcode": "1234"])
        case "votes.choose": return Situation(.bob, ["vote": try await entered(self[.bob]), "option": 1])
        case "votes.done", "votes.choice":
            let vote = try await entered(self[.bob])
            try await make("votes.choose", ["vote": vote, "option": 1], as: .bob)
            return Situation(.bob, ["vote": vote])
        case "votes.conflicts": return Situation(.ada, ["vote": try await twoOfOneName().vote])
        case "votes.exclude":
            let (vote, email) = try await twoOfOneName()
            return Situation(.ada, ["vote": vote, "email": email])
        case "votes.include":
            let (vote, email) = try await twoOfOneName()
            try await make("votes.exclude", ["vote": vote, "email": email])
            return Situation(.ada, ["vote": vote, "email": email])
        case "votes.ask":
            return Situation(.ada, ["plan": try await sharedPlan(), "subject": "When?", "options": ["May", "June"]])
        case "votes.asked": return Situation(.ada, ["plan": try await sharedPlan()])
        case "votes.remove": return Situation(.ada, ["vote": try await asked().vote])
        case "votes.end":
            let (plan, vote) = try await asked()
            // Whoever joins meanwhile is waited for.
            let third = JSONValue.string(try await asking())
            try await make("friends.confirm", ["person": third])
            try await make("members.allow", ["plan": plan, "person": third, "edits": true])
            for caller in [Caller.ada, .bob] {
                try await make("votes.choose", ["vote": vote, "option": 1], as: caller)
                try await make("votes.done", ["vote": vote], as: caller)
            }
            return Situation(.ada, ["vote": vote])
        case "votes.settle":
            let (vote, email) = try await twoOfOneName()
            try await make("votes.exclude", ["vote": vote, "email": email])
            return Situation(.ada, ["vote": vote])
        default: return nil
        }
    }

    /// Asks something in a plan of which bob is a member.
    private func asked() async throws -> (plan: JSONValue, vote: JSONValue) {
        let plan = try await sharedPlan()
        let question: JSONObject = ["plan": plan, "subject": "When?", "options": ["May", "June"]]
        return (plan, try await make("votes.ask", question).given("id"))
    }

    private func vote() async throws -> JSONValue { try await make("votes.open", Self.vote).given("id") }

    /// Opens a vote and lets somebody in.
    private func entered(_ caller: Principal) async throws -> JSONValue {
        let vote = try await vote()
        try await make("votes.get", ["vote": vote, "passcode": "1234"], from: caller)
        return vote
    }

    /// Opens a vote in which two people of the same name have voted, and returns the address of one of them.
    private func twoOfOneName() async throws -> (vote: JSONValue, email: JSONValue) {
        let vote = try await vote()
        let (name, other) = (try await newcomer(named: "Eve"), try await newcomer(named: "Eve"))
        for caller in [name.caller, other.caller] {
            try await make("votes.get", ["vote": vote, "passcode": "1234"], from: caller)
            try await make("votes.choose", ["vote": vote, "option": 1], from: caller)
            try await make("votes.done", ["vote": vote], from: caller)
        }
        return (vote, .string("\(other.id)@example.org"))
    }

    private static let product: JSONObject = ["name": "Boots", "brand": "Bally", "price": "100", "currency": "EUR"]

    private func posts(_ method: String) async throws -> Situation? {
        switch method {
        case "posts.add": return Situation(.ada, ["text": "For the opera", "voting": true])
        case "posts.addProduct": return Situation(.ada, Self.product)
        case "posts.get": return Situation(.guest, ["post": .string(try await post())])
        case "posts.update": return Situation(.ada, ["post": .string(try await post()), "text": "At the opera"])
        case "posts.remove": return Situation(.ada, ["post": .string(try await post())])
        case "posts.judge": return Situation(.bob, ["post": .string(try await post()), "choice": "wear"])
        case "posts.list": return Situation(.guest, ["person": "ada"])
        case "posts.here": return Situation(.guest, ["lat": 52.37, "lon": 4.89])
        case "products.get", "products.mail", "shopping.add":
            return Situation(method == "products.get" ? .guest : .ada, ["product": try await product()])
        case "products.update": return Situation(.ada, ["product": try await product(), "price": "90"])
        case "shopping.remove":
            let product = try await product()
            try await make("shopping.add", ["product": product])
            return Situation(.ada, ["product": product])
        default: return nil
        }
    }

    private func post() async throws -> String {
        try await make("posts.add", ["text": "For the opera", "voting": true]).given("id").text ?? ""
    }

    /// Posts a product and returns the product's id.
    private func product() async throws -> JSONValue {
        try await make("posts.addProduct", Self.product).given("product").given("id")
    }
}

extension JSONValue {
    /// Returns a member of an answer.
    ///
    /// - Throws: ``HostileWorld/Refused`` if there is none.
    fileprivate func given(_ name: String) throws -> JSONValue {
        guard let value = self[name] else { throw HostileWorld.Refused(description: "no \(name) in an answer") }
        return value
    }
}

extension Optional<JSONValue> {
    fileprivate func given(_ name: String) throws -> JSONValue {
        guard let self else { throw HostileWorld.Refused(description: "an empty list in place of a \(name)") }
        return try self.given(name)
    }
}
#endif

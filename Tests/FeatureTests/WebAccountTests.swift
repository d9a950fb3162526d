import Callers
import EventStream
import FeatureSupport
import Foundation
import GRDB
import Logging
import RPC
import Service
import Store
import TestSupport
import Testing
import Time

@testable import Daemon
@testable import People
@testable import WebServer

/// People and their pictures through the browser's door, with the real features.
@Suite(.slow) struct WebAccountTests {
    private let core: CoreFixture

    init() async throws { core = try await MethodCase.world() }

    /// An answer of the server.
    private struct Answer {
        var status: String
        var head: String
        var text: String

        /// The session cookie that the answer sets.
        var cookie: String? { head.firstMatch(of: /[Ss]et-[Cc]ookie: waymark=([^;]*);/).map { String($0.1) } }
    }

    /// Runs a door during `body`.
    private func door(_ body: (_ ask: Asking) async throws -> Void) async throws {
        let accounts = core.features.accounts
        var services = WebServer.Services(
            methods: core.table, hub: try await EventHub(journal: StoreJournal(store: core.store)),
            sessions: core.features.sessions, identify: { accounts.connections.enter($0) })
        services.administrators = accounts.administrators
        services.files = core.features.files
        let door = try await WebServer(
            WebSettings(listen: try #require(WebAddress("127.0.0.1:0"))), to: services,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await BothDoorsTests.serving(door.run) { try await body(Asking(port: door.port)) }
    }

    /// Sends requests, each on a connection of its own.
    private struct Asking: Sendable {
        let port: Int

        func callAsFunction(
            _ line: String, _ fields: [String] = [], body: [UInt8] = []
        ) async throws -> Answer {
            let host = "127.0.0.1:\(port)"
            let lines =
                ["\(line) HTTP/1.1", "Host: \(host)", "Origin: http://\(host)", "Connection: close"] + fields
                + ["Content-Length: \(body.count)", "", ""]
            let bytes = try await BothDoorsTests.exchange(
                Array(lines.joined(separator: "\r\n").utf8) + body, port: port)
            let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            return Answer(
                status: String(head.dropFirst(9).prefix(3)), head: head,
                text: String(decoding: bytes[end.upperBound...], as: UTF8.self))
        }

        func call(_ method: String, _ parameters: String = "{}", cookie: String? = nil) async throws -> Answer {
            try await self(
                "POST /rpc", ["Content-Type: application/json"] + (cookie.map { ["Cookie: waymark=\($0)"] } ?? []),
                body: Array(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#.utf8))
        }
    }

    private func givePassword(to person: String) async throws {
        let kept = try await core.features.accounts.passwords.hash("right password", for: .process)
        try await core.store.write { db in
            try db.execute(sql: "UPDATE person SET password = ? WHERE id = ?", arguments: [kept, person])
        }
    }

    private let right = #"{"account":"ada","password":"right password"}"#

    @Test func aSessionSurvivesARestartUntilItEnds() async throws {
        try await givePassword(to: "ada")
        var cookie = ""
        try await door { ask in
            let signedIn = try await ask.call("people.signIn", right)
            #expect(!signedIn.text.contains("token"))
            cookie = try #require(signedIn.cookie)
            #expect(cookie.count == 43)
            let who = try await ask.call("people.whoami", cookie: cookie)
            #expect(who.text.contains(#""id":"ada""#))
            let nobody = try await ask.call("people.whoami")
            #expect(!nobody.text.contains("ada"))
        }
        let kept = cookie
        try await door { ask in
            let who = try await ask.call("people.whoami", cookie: kept)
            #expect(who.text.contains(#""id":"ada""#))
            // A password change elsewhere ends all sessions.
            try await core.call(
                "people.setPassword",
                ["new": "another password", "again": "another password", "current": "right password"],
                from: CoreFixture.connection(as: "ada"))
            let late = try await ask.call("people.whoami", cookie: kept)
            #expect(!late.text.contains("ada"))
            #expect(late.cookie == "")
            let madeUp = try await ask.call("people.whoami", cookie: "made-up")
            #expect(madeUp.cookie == "")
        }
    }

    @Test func signedInPeopleReadWhileTheDiskIsFull() async throws {
        try await givePassword(to: "ada")
        var cookie = ""
        try await door { ask in cookie = try #require(try await ask.call("people.signIn", right).cookie) }
        let kept = cookie
        core.clock.time = core.clock.time.advanced(byMilliseconds: 86_400_000)
        let disk = FullDisk.fill(core.store)
        try await door { ask in
            let who = try await ask.call("people.whoami", cookie: kept)
            #expect(who.text.contains(#""id":"ada""#), "\(who.text)")
            #expect(who.cookie == nil)
            #expect(try await ask("GET /photos/999", ["Cookie: waymark=\(kept)"]).status == "404")
            // Both doors refuse a change in the same words.
            let web = try await ask.call("people.update", #"{"phone":"+31 20 555 0100"}"#, cookie: kept)
            let socket = try await core.error(as: "ada", "people.update", ["phone": "+31 20 555 0100"])
            #expect(web.text.contains(#""code":5"#))
            #expect(web.text.contains(try #require(socket?.message)))
            #expect(socket?.message.contains("the disk is full") == true)
            let picture = try await ask(
                "POST /photos?subject=sight/mill", ["Cookie: waymark=\(kept)", "Content-Type: image/jpeg"],
                body: TestPicture.jpeg())
            #expect(picture.text.contains("the disk is full"), "\(picture.text)")
            let signIn = try await ask.call("people.signIn", right)
            #expect(signIn.text.contains("the disk is full"), "\(signIn.text)")
            disk.isFull = false
            let done = try await ask.call("people.update", #"{"phone":"+31 20 555 0100"}"#, cookie: kept)
            #expect(done.text.contains(#""result""#))
        }
    }

    @Test func signingOutEndsTheSession() async throws {
        try await givePassword(to: "ada")
        try await door { ask in
            let cookie = try #require(try await ask.call("people.signIn", right).cookie)
            let out = try await ask.call("people.signOut", cookie: cookie)
            #expect(out.text.contains(#""ended":1"#))
            #expect(out.cookie == "")
            let who = try await ask.call("people.whoami", cookie: cookie)
            #expect(!who.text.contains("ada"))
        }
    }

    @Test func appointingAndDismissingAdministratorsWorksAtOnce() async throws {
        try await givePassword(to: "ada")
        try await givePassword(to: "bob")
        var kept = ""
        try await door { ask in
            let ada = try #require(try await ask.call("people.signIn", right).cookie)
            let bob = try #require(
                try await ask.call("people.signIn", #"{"account":"bob","password":"right password"}"#).cookie)
            kept = ada
            func mayChange(_ cookie: String?) async throws -> Bool {
                let who = try await ask.call("people.whoami", cookie: cookie).text.contains(#""admin":true"#)
                let calls = [
                    ("mail.list", "{}"), ("people.admins", "{}"), ("reviews.flagged", "{}"), ("subjects.flagged", "{}"),
                    ("devices.update", #"{"device":"gps0","title":"Van"}"#),
                ]
                for (method, parameters) in calls {
                    let answer = try await ask.call(method, parameters, cookie: cookie).text
                    #expect(answer.contains(#""result""#) == who, "\(method): \(answer)")
                    #expect(who || answer.contains(#""code":2"#), "\(method): \(answer)")
                }
                return who
            }
            func profile(_ person: String, cookie: String?) async throws -> String {
                try await ask.call("people.get", #"{"person":"\#(person)"}"#, cookie: cookie).text
            }
            #expect(try await !mayChange(ada))
            try await core.call("people.admin", ["person": "ada"])
            #expect(try await mayChange(ada))
            #expect(try await !mayChange(bob))
            #expect(try await !mayChange(nil))
            #expect(try await !mayChange("made-up"))
            // Profiles show it to the persons themselves and to administrators.
            #expect(try await profile("ada", cookie: ada).contains(#""admin":true"#))
            #expect(try await profile("bob", cookie: ada).contains(#""admin":false"#))
            #expect(try await !profile("ada", cookie: bob).contains(#""admin""#))
            #expect(try await !profile("ada", cookie: nil).contains(#""admin""#))
            #expect(try await ask.call("people.admins", cookie: ada).text.contains(#""id":"ada""#))
            // Later sessions are administrators', too. A session cannot appoint administrators, link users or make
            // backups.
            #expect(try await mayChange(try await ask.call("people.signIn", right).cookie))
            for (method, parameters) in [
                ("people.admin", #"{"person":"bob"}"#), ("people.admin", #"{"person":"ada","remove":true}"#),
                ("people.linkUser", "{}"), ("backup.begin", "{}"),
            ] {
                #expect(try await ask.call(method, parameters, cookie: ada).text.contains(#""code":2"#), "\(method)")
            }
            try await core.call("people.admin", ["person": "ada", "remove": true])
            #expect(try await !mayChange(ada))
            try await core.call("people.admin", ["person": "ada"])
        }
        // The next start of the daemon reads the administrators from the store.
        core.features.accounts.administrators.set([])
        try core.features.accounts.load(from: core.store)
        let cookie = kept
        try await door { ask in
            #expect(try await ask.call("people.whoami", cookie: cookie).text.contains(#""admin":true"#))
            let gone = try await ask.call("people.remove", #"{"password":"right password"}"#, cookie: cookie)
            #expect(gone.text.contains(#""result""#), "\(gone.text)")
            #expect(!core.features.accounts.administrators.contains("ada"))
        }
    }

    @Test func onTheSocketAdministratorRightsComeFromTheUser() async throws {
        try await core.call("people.admin", ["person": "ada"])
        let error = try await core.error(as: "ada", "mail.list", [:])
        #expect(error?.code == .notAllowed)
        let who = try await core.call(as: "ada", "people.whoami")
        #expect(who["admin"] == false)
        #expect(try await core.call(as: "ada", "people.profile")["admin"] == true)
        let refusal = try await core.error(as: "ada", "people.admin", ["person": "bob"])
        #expect(refusal?.code == .notAllowed)
    }

    @Test func aPlanLinkShowsItsPhotosAndNoOthers() async throws {
        try await givePassword(to: "ada")
        func make(_ method: String, _ parameters: JSONObject) async throws -> String {
            try #require(try await core.call(as: "ada", method, parameters)["id"].text)
        }
        let plan = try await make("plans.create", ["title": "Lakes", "level": "me"])
        let lake = try await make("locations.add", ["plan": .string(plan), "name": "Lake"])
        let hut = try await make("locations.add", ["plan": .string(plan), "name": "Hut", "level": "members"])
        let other = try await make("plans.create", ["title": "Hills"])
        let link = try #require(
            try await core.call(as: "ada", "links.create", ["plan": .string(plan), "days": 1])["link"].text)
        let ofLake = try await core.call(as: "ada", "links.create", ["plan": .string(plan), "location": .string(lake)])
        let lakeLink = try #require(ofLake["link"].text)
        try await door { ask in
            let cookie = try #require(try await ask.call("people.signIn", right).cookie)
            var photos: [String: String] = [:]
            for (name, subject) in [
                ("plan", "plan/\(plan)"), ("lake", "location/\(lake)"),
                ("hut", "location/\(hut)"), ("other", "plan/\(other)"), ("sight", "sight/mill"),
            ] {
                let added = try await ask(
                    "POST /photos?subject=\(subject)", ["Cookie: waymark=\(cookie)", "Content-Type: image/jpeg"],
                    body: TestPicture.jpeg())
                photos[name] = String(try #require(added.text.firstMatch(of: /"id":"(\d+)"/)?.1))
            }
            func shown(by link: String) async throws -> [String] {
                var names: [String] = []
                for (name, id) in photos {
                    let answer = try await ask("GET /s/\(link)/photos/\(id)")
                    #expect(["200", "404"].contains(answer.status))
                    if answer.status == "200" { names.append(name) }
                }
                return names.sorted()
            }
            #expect(try await shown(by: link) == ["lake", "plan"])
            #expect(try await shown(by: lakeLink) == ["lake"])
            #expect(try await shown(by: "made-up") == [])
            // The link lists exactly these photos, and others do not get them without it.
            let content = try await core.call("links.open", ["link": .string(link)], from: CoreFixture.connection())
            #expect(content["photos"].elements.ids == [photos["plan"], photos["lake"]].compactMap(\.self))
            let id = try #require(photos["plan"])
            let stranger = try await ask("GET /photos/\(id)")
            #expect(stranger.status == "404")
            let answer = try await ask("GET /s/\(link)/photos/\(id)")
            #expect(answer.head.contains("private, max-age=60\r"))
            #expect(answer.head.contains("image/jpeg"))
            #expect(try await ask("GET /s/\(link)/photos/\(id)", ["Range: bytes=0-1"]).status == "206")
            // A signed-in person gets the same through a link as a stranger.
            let own = try await ask("GET /s/\(link)/photos/\(id)", ["Cookie: waymark=\(cookie)"])
            #expect(own.text == answer.text)
            let hidden = try #require(photos["hut"])
            for path in [
                "\(link)/photos", "\(link)/photos/", "\(link)/photos/0\(id)", "\(link)/photos/\(id)/whole",
                "\(link)/photos/\(id)/square/more", "/photos/\(id)", "%20/photos/\(id)", "\(link)%00/photos/\(id)",
                "\(link)/photos/..%2F\(id)", "\(link)/photos/%2e%2e/photos/\(id)", "\(link)/photos/\(id)%2Fsquare",
                "\(link)/photos/\(hidden)", "\(link)/photos/-\(id)", "*/photos/\(id)", "%2A/photos/\(id)",
            ] {
                let none = try await ask("GET /s/\(path)")
                // A path that is not a photo's may be the address of a page.
                let isRefused = ["400", "404"].contains(none.status) || none.head.contains("text/html")
                #expect(isRefused && !none.head.contains("image/"), "\(path): \(none.head)")
            }
            // Reading photos does not count as opening the link, and unknown links cause no write.
            let links = try await core.call(as: "ada", "links.list", ["plan": .string(plan)])["links"].elements
            #expect(links.map { $0["opened"].number } == [1, 0])
            let before = core.context.editor.changeCount
            #expect(try await ask("GET /calendar/made-up.ics").status == "404")
            #expect(try await ask.call("links.open", #"{"link":"made-up"}"#).text.contains(#""code":1"#))
            #expect(core.context.editor.changeCount == before)
            #expect(try await ask("GET /calendar/\(link).ics").status == "200")
            #expect(core.context.editor.changeCount == before + 1)
            let number = try #require(ofLake["number"])
            try await core.call(as: "ada", "links.revoke", ["plan": .string(plan), "number": number])
            #expect(try await shown(by: lakeLink) == [])
            core.clock.time = core.clock.time.advanced(byMilliseconds: 86_400_000)
            #expect(try await shown(by: link) == [])
        }
    }

    @Test func passwordGuessesAreCountedByAddress() async throws {
        try await givePassword(to: "ada")
        try await door { ask in
            var last = ""
            for _ in 0..<12 {
                last = try await ask.call("people.signIn", #"{"account":"ada","password":"wrong one"}"#).text
            }
            #expect(last.contains("retry_after"))
            let right = try await ask.call("people.signIn", right)
            #expect(right.cookie == nil)
        }
        // A user on the Unix socket is not locked out by that.
        try await core.call(
            "people.signIn", ["account": "ada", "password": "right password"], from: CoreFixture.connection())
    }

    @Test func anUploadedPictureIsServedOnlyToThoseWhoMaySeeIt() async throws {
        try await givePassword(to: "ada")
        try await door { ask in
            let cookie = try #require(try await ask.call("people.signIn", right).cookie)
            let held = ["Cookie: waymark=\(cookie)", "Content-Type: image/jpeg"]
            let picture = TestPicture.jpeg()
            let nobody = try await ask(
                "POST /photos?subject=sight/mill", ["Content-Type: image/jpeg"], body: picture)
            #expect(nobody.status == "403")
            let added = try await ask("POST /photos?subject=sight/mill&caption=The+mill", held, body: picture)
            #expect(added.status == "200", "\(added.text)")
            #expect(added.text.contains(#""caption":"The mill""#))
            let id = try #require(added.text.firstMatch(of: /"id":"(\d+)"/)?.1)
            let seen = try await ask("GET /photos/\(id)", ["Cookie: waymark=\(cookie)"])
            #expect(seen.status == "200")
            #expect(seen.head.contains("image/jpeg"))
            #expect(seen.head.contains("private, max-age=31536000, immutable"))
            let none = try await ask("GET /photos/999")
            #expect(none.status == "404")
            let broken = try await ask("POST /photos?subject=sight/mill", held, body: Array("no picture".utf8))
            #expect(broken.status == "400")
            #expect(broken.text.contains(#""field":"upload""#))
        }
    }
}

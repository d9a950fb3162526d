#if Companion
import Foundation
import Photos
import RPC
import SocketServer

/// The people of a demonstration, and their actions before the drive.
///
/// `DemoCast+Plans` has their plans, and `DemoCast+Sights` what they did at the sights and among themselves.
final class DemoCast {
    let stage: DemoStage
    /// The tokens of the sessions by username.
    private var sessions: [String: String] = [:]

    init(stage: DemoStage) { self.stage = stage }

    /// The password of all four people.
    static let password = "a quiet road"
    /// The passcode of the votes.
    static let passcode = "2468"

    private static let people = [
        ("ada", "Ada", "Lovelace"), ("bob", "Bob", "Hope"), ("cleo", "Cleo", "de Nijl"), ("dan", "Dan", "Brown"),
    ]

    /// Signs up four people, with a picture each, who rate sights and add photos.
    func signUp() async throws {
        for (number, (id, first, last)) in Self.people.enumerated() {
            sessions[id] = try await SocketClient.connect(to: stage.socket) { client in
                try await signUp(id, first, last, through: client)
            }
            try await add(Data(Portrait(number).png), to: "person/\(id)", by: id, "portrait")
        }
        try await visit()
        // The command line acts as Ada from now on.
        try JSONEncoder().encode([stage.socket: sessions["ada"]]).write(to: URL(fileURLWithPath: stage.session))
    }

    /// Puts Ada and Bob on board the van, and Cleo and Dan on the tandem, once the daemon has a fix of each.
    func board() async throws {
        for (person, device) in [
            ("ada", DemoStage.van), ("bob", DemoStage.van), ("cleo", DemoStage.tandem), ("dan", DemoStage.tandem),
        ] {
            try await stage.wait(for: "a fix of the \(device)") { () -> JSONValue? in
                do {
                    return try await call("devices.join", as: person, ["device": .string(device)])
                } catch let error as RPCError where error.code == .notFound {
                    return nil
                }
            }
        }
        // The bus is the first by name.
        try await SocketClient.connect(to: stage.socket) { client in
            _ = try await client.call("devices.update", ["device": .string(DemoStage.van), "primary": true])
        }
    }

    /// Opens Cleo's vote where the tandem stands, after one that is over, and returns its id.
    func openVotes() async throws -> String {
        let over = try await openVote(
            by: "dan", "Which way up to the castle?", participants: 2, ["The path", "The road"])
        for person in ["cleo", "dan"] { try await choose(1, in: over, by: person) }
        let vote = try await openVote(
            by: "cleo", "What is for lunch?", participants: 4,
            ["Cheese dumplings at the inn", "Barley soup in the square", "A picnic by the Rhine"])
        try await choose(3, in: vote, by: "dan")
        return vote
    }

    private func openVote(
        by person: String, _ subject: String, participants: Int64, _ options: [String]
    ) async throws -> String {
        let vote = try await call(
            "votes.open", as: person,
            [
                "subject": .string(subject), "participants": .integer(participants), "limit": "1h",
                "passcode": .string(Self.passcode), "options": .array(options.map { .string($0) }),
            ])
        return try vote.text("id").orFailing("votes.open returned no vote")
    }

    private func choose(_ option: Int64, in vote: String, by person: String) async throws {
        try await SocketClient.connect(to: stage.socket) { client in
            _ = try await client.call("people.resume", ["token": .string(sessions[person] ?? "")])
            _ = try await client.call("votes.get", ["vote": .string(vote), "passcode": .string(Self.passcode)])
            _ = try await client.call("votes.choose", ["vote": .string(vote), "option": .integer(option)])
            _ = try await client.call("votes.done", ["vote": .string(vote)])
        }
    }

    /// Calls a method as a person.
    @discardableResult
    func call(_ method: String, as person: String, _ parameters: JSONObject) async throws -> JSONValue {
        try await SocketClient.connect(to: stage.socket) { client in
            _ = try await client.call("people.resume", ["token": .string(sessions[person] ?? "")])
            return try await client.call(method, parameters)
        }
    }

    /// Draws a picture, and adds it to a subject as a person.
    func photograph(
        _ subject: String, by person: String, _ scene: Painting.Scene, _ hour: Painting.Hour, _ caption: String
    ) async throws {
        try await add(Data(Painting(scene, hour).png), to: subject, by: person, caption)
    }

    private func add(_ picture: Data, to subject: String, by person: String, _ caption: String) async throws {
        try await SocketClient.connect(to: stage.socket) { client in
            _ = try await client.call("people.resume", ["token": .string(sessions[person] ?? "")])
            let upload = try await client.upload(UploadFile(picture), name: "picture.png")
            _ = try await client.call(
                "photos.add", ["subject": .string(subject), "caption": .string(caption), "upload": upload])
        }
    }

    /// Signs up one person, and returns the token of the session.
    private func signUp(
        _ id: String, _ first: String, _ last: String, through client: SocketClient
    ) async throws -> String {
        let address = "\(id)@example.org"
        let begun = try await client.call(
            "people.signUp",
            [
                "first_name": .string(first), "last_name": .string(last), "email": .string(address),
                "email_again": .string(address), "username": .string(id), "terms": true,
                "password": .string(Self.password), "password_again": .string(Self.password),
            ])
        let code = try await stage.wait(for: "a mail to \(address)") { mailedCode(for: address) }
        let admission = try await client.call(
            "people.prove", ["ticket": begun["ticket"] ?? .null, "code": .string(code)])
        return try admission.text("token").orFailing("people.prove returned no session of \(id)")
    }

    /// Returns the six digits of the last mail to an address; `nil` if there is no such mail.
    private func mailedCode(for address: String) -> String? {
        guard let text = try? String(contentsOfFile: stage.mail, encoding: .utf8),
            let start = text.range(of: "<\(address)>", options: .backwards)
        else { return nil }
        return text[start.upperBound...].firstMatch(of: /\b[0-9]{6}\b/).map { String($0.0) }
    }
}

extension Optional {
    /// Returns the value, or throws that a step of the demonstration failed.
    func orFailing(_ what: String) throws -> Wrapped {
        guard let self else { throw DemoStage.Failed(what: what) }
        return self
    }
}
#endif

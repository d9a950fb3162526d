import Foundation
import Media
import RPC
import SocketServer

/// The people of a demonstration, and their actions before the drive.
struct DemoCast {
    let stage: DemoStage

    /// The password of all four people.
    static let password = "a quiet road"

    private static let people = [
        ("ada", "Ada", "Lovelace"), ("bob", "Bob", "Hope"), ("cleo", "Cleo", "de Nijl"), ("dan", "Dan", "Brown"),
    ]

    /// Signs up four people, who rate sights and add photos; Ada also plans the day.
    ///
    /// - Returns: The tokens of their sessions by username.
    func signUp() async throws -> [String: String] {
        var sessions: [String: String] = [:]
        for (id, first, last) in Self.people {
            sessions[id] = try await SocketClient.connect(to: stage.socket) { client in
                let session = try await signUp(id, first, last, through: client)
                try await rate(as: id, through: client)
                try await photograph(as: id, through: client)
                if id == "ada" { try await plan(through: client) }
                return session
            }
        }
        // The command line acts as Ada from now on.
        try JSONEncoder().encode([stage.socket: sessions["ada"]]).write(to: URL(fileURLWithPath: stage.session))
        return sessions
    }

    /// The passcode of the vote.
    static let passcode = "2468"

    /// Puts Ada on board the van, once the daemon has a fix of it.
    func board(by session: String?) async throws {
        try await act(by: session, on: DemoStage.van) { _ in true }
    }

    /// Opens Cleo's vote where her yacht lies, and returns its id.
    func openVote(by session: String?) async throws -> String {
        try await act(by: session, on: DemoStage.yacht) { client in
            let vote = try await client.call(
                "votes.open",
                [
                    "subject": "What is for lunch?", "participants": 4, "limit": "1h",
                    "passcode": .string(Self.passcode),
                    "options": ["Pancakes on the barge", "Herring at the stall", "Soup at home"],
                ])
            return vote.text("id")
        }
    }

    /// Waits for a device, boards it as a person, and runs `body`.
    ///
    /// It tries again while the daemon does not know the device or `body` returns `nil`.
    @discardableResult
    private func act<Value: Sendable>(
        by session: String?, on device: String, _ body: (SocketClient) async throws -> Value?
    ) async throws -> Value {
        try await stage.wait(for: "a fix of the \(device)") { () -> Value? in
            try await SocketClient.connect(to: stage.socket) { client -> Value? in
                _ = try await client.call("people.resume", ["token": .string(session ?? "")])
                do {
                    _ = try await client.call("devices.join", ["device": .string(device)])
                } catch let error as RPCError where error.code == .notFound {
                    return nil
                }
                return try await body(client)
            }
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
        return try Self.token(in: admission, of: id)
    }

    /// Returns the token in an answer of `people.prove`.
    static func token(in admission: JSONValue, of id: String) throws -> String {
        guard let token = admission.text("token") else {
            throw DemoStage.Failed(what: "people.prove returned no session of \(id)")
        }
        return token
    }

    /// Returns the six digits of the last mail to an address; `nil` if there is no such mail.
    private func mailedCode(for address: String) -> String? {
        guard let text = try? String(contentsOfFile: stage.mail, encoding: .utf8),
            let start = text.range(of: "<\(address)>", options: .backwards)
        else { return nil }
        return text[start.upperBound...].firstMatch(of: /\b[0-9]{6}\b/).map { String($0.0) }
    }

    private func rate(as id: String, through client: SocketClient) async throws {
        let reviews: [String: [(sight: String, rating: Int64, text: String)]] = [
            "ada": [("westerkerk", 5, "Climb the tower: the whole canal belt lies below you.")],
            "bob": [("rijksmuseum", 5, "Go early, and straight to the second floor."), ("westerkerk", 4, "")],
            "cleo": [("rijksmuseum", 4, "Crowded, and worth it."), ("artis", 5, "The butterflies!")],
            "dan": [("van-gogh-museum", 3, "Book ahead."), ("artis", 4, "")],
        ]
        for review in reviews[id] ?? [] {
            _ = try await client.call(
                "reviews.put",
                [
                    "subject": .string("sight/\(review.sight)"), "rating": .integer(review.rating),
                    "text": .string(review.text),
                ])
        }
    }

    /// Draws a picture, and adds it to a sight.
    private func photograph(as id: String, through client: SocketClient) async throws {
        let pictures: [String: (sight: String, hour: Painting.Hour, caption: String)] = [
            "ada": ("westerkerk", .morning, "The houses beside it, before the crowds"),
            "bob": ("rijksmuseum", .noon, "What you see when you come out"),
            "cleo": ("artis", .evening, "On the way home from the zoo"),
            "dan": ("van-gogh-museum", .night, "A starry night of our own"),
        ]
        guard let picture = pictures[id] else { return }
        let file = UploadFile(Data(Painting(picture.hour).png))
        _ = try await client.call(
            "photos.add",
            [
                "subject": .string("sight/\(picture.sight)"), "caption": .string(picture.caption),
                "upload": try await client.upload(file, name: "\(picture.sight).png"),
            ])
    }

    /// Creates a plan for the day of the recording, with places that the drive passes and one that it does not.
    private func plan(through client: SocketClient) async throws {
        let plan = try await client.call(
            "plans.create",
            [
                "title": "A day in Amsterdam", "zone": "Europe/Amsterdam", "start": "2026-05-01", "end": "2026-05-01",
                "destination": "Amsterdam",
            ])
        let places: [(String, Double, Double)] = [
            ("Breakfast at the Westermarkt", 52.3742, 4.8838),
            ("Meet Bob before the Van Gogh Museum", 52.35885, 4.8811),
            ("The zoo", 52.36605, 4.9165), ("The ferry to Texel", 52.9636, 4.7843),
        ]
        for (name, latitude, longitude) in places {
            _ = try await client.call(
                "locations.add",
                [
                    "plan": plan["id"] ?? .null, "name": .string(name), "lat": .number(latitude),
                    "lon": .number(longitude), "radius_m": 150,
                ])
        }
    }
}

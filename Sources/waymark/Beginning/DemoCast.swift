import Foundation
import RPC
import SocketServer

/// The people of a demonstration, and what they do before the drive.
struct DemoCast {
    let stage: DemoStage

    /// By which each of them signs in.
    static let password = "a quiet road"

    private static let people = [
        ("ada", "Ada", "Lovelace"), ("bob", "Bob", "Hope"), ("cleo", "Cleo", "de Nijl"), ("dan", "Dan", "Brown"),
    ]

    /// Signs four people up; they rate sights, and Ada plans the day.
    func signUp() async throws {
        for (id, first, last) in Self.people {
            try await SocketClient.connect(to: stage.socket) { client in
                try await signUp(id, first, last, through: client)
                try await rate(as: id, through: client)
                if id == "ada" { try await plan(through: client) }
            }
        }
    }

    /// Has Ada get on board, once the van has been seen.
    func board() async throws {
        try await stage.wait(for: "the van to be seen") { () -> JSONValue? in
            try await SocketClient.connect(to: stage.socket) { client -> JSONValue? in
                guard let token = try Self.token(in: stage.session, at: stage.socket) else { return nil }
                _ = try await client.call("people.resume", ["token": .string(token)])
                do {
                    return try await client.call("devices.join", ["device": "van"])
                } catch let error as RPCError where error.code == .notFound {
                    return nil
                }
            }
        }
    }

    private func signUp(_ id: String, _ first: String, _ last: String, through client: SocketClient) async throws {
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
        guard id == "ada", let token = admission.text("token") else { return }
        try JSONEncoder().encode([stage.socket: token]).write(to: URL(fileURLWithPath: stage.session))
    }

    private static func token(in file: String, at place: String) throws -> String? {
        try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(fileURLWithPath: file)))[place]
    }

    /// The six digits of the last mail to an address; nil where none has come.
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

    /// The day of the recording, with places that it passes and one that it does not.
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

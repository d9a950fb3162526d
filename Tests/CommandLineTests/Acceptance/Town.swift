import Foundation
import GRDB
import Glibc
import Positioning
import RPC
import TestSupport

/// A daemon with people who travel: what the acceptance of each document is played in.
///
/// Everything but driving blocks, so that a row belongs on a thread of its own; see ``play(_:)``.
final class Town: Sendable {
    let daemon: RunningDaemon
    private var folder: TemporaryFolder { daemon.folder }

    init(in folder: TemporaryFolder? = nil) async throws {
        daemon = try await RunningDaemon(in: try folder ?? TemporaryFolder())
    }

    init(_ daemon: RunningDaemon) { self.daemon = daemon }

    /// Plays a row on a thread of its own.
    static func play(in town: Town? = nil, _ row: @escaping @Sendable (Town) throws -> Void) async throws {
        let town = if let town { town } else { try await Town() }
        try await offThePool { try row(town) }
    }

    /// Someone at the socket, as nobody yet.
    func traveller() throws -> Traveller { Traveller(socket: try LineSocket(to: daemon.socket)) }

    /// Someone with an account, signed in.
    func resident(_ id: String) throws -> Traveller {
        let traveller = try traveller()
        let ticket = try traveller.call("people.signUp", Self.form(id))["ticket"].known
        let admission = try traveller.call("people.prove", ["ticket": ticket, "code": .string(code(for: id))])
        traveller.token = admission["token"]?.text
        return traveller
    }

    /// What someone fills in to sign up.
    static func form(_ id: String) -> JSONObject {
        [
            "first_name": .string(id.prefix(1).uppercased() + id.dropFirst()), "last_name": "Test",
            "username": .string(id), "email": .string(address(of: id)), "email_again": .string(address(of: id)),
            "password": "correct horse", "password_again": "correct horse", "terms": true,
        ]
    }

    static func address(of id: String) -> String { "\(id)@example.org" }

    /// The code in the last mail to someone, in the outbox.
    func code(for id: String) throws -> String { try code(at: Self.address(of: id)) }

    /// The code in the last mail to an address, in the outbox.
    func code(at address: String) throws -> String {
        let body = try mail(to: address).last ?? ""
        let digits = body.split { !$0.isNumber }.first { $0.count == 6 }
        guard let digits else { throw RunningDaemon.Failure(description: "no code was mailed to \(address): \(body)") }
        return String(digits)
    }

    /// The texts of the mails to an address, in the outbox.
    func mail(to address: String) throws -> [String] {
        try read {
            try String.fetchAll(
                $0, sql: "SELECT body FROM mail WHERE recipient = ? ORDER BY number", arguments: [address])
        }
    }

    /// Looks into the store.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: daemon.store, configuration: configuration).read(body)
    }

    /// Has the device `van` go through places, a fix each 5 s from a moment on, and waits until it has.
    ///
    /// It comes to no less than 20 fixes, resting at both ends.
    func drive(_ places: [(lat: Double, lon: Double)], from start: String) async throws {
        let start = Timestamp(rfc3339: start).known
        try await drive(
            places.enumerated().map { number, place in
                (start.advanced(byMilliseconds: Int64(number) * 5000), place.lat, place.lon)
            })
    }

    /// Has the device `van` go through fixes, and waits until it has.
    func drive(_ fixes: [(time: Timestamp, lat: Double, lon: Double)]) async throws {
        let path = folder.file("\(UUID()).gpx")
        try Data(Self.gpx(fixes).utf8).write(to: URL(fileURLWithPath: path))
        let before = try await offThePool { try self.traveller().call("events.list", ["limit": 1])["last"].known }
        try daemon.configure("sources: [\"van=\(path)?speed=max\"]\n")
        daemon.send(SIGHUP)
        try await daemon.notice("RELOADING=1")
        try await daemon.notice("READY=1")
        try await offThePool {
            let listener = try self.traveller()
            try listener.call("events.subscribe", ["after": before, "types": ["source.offline"], "devices": ["van"]])
            _ = try listener.socket.event()
        }
    }

    private static func gpx(_ fixes: [(time: Timestamp, lat: Double, lon: Double)]) -> String {
        var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#
        for (time, lat, lon) in fixes {
            text += #"<trkpt lat="\#(lat)" lon="\#(lon)"><time>\#(time)</time></trkpt>"# + "\n"
        }
        return text + "</trkseg></trk></gpx>\n"
    }

    /// A way due east at 50 m a fix: fix 20 is at a longitude of 5.
    static func way(latitude: Double, fixes: Int = 40) -> [(lat: Double, lon: Double)] {
        (0..<fixes).map { (latitude, 5 + Double($0 - 20) * 0.00073) }
    }
}

/// Someone at the daemon's socket.
final class Traveller {
    let socket: LineSocket
    /// What their session is gone on with by.
    var token: String?

    init(socket: LineSocket) { self.socket = socket }

    /// What a call is answered with.
    ///
    /// - Throws: the error that it is refused with.
    @discardableResult
    func call(_ method: String, _ parameters: JSONObject = [:]) throws -> JSONValue {
        let text = String(decoding: JSONText(.object(parameters)).bytes, as: UTF8.self)
        let answer = try socket.call(method, text)
        if let error = answer["error"] {
            throw Refusal(
                method: method, code: Int(error["code"]?.whole ?? 0), field: error["data"]?["field"]?.text,
                message: error["message"]?.text ?? "")
        }
        return answer["result"] ?? .null
    }

    /// The code that a call is refused with; 0 where it is carried out.
    func code(_ method: String, _ parameters: JSONObject = [:]) throws -> Int {
        try refusal(method, parameters)?.code ?? 0
    }

    /// What a call is refused with; nil where it is carried out.
    func refusal(_ method: String, _ parameters: JSONObject = [:]) throws -> Refusal? {
        do {
            try call(method, parameters)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    /// An error that was answered.
    struct Refusal: Error, CustomStringConvertible {
        let method: String
        let code: Int
        let field: String?
        let message: String

        var description: String { "\(method): \(code) \(field ?? "") \(message)" }
    }
}

extension JSONValue {
    /// The ids of the elements of a list.
    func ids(_ list: String, _ key: String = "id") -> [String] {
        (self[list]?.elements ?? []).compactMap { $0[key]?.text }
    }

    /// The number, where this is one.
    var real: Double? { Double(json: self) }
}

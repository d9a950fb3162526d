#if Companion
import Foundation
import GRDB
import Glibc
import RPC
import TestSupport
import Time

/// A daemon with people who travel, for the tests of the acceptance documents.
///
/// Everything except driving blocks its thread, so a test plays its row on a separate thread; see ``play(in:_:)``.
final class Town: Sendable {
    let daemon: RunningDaemon
    private var folder: TemporaryFolder { daemon.folder }

    init(in folder: TemporaryFolder? = nil) async throws {
        daemon = try await RunningDaemon(in: try folder ?? TemporaryFolder())
    }

    init(_ daemon: RunningDaemon) { self.daemon = daemon }

    /// Plays a row of the acceptance on a new thread, in the given town or in a new one.
    static func play(in town: Town? = nil, _ row: @escaping @Sendable (Town) throws -> Void) async throws {
        let town = if let town { town } else { try await Town() }
        try await offThePool { try row(town) }
    }

    /// Connects a new caller, who is not signed in.
    func traveller() throws -> Traveller { Traveller(socket: try LineSocket(to: daemon.socket)) }

    /// Creates an account and returns its signed-in caller.
    func resident(_ id: String) throws -> Traveller {
        let traveller = try traveller()
        let ticket = try traveller.call("people.signUp", Self.form(id))["ticket"].known
        let admission = try traveller.call("people.prove", ["ticket": ticket, "code": .string(code(for: id))])
        traveller.token = admission["token"]?.text
        return traveller
    }

    /// Returns the parameters for signing up.
    static func form(_ id: String) -> JSONObject {
        [
            "first_name": .string(id.prefix(1).uppercased() + id.dropFirst()), "last_name": "Test",
            "username": .string(id), "email": .string(address(of: id)), "email_again": .string(address(of: id)),
            "password": "correct horse", "password_again": "correct horse", "terms": true,
        ]
    }

    static func address(of id: String) -> String { "\(id)@example.org" }

    /// Returns the code in the outbox's last mail to a person.
    func code(for id: String) throws -> String { try code(at: Self.address(of: id)) }

    /// Returns the code in the outbox's last mail to an address.
    func code(at address: String) throws -> String {
        let body = try mail(to: address).last ?? ""
        let digits = body.split { !$0.isNumber }.first { $0.count == 6 }
        guard let digits else { throw RunningDaemon.Failure(description: "no code was mailed to \(address): \(body)") }
        return String(digits)
    }

    /// Returns the texts of the outbox's mails to an address, oldest first.
    func mail(to address: String) throws -> [String] {
        try read {
            try String.fetchAll(
                $0, sql: "SELECT body FROM mail WHERE recipient = ? ORDER BY number", arguments: [address])
        }
    }

    /// Reads from the daemon's store.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: daemon.store, configuration: configuration).read(body)
    }

    /// Drives the device `van` through places, one fix every 5 s from `start` on, and waits until its source is
    /// offline.
    func drive(_ places: [(lat: Double, lon: Double)], from start: String) async throws {
        let start = Timestamp(rfc3339: start).known
        try await drive(
            places.enumerated().map { number, place in
                (start.advanced(byMilliseconds: Int64(number) * 5000), place.lat, place.lon)
            })
    }

    /// Drives the device `van` through fixes and waits until its source is offline.
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

    /// Returns a route due east with a fix every 50 m; fix 20 is at longitude 5.
    static func way(latitude: Double, fixes: Int = 40) -> [(lat: Double, lon: Double)] {
        (0..<fixes).map { (latitude, 5 + Double($0 - 20) * 0.00073) }
    }
}

/// A caller at the daemon's socket.
final class Traveller {
    let socket: LineSocket
    /// The token that resumes the session.
    var token: String?

    init(socket: LineSocket) { self.socket = socket }

    /// Calls a method and returns its result.
    ///
    /// - Throws: ``Refusal`` if the answer is an error.
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

    /// Returns the code of the error that refuses a call, or 0 if the call succeeds.
    func code(_ method: String, _ parameters: JSONObject = [:]) throws -> Int {
        try refusal(method, parameters)?.code ?? 0
    }

    /// Returns the error that refuses a call, or `nil` if the call succeeds.
    func refusal(_ method: String, _ parameters: JSONObject = [:]) throws -> Refusal? {
        do {
            try call(method, parameters)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    /// The error of a refused call.
    struct Refusal: Error, CustomStringConvertible {
        let method: String
        let code: Int
        let field: String?
        let message: String

        var description: String { "\(method): \(code) \(field ?? "") \(message)" }
    }
}

extension JSONValue {
    /// Returns one text, by default the id, of each element of a list.
    func ids(_ list: String, _ key: String = "id") -> [String] {
        (self[list]?.elements ?? []).compactMap { $0[key]?.text }
    }

    /// The number, or `nil` if this is not a number.
    var real: Double? { Double(json: self) }
}
#endif

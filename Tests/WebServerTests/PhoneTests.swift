import Callers
import EventStream
import Phones
import RPC
import Synchronization
import Testing

@testable import WebServer

/// The door for phones.
@Suite struct PhoneTests {
    private static let secret = "00112233445566778899aabbccddeeff"

    /// Takes reports in memory.
    private final class Reports: PhoneReports {
        let taken = Mutex<[PhoneReport]>([])
        let isFull = Mutex(false)

        struct Full: Error {}

        func device(of secret: PhoneSecret) async throws -> String? { secret.text == PhoneTests.secret ? "anna" : nil }

        func receive(_ report: PhoneReport, of device: String) async throws -> [UInt8] {
            guard !isFull.withLock({ $0 }) else { throw Full() }
            taken.withLock { $0.append(report) }
            return report.answer.body
        }
    }

    private let reports = Reports()

    private func run(_ body: (RunningDoor) async throws -> Void) async throws {
        var services = WebServer.Services(
            methods: MethodTable(title: "Test", version: "1"), hub: try await EventHub(journal: NoJournal()),
            sessions: nil)
        services.phones = reports
        try await RunningDoor.run(services: services, body)
    }

    private static let place = #"{"_type":"location","lat":52.3,"lon":4.9,"tst":1777629600,"acc":8}"#

    @Test func eachAppIsAnsweredAsItExpects() async throws {
        try await run { door in
            let bearer = "Authorization: Bearer \(Self.secret)"
            let ownTracks = try await door.ask("POST /in/", [bearer], body: Array(Self.place.utf8))
            #expect((ownTracks.status, ownTracks.text) == (200, "[]"))
            #expect(ownTracks.fields["content-type"] == "application/json")
            let overland = try await door.ask(
                "POST /in/", [bearer],
                body: Array(
                    """
                    {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[4.9,52.3]},\
                    "properties":{"timestamp":"2026-05-01T10:00:00Z"}}]}
                    """.utf8))
            #expect((overland.status, overland.text) == (200, #"{"result":"ok"}"#))
            let query = try await door.ask("GET /in/?id=\(Self.secret)&lat=52.3&lon=4.9&timestamp=1777629600")
            #expect((query.status, query.text) == (200, ""))
            let path = try await door.ask("PUT /in/\(Self.secret)?lat=52.3&lon=4.9&timestamp=1777629600&spd=3")
            #expect(path.status == 200)
            #expect(reports.taken.withLock { $0.map(\.client) } == [.owntracks, .overland, .osmand, .gpslogger])
            #expect(reports.taken.withLock { $0.allSatisfy { $0.fixes.count == 1 } })
        }
    }

    @Test func onlyAWrongSecretIsRefusedForGood() async throws {
        try await run { door in
            let wrong = "Authorization: Bearer \(String(Self.secret.reversed()))"
            for fields in [[wrong], []] {
                let answer = try await door.ask("POST /in/", fields, body: Array(Self.place.utf8))
                #expect(answer.status == 401)
                #expect(answer.fields["www-authenticate"] != nil)
            }
            let bearer = "Authorization: Bearer \(Self.secret)"
            #expect(try await door.ask("DELETE /in/", [bearer]).status == 405)
            let long = [UInt8](repeating: UInt8(ascii: " "), count: PhoneRequest.maximumBodyLength + 1)
            #expect(try await door.ask("POST /in/", [bearer], body: long).status == 413)
            for body in ["", "rubbish", #"{"_type":"lwt","tst":1}"#, "\u{0}\u{1}"] {
                #expect(try await door.ask("POST /in/", [bearer], body: Array(body.utf8)).status == 200, "\(body)")
            }
            reports.isFull.withLock { $0 = true }
            let full = try await door.ask("POST /in/", [bearer], body: Array(Self.place.utf8))
            #expect(full.status == 503)
            #expect(full.fields["retry-after"] != nil)
            #expect(try await door.ask("POST /inn/", [bearer], body: Array(Self.place.utf8)).status == 404)
        }
    }

    @Test func thereIsNoDoorWithoutReports() async throws {
        try await RunningDoor.run { door in
            let answer = try await door.ask("POST /in/", body: Array(Self.place.utf8))
            #expect(answer.status == 404)
        }
    }
}

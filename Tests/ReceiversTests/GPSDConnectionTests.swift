import GPSDClient
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Receivers

@Suite(.timeLimit(.minutes(1))) struct GPSDConnectionTests {
    private static let banner =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

    private static func devices(_ paths: [String]) -> String {
        let list = paths.map { #"{"class":"DEVICE","path":"\#($0)"}"# }.joined(separator: ",")
        return #"{"class":"DEVICES","devices":[\#(list)]}"# + "\r\n"
    }

    private static func fix(_ path: String, second: Int) -> String {
        #"{"class":"TPV","device":"\#(path)","mode":2,"time":"2026-05-01T10:00:0\#(second).000Z","lat":52.1,"lon":4.1}"#
            + "\r\n"
    }

    private func reports(_ server: Server, device: String = "", clock: LeapingClock) throws -> Reports {
        let address = try ReceiverAddress("gpsd://127.0.0.1:\(server.port)\(device)")
        return Reports(Receiver(name: "gps", address: address, timing: clock.timing))
    }

    @Test func aSingleReceiverHasTheSourcesName() async throws {
        let text =
            Self.banner + Self.devices(["/dev/a"]) + Self.fix("/dev/a", second: 1) + Self.fix("/dev/a", second: 2)
        let server = try await Server(saying: text, thenEnds: false)
        var reports = try reports(server, clock: LeapingClock(endless: .seconds(20)))
        #expect(await reports.text() == "gps online")
        #expect(await reports.text() == "gps 2026-05-01T10:00:01.000Z 2026-05-01T10:00:02.000Z")
        await reports.end()
        try await server.end()
    }

    @Test func severalReceiversHaveTheirOwnNames() async throws {
        let text =
            Self.banner + Self.devices(["/dev/a", "/dev/b"]) + Self.fix("/dev/a", second: 1)
            + Self.fix("/dev/b", second: 1)
        let server = try await Server(saying: text, thenEnds: false)
        var reports = try reports(server, clock: LeapingClock(endless: .seconds(20)))
        #expect(await reports.text() == "gps/a online")
        #expect(await reports.text() == "gps/a 2026-05-01T10:00:01.000Z")
        #expect(await reports.text() == "gps/b online")
        #expect(await reports.text() == "gps/b 2026-05-01T10:00:01.000Z")
        await reports.end()
        try await server.end()
    }

    @Test func theReceiverOfTheURLHasTheSourcesName() async throws {
        let text = Self.banner + Self.devices(["/dev/a", "/dev/b"]) + Self.fix("/dev/b", second: 1)
        let server = try await Server(saying: text, thenEnds: false)
        var reports = try reports(server, device: "/dev/b", clock: LeapingClock(endless: .seconds(20)))
        #expect(await reports.text() == "gps online")
        #expect(await reports.text() == "gps 2026-05-01T10:00:01.000Z")
        await reports.end()
        try await server.end()
    }

    @Test func aGPSDThatClosesTheConnectionIsReconnected() async throws {
        let text = Self.banner + Self.fix("/dev/a", second: 1)
        let server = try await Server(saying: text, thenEnds: true)
        var reports = try reports(server, clock: LeapingClock(endless: .seconds(20)))
        for round in 0..<2 {
            if round > 0 {
                let reason = "gpsd answers, but the receiver has sent nothing yet"
                #expect(await reports.text() == "gps still offline: \(reason)")
            }
            #expect(await reports.text() == "gps online")
            #expect(await reports.text() == "gps 2026-05-01T10:00:01.000Z")
            #expect(await reports.text() == "gps offline: it closed the connection")
        }
        await reports.end()
        try await server.end()
    }

    @Test func aGPSDWithoutReportsIsSilent() async throws {
        let server = try await Server(saying: Self.banner + Self.devices([]), thenEnds: false)
        var reports = try reports(server, clock: LeapingClock())
        #expect(await reports.text() == "gps offline: silent for 30 s")
        await reports.end()
        try await server.end()
    }

    @Test func onceEndsWhenItsListenerThrows() async throws {
        struct Enough: Error {}
        let server = try await Server(saying: Self.banner + Self.fix("/dev/a", second: 1), thenEnds: false)
        let address = try ReceiverAddress("gpsd://127.0.0.1:\(server.port)")
        let receiver = Receiver(name: "gps", address: address, timing: LeapingClock(endless: .seconds(20)).timing)
        await #expect(throws: Enough.self) { _ = try await receiver.once { _, _ in throw Enough() } }
        try await server.end()
    }

    private static let place = Fix(time: nil, coordinate: Coordinate(latitude: 52, longitude: 4).known)

    private static func skipped(_ reason: String) -> ReceiverInput {
        var tally = Tally()
        tally.count(reason)
        return .skipped(tally)
    }

    @Test(
        arguments: [
            ([.version(release: "3.22", major: 3, minor: 14), .activated(device: "/dev/a")], nil, [.opened]),
            ([.devices(["/dev/a"])], nil, [.listing(["/dev/a"])]), ([.devices(["/dev/a"])], "/dev/a", []),
            ([.deactivated(device: "/dev/a")], nil, [.closed("/dev/a")]),
            ([.alive(device: "/dev/a")], nil, [.validData([], from: "/dev/a")]),
            ([.alive(device: "/dev/a")], "/dev/a", [.validData([])]), ([.alive(device: "")], nil, [.validData([])]),
            (
                [.fix(place, device: "/dev/a"), .fix(place, device: "/dev/a"), .fix(place, device: "/dev/b")], nil,
                [.validData([place, place], from: "/dev/a"), .validData([place], from: "/dev/b")]
            ),
            (
                [.skipped(reason: "mode", device: "/dev/a"), .skipped(reason: "garbled", device: "")], nil,
                [skipped("mode"), .validData([], from: "/dev/a"), skipped("garbled")]
            ),
            ([.complaint("no")], nil, [skipped("complaint")]),
        ] as [([GPSDReport], String?, [ReceiverInput])])
    func gpsdReportsAreConverted(reports: [GPSDReport], device: String?, expected: [ReceiverInput]) {
        let address = GPSDAddress(host: "localhost", device: device)
        let connection = GPSDConnection(address, idle: .seconds(30), timing: Timing())
        #expect(connection.inputs(reports) == expected)
    }
}

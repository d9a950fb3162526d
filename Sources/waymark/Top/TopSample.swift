import Positioning
import RPC
import SocketServer

/// What `waymark top` shows of one moment.
struct TopSample: Sendable {
    let report: DaemonReport
    /// The device that the page is about; nil where none has had a fix.
    let device: String?
    /// `position.current` of it.
    let position: JSONValue?
    /// Its trip so far; nil where it is on none.
    let trip: JSONValue?
    /// The sights closest to it, the nearest first.
    let nearest: [JSONValue]
    /// The last events of all devices, the newest last.
    let events: [JSONValue]

    /// How many sights and events a page has room for at most.
    private static let mostSights: Int64 = 6
    private static let mostEvents: Int64 = 30

    /// Asks a daemon; of the device of that place among those that have a fix.
    init(from client: SocketClient, device index: Int) async throws {
        report = try await DaemonReport(from: client)
        let devices = report.receivers.filter { $0.last != nil }.map(\.name)
        device = devices.isEmpty ? nil : devices[index % devices.count]
        let parameters = JSONObject(present: ["device": device.map { .string($0) }])
        if device != nil {
            position = try await Self.answer(client, "position.current", parameters)
            trip = try await Self.answer(client, "trips.current", parameters)?["trip"]
            var near = parameters
            near["k"] = .integer(Self.mostSights)
            nearest = try await Self.answer(client, "sights.nearest", near)?.elements("nearest") ?? []
        } else {
            (position, trip, nearest) = (nil, nil, [])
        }
        let last = report.stats["events"]?["last"].flatMap(Int64.init(json:)) ?? 0
        // Older ones may no longer be kept, which is no matter here.
        let after: JSONObject = ["after": .integer(max(0, last - Self.mostEvents))]
        events = try await Self.answer(client, "events.list", after)?.elements("events") ?? []
    }

    /// An answer; nil where what is asked for is not there.
    private static func answer(
        _ client: SocketClient, _ method: String, _ parameters: JSONObject
    ) async throws -> JSONValue? {
        do {
            return try await client.call(method, parameters)
        } catch let error as RPCError where [.notFound, .cursorGone, .conflict, .unavailable].contains(error.code) {
            return nil
        }
    }
}

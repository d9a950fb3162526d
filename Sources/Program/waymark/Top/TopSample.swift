import Positioning
import RPC
import SocketServer

/// The data that `waymark top` shows at one moment.
struct TopSample: Sendable {
    let report: DaemonReport
    /// The device on the page; `nil` if no device has had a fix.
    let device: String?
    /// The answer of `position.current` for the device.
    let position: JSONValue?
    /// Its open trip; `nil` if there is none.
    let trip: JSONValue?
    /// The sights closest to it, nearest first.
    let nearest: [JSONValue]
    /// The last events of all devices, newest last.
    let events: [JSONValue]

    /// The most sights and events that fit on a page.
    private static let maximumSights: Int64 = 6
    private static let maximumEvents: Int64 = 30

    /// Requests the data from a daemon.
    ///
    /// - Parameter index: The index of the device among those with a fix; after the last it starts over.
    init(from client: SocketClient, device index: Int) async throws {
        report = try await DaemonReport(from: client)
        let devices = report.receivers.filter { $0.last != nil }.map(\.name)
        device = devices.isEmpty ? nil : devices[index % devices.count]
        let parameters = JSONObject(present: ["device": device.map { .string($0) }])
        if device != nil {
            position = try await Self.answer(client, "position.current", parameters)
            trip = try await Self.answer(client, "trips.current", parameters)?["trip"]
            var near = parameters
            near["k"] = .integer(Self.maximumSights)
            nearest = try await Self.answer(client, "sights.nearest", near)?.elements("nearest") ?? []
        } else {
            (position, trip, nearest) = (nil, nil, [])
        }
        let last = report.stats["events"]?["last"].flatMap(Int64.init(json:)) ?? 0
        events = try await Self.events(until: last) { try await client.call("events.list", $0) }
    }

    /// The number of times that the list of events is requested, if older events are deleted meanwhile.
    private static let maximumRequests = 3

    /// Returns the last events that are still kept.
    ///
    /// - Parameter list: Calls `events.list`.
    static func events(
        until last: Int64, from list: (JSONObject) async throws -> JSONValue
    ) async throws -> [JSONValue] {
        var after = max(0, last - maximumEvents)
        for _ in 0..<maximumRequests {
            do {
                return try await list(["after": .integer(after)]).elements("events")
            } catch let error as RPCError where error.code == .cursorGone {
                // Older events are no longer kept; the error says which is the first.
                guard let first = error.data?["first"].flatMap(Int64.init(json:)), first - 1 > after else { return [] }
                after = first - 1
            } catch let error as RPCError where [.conflict, .unavailable].contains(error.code) {
                return []
            }
        }
        return []
    }

    /// Returns an answer; `nil` if the daemon does not have what is requested.
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

import EventStream
import Foundation
import Positioning
import RPC
import Store
import TextCoding
import Tracking

/// What the daemon has done since its start, and how it is: `server.stats`.
struct ServerStats: Sendable {
    let pipeline: LivePipeline
    let hub: EventHub
    let connections: @Sendable () -> Int
    private let started: (time: Timestamp, moment: Double)

    /// Numbers from now on.
    init(_ pipeline: LivePipeline, hub: EventHub, connections: @escaping @Sendable () -> Int) {
        self.pipeline = pipeline
        self.hub = hub
        self.connections = connections
        started = (pipeline.clock.time(), pipeline.clock.moment())
    }

    /// The method `server.stats`.
    var method: Method<Principal> {
        let tally = Schema.map(of: .integer)
        return Method(
            "server.stats", "What the daemon has done since its start, and how it is.",
            result: .object([
                .required("version", .string, "The program's version."),
                .required("started", .string(length: 0...64, format: "date-time"), "When the daemon was started."),
                .required("uptime", .number, "Seconds since then."),
                .required("devices", .array(of: .object(Self.deviceFields)), "Each device, by name."),
                .required("malformed", tally, "What receivers said that could not be read, by reason."),
                .required("geofences", .integer, "How many geofences are watched."),
                .required("events", .object(Self.eventFields), "The events told since the start."),
                .required("subscribers", .object(Self.subscriberFields), "Who listens."),
                .required("pending", .object(Self.pendingFields), "What waits for the next commit."),
                .required("store", .object(Self.storeFields), "The store."),
                .required(
                    "latency", .object(Self.latencyFields),
                    "From a receiver's report to its being told; missing before the first."),
                .required("process", .object(Self.processFields), "What the daemon itself needs, where known."),
            ]), right: .read
        ) { _ in try await answer() }
    }

    private static let deviceFields: [Field] = [
        .required("device", .string, "Its name."),
        .optional("online", .boolean, "Whether its receiver can be heard; missing where it has none."),
        .optional("reason", .string, "Why not."),
        .optional("since", .string(length: 0...64, format: "date-time"), "Since when, by the system's clock."),
        .required("read", .integer, "Fixes that came in."),
        .required("accepted", .integer, "Fixes that were let through."),
        .required("rejected", .map(of: .integer), "Fixes that were not, by reason."),
        .optional("last", .string(length: 0...64, format: "date-time"), "The time of the last fix let through."),
    ]
    private static let eventFields: [Field] = [
        .required("told", .integer, "How many durable ones."),
        .required("last", .integer, "The number of the last in the log."),
    ]
    private static let subscriberFields: [Field] = [
        .required("connections", .integer, "Open connections."),
        .required("subscriptions", .integer, "Their subscriptions."),
        .required("catching_up", .integer, "Those that are fed from the store."),
        .required("queued", .integer, "Events that wait in their queues."),
    ]
    private static let pendingFields: [Field] = [
        .required("events", .integer, "Events that nobody has been told of."),
        .required("points", .integer, "Points of traces."),
        .optional("error", .string, "Why they cannot be written; missing while they can."),
    ]
    private static let storeFields: [Field] = [
        .required("bytes", .integer, "Its size on the disk."),
        .required("commits", .integer, "Transactions since the start."),
        .required("failed_commits", .integer, "Those that failed, and were tried again."),
        .required("dropped_points", .integer, "Points of traces that were dropped, since too many waited."),
        .optional(
            "written", .integer,
            "Bytes that the daemon has caused to be written to disks since its start, as the kernel counts them: its log, its "
                + "photos and uploads too. Missing where the kernel does not tell."),
        .optional(
            "written_per_hour", .integer,
            "The same for an hour, on the average since the start; in the first hour, all of it."),
        .optional(
            "check", .choice(["running", "sound", "damaged", "failed"]),
            "What looking for damage came to; missing where the last daemon closed the store, so that nobody looked."),
        .optional("damage", .string, "What is damaged."),
    ]
    private static let latencyFields: [Field] = [
        .optional("event_p50", .number, "Seconds until half of the events were told, the commit included."),
        .optional("event_p99", .number, "Seconds until all but a hundredth were."),
        .optional("position_p50", .number, "Seconds until half of the positions were told."),
        .optional("position_p99", .number, "Seconds until all but a hundredth were."),
    ]
    private static let processFields: [Field] = [
        .optional("resident", .integer, "Bytes of memory that it occupies."),
        .optional("private", .integer, "Those of them that are its alone and no file's."),
        .optional("cpu", .number, "Seconds of processor time since its start."),
        .optional("written", .integer, "Bytes that it caused to be written to disks."),
    ]

    private func answer() async throws -> JSONText {
        let store = try await pipeline.store.statistics()
        let extent = try await pipeline.store.read { try EventLog.extent(in: $0) }
        let uptime = pipeline.clock.moment() - started.moment
        let now = await pipeline.snapshot()
        let load = await hub.statistics
        let usage = ProcessUsage()
        let health = pipeline.health
        return .object { json in
            json.member("version", Product.version)
            json.member("started", started.time.description)
            json.member("uptime", uptime, decimals: 3)
            json.array("devices") { json in
                for device in now.devices { json.object { device.writeMembers(to: &$0) } }
            }
            json.object("malformed") { $0.tally(now.skipped) }
            json.member("geofences", now.geofences)
            json.object("events") { json in
                json.member("told", now.numbers.events)
                json.member("last", extent.last)
            }
            json.object("subscribers") { json in
                json.member("connections", connections())
                json.member("subscriptions", load.subscriptions)
                json.member("catching_up", load.catchingUp)
                json.member("queued", load.queued)
            }
            json.object("pending") { json in
                json.member("events", now.load.events)
                json.member("points", now.load.points)
                json.member("error", now.failure?.description)
            }
            json.object("store") { json in
                json.member("bytes", store.bytes)
                json.member("commits", store.commits)
                json.member("failed_commits", now.numbers.failedCommits)
                json.member("dropped_points", now.numbers.droppedPoints)
                json.member("written", usage.writtenBytes)
                json.member(
                    "written_per_hour", usage.writtenBytes.map { Int64(Double($0) / max(uptime, 3600) * 3600) })
                json.member("check", health.state.word)
                json.member("damage", health.damage)
            }
            json.object("latency") { json in
                json.member("event_p50", now.numbers.eventLatency.quantile(0.5), decimals: 6)
                json.member("event_p99", now.numbers.eventLatency.quantile(0.99), decimals: 6)
                json.member("position_p50", now.numbers.positionLatency.quantile(0.5), decimals: 6)
                json.member("position_p99", now.numbers.positionLatency.quantile(0.99), decimals: 6)
            }
            json.object("process") { json in
                json.member("resident", usage.residentBytes)
                json.member("private", usage.privateBytes)
                json.member("cpu", usage.processorSeconds, decimals: 2)
                json.member("written", usage.writtenBytes)
            }
        }
    }
}

extension LivePipeline {
    /// What is counted, at one moment.
    struct Snapshot: Sendable {
        struct Device: Sendable {
            var name: String
            var source: SourceState?
            var statistics: Tracker.Statistics
            var last: Timestamp?
        }

        var devices: [Device]
        var skipped: Tally
        var geofences: Int
        var load: Pipeline.Load
        var failure: StoreError?
        var numbers: Numbers
    }

    /// What is counted, now.
    func snapshot() -> Snapshot {
        let names = Set(sources.keys).union(pipeline.devices).sorted()
        let devices = names.map { name in
            let tracker = pipeline.tracker(of: name)
            return Snapshot.Device(
                name: name, source: sources[name], statistics: tracker?.statistics ?? Tracker.Statistics(),
                last: tracker?.position?.time)
        }
        return Snapshot(
            devices: devices, skipped: skipped, geofences: pipeline.index.count, load: pipeline.load,
            failure: failure?.error, numbers: numbers)
    }
}

extension LivePipeline.Snapshot.Device {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("device", name)
        json.member("online", source?.isOnline)
        json.member("reason", source?.reason)
        json.member("since", source?.since.description)
        json.member("read", statistics.read)
        json.member("accepted", statistics.accepted)
        json.object("rejected") { $0.tally(statistics.rejected) }
        json.member("last", last?.description)
    }
}

extension JSONWriter {
    /// Writes each reason with its count.
    mutating func tally(_ tally: Tally) {
        for (reason, count) in tally.sorted { member(reason, count) }
    }
}

extension StoreHealth.State {
    /// What it is called in an answer; nil where there is nothing to say.
    fileprivate var word: String? {
        switch self {
        case .unchecked: nil
        case .running: "running"
        case .sound: "sound"
        case .damaged: "damaged"
        case .failed: "failed"
        }
    }
}

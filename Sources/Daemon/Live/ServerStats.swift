import EventStream
import Foundation
import Positioning
import RPC
import Service
import Store
import TextCoding
import Tracking

/// The statistics and the state of the daemon since its start: `server.stats`.
struct ServerStats: Sendable {
    let pipeline: LivePipeline
    let hub: EventHub
    let connections: @Sendable () -> Int
    private let started: (time: Timestamp, moment: Double)

    /// Starts to measure the uptime.
    init(_ pipeline: LivePipeline, hub: EventHub, connections: @escaping @Sendable () -> Int) {
        self.pipeline = pipeline
        self.hub = hub
        self.connections = connections
        started = (pipeline.clock.time(), pipeline.clock.moment())
    }

    /// The method `server.stats`.
    var method: Method<Principal> {
        Method(
            "server.stats", "What the daemon has done since its start, and how it is.", answers: Answer.shape,
            right: .read
        ) { _ in try await answer() }
    }

    private func answer() async throws -> Answer {
        let store = try await pipeline.store.statistics()
        let extent = try await pipeline.store.read { try EventLog.extent(in: $0) }
        return Answer(
            started: started.time, uptime: pipeline.clock.moment() - started.moment,
            wasCutOff: pipeline.store.opening.wasCutOff, now: await pipeline.snapshot(),
            lastEvent: extent.last, connections: connections(), load: await hub.statistics, store: store,
            check: pipeline.health.state.word, damage: pipeline.health.damage, usage: ProcessUsage())
    }
}

/// The result of `server.stats`.
private struct Answer: Answerable, Sendable {
    var started: Timestamp
    /// The seconds since the start.
    var uptime: Double
    /// Whether the previous daemon ended without closing the store.
    var wasCutOff: Bool
    var now: LivePipeline.Snapshot
    /// The number of the last event in the log.
    var lastEvent: Int64
    var connections: Int
    var load: EventHub.Statistics
    var store: StoreStatistics
    var check: StoreCheck?
    var damage: String?
    var usage: ProcessUsage

    static let shape = Shape<Answer>.object {
        Member("version", .text, "The program's version.") { _ in Product.version }
        Member("started", .time, "When the daemon was started.") { $0.started }
        Member("uptime", .number(decimals: 3), "Seconds since then.") { $0.uptime }
        Member.flag(
            "cut_off", "True where the daemon before this one was not stopped, but ended by a crash or a power cut."
        ) { $0.wasCutOff }
        Member("devices", .array(of: device), "Each device, by name.") { $0.now.devices }
        Member("malformed", .tally, "What receivers said that could not be read, by reason.") { $0.now.skipped }
        Member("geofences", .integer, "How many geofences are watched.") { $0.now.geofences }
        Member("events", events, "The events told since the start.") { $0 }
        Member("subscribers", subscribers, "Who listens.") { $0 }
        Member("pending", pending, "What waits for the next commit.") { $0.now }
        Member("store", storage, "The store.") { $0 }
        Member("latency", latency, "From a receiver's report to its being told; missing before the first.") {
            $0.now
        }
        Member("process", process, "What the daemon itself needs, where known.") { $0.usage }
    }

    private static let device = Shape<LivePipeline.Snapshot.Device>.object {
        Member("device", .text, "Its name.") { $0.name }
        Member.optional("online", .boolean, "Whether its receiver can be heard; missing where it has none.") {
            $0.source?.isOnline
        }
        Member.flag("waiting", "True where it is configured, and nothing was heard or missed of it yet.") {
            $0.isAwaited
        }
        Member.optional("reason", .text, "Why not.") { $0.source?.reason }
        Member.optional("since", .time, "Since when, by the system's clock.") { $0.source?.since }
        Member("read", .integer, "Fixes that came in.") { $0.statistics.read }
        Member("accepted", .integer, "Fixes that were let through.") { $0.statistics.accepted }
        Member("rejected", .tally, "Fixes that were not, by reason.") { $0.statistics.rejected }
        Member.optional("last", .time, "The time of the last fix let through.") { $0.last }
    }

    private static let events = Shape<Answer>.object {
        Member("told", .integer, "How many durable ones.") { $0.now.commits.events }
        Member("last", .integer, "The number of the last in the log.") { $0.lastEvent }
    }

    private static let subscribers = Shape<Answer>.object {
        Member("connections", .integer, "Open connections.") { $0.connections }
        Member("subscriptions", .integer, "Their subscriptions.") { $0.load.subscriptions }
        Member("catching_up", .integer, "Those that are fed from the store.") { $0.load.catchingUp }
        Member("queued", .integer, "Events that wait in their queues.") { $0.load.queued }
    }

    private static let pending = Shape<LivePipeline.Snapshot>.object {
        Member("events", .integer, "Events that nobody has been told of.") { $0.load.events }
        Member("points", .integer, "Points of traces.") { $0.load.points }
        Member.optional("error", .text, "Why they cannot be written; missing while they can.") {
            $0.failure?.description
        }
    }

    private static let storage = Shape<Answer>.object {
        Member("bytes", .integer, "Its size on the disk.") { $0.store.bytes }
        Member("commits", .integer, "Transactions since the start.") { $0.store.commits }
        Member("failed_commits", .integer, "Those that failed, and were tried again.") {
            $0.now.commits.failedCommits
        }
        Member("dropped_points", .integer, "Points of traces that were dropped, since too many waited.") {
            $0.now.commits.droppedPoints
        }
        Member.optional(
            "written", .integer,
            "Bytes that the daemon has caused to be written to disks since its start, as the kernel counts them: its log, its "
                + "photos and uploads too. Missing where the kernel does not tell."
        ) { $0.usage.writtenBytes }
        Member.optional(
            "written_per_hour", .integer,
            "The same for an hour, on the average since the start; in the first hour, all of it."
        ) { answer in answer.usage.writtenBytes.map { Int64(Double($0) / max(answer.uptime, 3600) * 3600) } }
        Member.optional(
            "check", Shape<StoreCheck>.choice,
            "What looking for damage came to; missing where the last daemon closed the store, so that nobody looked."
        ) { $0.check }
        Member.optional("damage", .text, "What is damaged.") { $0.damage }
    }

    private static let latency = Shape<LivePipeline.Snapshot>.object {
        Member.optional(
            "event_p50", .number(decimals: 6), "Seconds until half of the events were told, the commit included."
        ) { $0.commits.eventLatency.quantile(0.5) }
        Member.optional("event_p99", .number(decimals: 6), "Seconds until all but a hundredth were.") {
            $0.commits.eventLatency.quantile(0.99)
        }
        Member.optional("position_p50", .number(decimals: 6), "Seconds until half of the positions were told.") {
            $0.positionLatency.quantile(0.5)
        }
        Member.optional("position_p99", .number(decimals: 6), "Seconds until all but a hundredth were.") {
            $0.positionLatency.quantile(0.99)
        }
    }

    private static let process = Shape<ProcessUsage>.object {
        Member.optional("resident", .integer, "Bytes of memory that it occupies.") { $0.residentBytes }
        Member.optional("private", .integer, "Those of them that are its alone and no file's.") { $0.privateBytes }
        Member.optional("cpu", .number(decimals: 2), "Seconds of processor time since its start.") {
            $0.processorSeconds
        }
        Member.optional("written", .integer, "Bytes that it caused to be written to disks.") { $0.writtenBytes }
    }
}

/// The state of the check of the store for damage.
private enum StoreCheck: String, CaseIterable, Sendable {
    case running, sound, damaged, failed
}

extension Shape where Value == Tally {
    /// The shape of an object that maps each reason to its count.
    fileprivate static var tally: Shape { Shape(.map(of: .integer)) { tally, json in json.object { $0.tally(tally) } } }
}

extension LivePipeline {
    /// The counters of the pipeline at one moment.
    struct Snapshot: Sendable {
        struct Device: Sendable {
            var name: String
            var source: SourceState?
            /// Whether this is a configured receiver about which nothing is known yet.
            var isAwaited: Bool
            var statistics: Tracker.Statistics
            var last: Timestamp?
        }

        var devices: [Device]
        var skipped: Tally
        var geofences: Int
        var load: Pipeline.Load
        var failure: StoreError?
        var commits: LiveCommits.Numbers
        var positionLatency: LatencyHistogram
    }

    /// Returns the counters at this moment.
    func snapshot() -> Snapshot {
        let awaited = receivers.subtracting(sources.keys.map(SourceState.receiver(of:)))
        let names = Set(sources.keys).union(pipeline.devices).union(awaited).sorted()
        let devices = names.map { name in
            let tracker = pipeline.tracker(of: name)
            return Snapshot.Device(
                name: name, source: sources[name], isAwaited: awaited.contains(name),
                statistics: tracker?.statistics ?? Tracker.Statistics(),
                last: tracker?.position?.time)
        }
        return Snapshot(
            devices: devices, skipped: skipped, geofences: pipeline.index.count, load: pipeline.load,
            failure: commits.failure?.error, commits: commits.numbers, positionLatency: positionLatency)
    }
}

extension JSONWriter {
    /// Writes each reason with its count as a member.
    mutating func tally(_ tally: Tally) {
        for (reason, count) in tally.sorted { member(reason, count) }
    }
}

extension StoreHealth.State {
    /// The state as the answer names it; `nil` if there was no check.
    fileprivate var word: StoreCheck? {
        switch self {
        case .unchecked: nil
        case .running: .running
        case .sound: .sound
        case .damaged: .damaged
        case .failed: .failed
        }
    }
}

import Callers
import EventStream
import Foundation
import People
import Positioning
import RPC
import Service
import Store
import TextCoding
import Time
import Tracking

/// The statistics and the state of the daemon since its start: `server.stats`.
struct ServerStats: Sendable {
    let pipeline: LivePipeline
    let hub: EventHub
    let refusedMap: @Sendable () -> UnusableMap?
    let connections: @Sendable () -> Int
    let broker: @Sendable () -> BrokerStatus?
    private let started: (time: Timestamp, moment: Double)

    /// Starts to measure the uptime.
    init(
        _ pipeline: LivePipeline, hub: EventHub, refusedMap: @escaping @Sendable () -> UnusableMap?,
        connections: @escaping @Sendable () -> Int, broker: @escaping @Sendable () -> BrokerStatus? = { nil }
    ) {
        self.pipeline = pipeline
        self.hub = hub
        self.refusedMap = refusedMap
        self.connections = connections
        self.broker = broker
        started = (pipeline.clock.time(), pipeline.clock.moment())
    }

    /// The method `server.stats`.
    var method: Method<Principal> {
        .stored(
            "server.stats",
            "Returns the daemon's state, and its statistics since the start. The devices come in pages. Through HTTP, only administrators see more than the devices and the number of the last event.",
            Parameter<PageRequest<String>>.page(
                of: "server.stats", upTo: Self.largestPage, default: Self.largestPage),
            answers: Answer.shape, errors: [.invalidValue], right: .read
        ) { try await answer(for: $0.caller, $1) }
    }

    /// The most devices in one page.
    private static let largestPage = 1000

    private func answer(for caller: Principal, _ asked: PageRequest<String>) async throws -> Answer {
        let store = try await pipeline.store.statistics()
        // The number is known without the log, too, which may be damaged.
        let extent = try? await pipeline.store.read { try EventLog.extent(in: $0) }
        var now = await pipeline.snapshot()
        let viewer = Viewer(person: caller.person, isAdmin: caller.has(.change))
        // Without groups, everybody sees every device, also while the store cannot be read.
        let access = try? await pipeline.store.read { try DeviceAccess(for: viewer, in: $0) }
        now.devices.removeAll { !(access?.sees($0.name) ?? true) }
        // The reason may name a file or a server.
        if !caller.seesMachine { for index in now.devices.indices { now.devices[index].source?.reason = nil } }
        var devices = asked.page(of: LivePipeline.Snapshot.Device.self)
        for device in now.devices {
            if let after = asked.after, device.name <= after { continue }
            guard devices.append(device, at: device.name) else { break }
        }
        return Answer(
            seesMachine: caller.seesMachine, started: started.time, uptime: pipeline.clock.moment() - started.moment,
            wasShutDownUncleanly: pipeline.store.opening.wasShutDownUncleanly, now: now, devices: devices,
            lastEvent: extent?.last ?? hub.newest, connections: connections(), load: await hub.statistics, store: store,
            check: pipeline.health.state.word, damage: pipeline.health.damage, map: refusedMap(),
            broker: broker(), usage: ProcessUsage())
    }
}

/// A file of map tiles that cannot be used.
struct UnusableMap: Hashable, Sendable {
    /// The path of the file.
    var file: String
    /// The reason, as a clause.
    var reason: String
}

/// The result of `server.stats`.
private struct Answer: Answerable, Sendable {
    /// Whether the caller may see more than the devices.
    var seesMachine: Bool
    var started: Timestamp
    /// The seconds since the start.
    var uptime: Double
    /// Whether the previous daemon ended without closing the store.
    var wasShutDownUncleanly: Bool
    var now: LivePipeline.Snapshot
    /// The page of devices that was asked for.
    var devices: Page<LivePipeline.Snapshot.Device>
    /// The number of the last event in the log.
    var lastEvent: Int64
    var connections: Int
    var load: EventHub.Statistics
    var store: StoreStatistics
    var check: StoreCheck?
    var damage: String?
    var map: UnusableMap?
    var broker: BrokerStatus?
    var usage: ProcessUsage

    static let shape = AnswerShape<Answer>.object {
        Member("version", .text, "The program's version.") { _ in ProgramInfo.version }
        start.ofOptional(\.ofMachine)
        Page<LivePipeline.Snapshot.Device>.members("devices", "The devices, sorted by name.").of { $0.devices }
        input.ofOptional(\.ofMachine)
        Member("events", events, "The durable events.") { $0 }
        machine.ofOptional(\.ofMachine)
    }

    /// The answer for those who see the machine; `nil` for others.
    private var ofMachine: Answer? { seesMachine ? self : nil }

    private static let start = members {
        Member("started", .time, "The time when the daemon started.") { $0.started }
        Member("uptime", .number(decimals: 3), "The number of seconds since the start.") { $0.uptime }
        Member.flag(
            "cut_off", "Whether a crash or a power cut ended the previous daemon; absent if it was stopped."
        ) { $0.wasShutDownUncleanly }
    }

    private static let input = members {
        Member("malformed", .tally, "The number of unreadable inputs from receivers, by reason.") { $0.now.skipped }
        Member("geofences", .integer, "The number of geofences that are watched.") { $0.now.geofences }
    }

    private static let machine = members {
        Member("subscribers", subscribers, "The connections and their subscriptions.") { $0 }
        Member("pending", pending, "The data that waits for the next commit.") { $0.now }
        Member("store", storage, "The store.") { $0 }
        Member.optional("map", map, "The file of `map.tiles`, if it cannot be used; absent otherwise.") { $0.map }
        Member.optional(
            "mqtt", BrokerStatus.shape, "The connection to the MQTT broker; absent if none is configured."
        ) { $0.broker }
        Member(
            "latency", latency, "The delay from a receiver's report to its publication; empty before the first report."
        ) { $0.now }
        Member("process", process, "The resources that the daemon uses, as far as they are known.") { $0.usage }
    }

    private static func members(@MemberList<Answer> _ members: () -> [Member<Answer>]) -> [Member<Answer>] {
        members()
    }

    fileprivate static let device = AnswerShape<LivePipeline.Snapshot.Device>.object {
        Member("device", .text, "The name.") { $0.name }
        Member.optional(
            "online", .boolean,
            "Whether its receiver is online; absent if there is none, or nothing is known of it yet."
        ) { $0.source?.isOnline }
        Member.flag("waiting", "Whether it is a configured receiver that has neither delivered nor failed yet.") {
            $0.isAwaited
        }
        Member.optional("reason", .text, "The reason why it is offline.") { $0.source?.reason }
        Member.optional("since", .time, "The time since when it is online or offline, by the system clock.") {
            $0.source?.since
        }
        Member("read", .integer, "The number of fixes received.") { $0.read }
        Member("accepted", .integer, "The number of fixes accepted.") { $0.statistics.accepted }
        Member("rejected", .tally, "The number of fixes rejected, by reason.") { $0.rejected }
        Member.optional(
            "duplicate", .integer, "The number of fixes that were sent again; only of devices that report by request."
        ) { $0.reported?.duplicates }
        Member.optional(
            "late", .integer,
            "The number of fixes that came after later ones and are merged into their trips; only of devices that report by request."
        ) { $0.reported?.late }
        Member.optional(
            "ignored", .tally,
            "What was sent that is no fix, by reason; only of devices that report by request."
        ) { $0.reported?.ignored }
        Member.optional("last", .time, "The time of the last accepted fix.") { $0.last }
        Member.optional(
            "age", .number(decimals: 1),
            "The seconds since the last accepted fix came, by a clock that nobody sets; for a fix from before the start, by the system's clock."
        ) { $0.age?.seconds }
        Member.flag("old", "Whether the last accepted fix is too old to say where the device is now.") {
            $0.age?.isOld ?? false
        }
    }

    private static let events = AnswerShape<Answer>.object {
        Member.optional("told", .integer, "The number of events emitted since the start.") {
            $0.seesMachine ? $0.now.commits.events : nil
        }
        Member("last", .integer, "The sequence number of the last event in the log.") { $0.lastEvent }
    }

    private static let subscribers = AnswerShape<Answer>.object {
        Member("connections", .integer, "The number of open connections to the socket.") { $0.connections }
        Member("subscriptions", .integer, "The number of subscriptions.") { $0.load.subscriptions }
        Member("catching_up", .integer, "The number of subscriptions that still read older events from the store.") {
            $0.load.catchingUp
        }
        Member("queued", .integer, "The number of events in the queues of subscriptions.") { $0.load.queued }
    }

    private static let pending = AnswerShape<LivePipeline.Snapshot>.object {
        Member("events", .integer, "The number of events, which are not published yet.") { $0.load.events }
        Member("points", .integer, "The number of trace points.") { $0.load.points }
        Member.optional("error", .text, "The reason why they cannot be written; absent while they can.") {
            $0.failure?.description
        }
    }

    private static let storage = AnswerShape<Answer>.object {
        Member("bytes", .integer, "The size on disk, in bytes.") { $0.store.bytes }
        Member("commits", .integer, "The number of transactions since the start.") { $0.store.commits }
        Member("failed_commits", .integer, "The number of commits that failed and were tried again.") {
            $0.now.commits.failedCommits
        }
        Member("dropped_points", .integer, "The number of trace points dropped because too many were waiting.") {
            $0.now.commits.droppedPoints
        }
        Member.optional(
            "written", .integer,
            "The number of bytes that the daemon has caused to be written to disks since its start, as the kernel counts "
                + "them. This includes its log, photos and uploads. Absent if the kernel does not report it."
        ) { $0.usage.writtenBytes }
        Member.optional(
            "written_per_hour", .integer,
            "The average of `written` per hour since the start; in the first hour, all of it."
        ) { answer in answer.usage.writtenBytes.map { Int64(Double($0) / max(answer.uptime, 3600) * 3600) } }
        Member.optional(
            "check", AnswerShape<StoreCheck>.choice,
            "The state of the check for damage at the start; absent before it begins."
        ) { $0.check }
        Member.optional("damage", .text, "The damage that was found.") { $0.damage }
    }

    private static let map = AnswerShape<UnusableMap>.object {
        Member("file", .text, "The path.") { $0.file }
        Member("reason", .text, "The reason why it cannot be used, as a clause.") { $0.reason }
    }

    private static let latency = AnswerShape<LivePipeline.Snapshot>.object {
        Member.optional(
            "event_p50", .number(decimals: 6), "The median delay of events in seconds, including the commit."
        ) { $0.commits.eventLatency.quantile(0.5) }
        Member.optional("event_p99", .number(decimals: 6), "The 99th percentile of the delay of events, in seconds.") {
            $0.commits.eventLatency.quantile(0.99)
        }
        Member.optional("position_p50", .number(decimals: 6), "The median delay of positions in seconds.") {
            $0.positionLatency.quantile(0.5)
        }
        Member.optional(
            "position_p99", .number(decimals: 6), "The 99th percentile of the delay of positions, in seconds."
        ) {
            $0.positionLatency.quantile(0.99)
        }
    }

    private static let process = AnswerShape<ProcessUsage>.object {
        Member.optional("resident", .integer, "The resident memory in bytes.") { $0.residentBytes }
        Member.optional("private", .integer, "The part of the resident memory that no file backs, in bytes.") {
            $0.privateBytes
        }
        Member.optional("cpu", .number(decimals: 2), "The processor time in seconds since the start.") {
            $0.processorSeconds
        }
        Member.optional("written", .integer, "The number of bytes that the daemon has caused to be written to disks.") {
            $0.writtenBytes
        }
    }
}

extension LivePipeline.Snapshot.Device: Answerable {
    static var shape: AnswerShape<Self> { Answer.device }
}

/// The state of the check of the store for damage.
private enum StoreCheck: String, CaseIterable, Sendable {
    case running, sound, damaged, failed
}

extension AnswerShape where Value == Tally {
    /// The shape of an object that maps each reason to its count.
    fileprivate static var tally: AnswerShape {
        AnswerShape(.map(of: .integer)) { tally, json in json.object { $0.tally(tally) } }
    }
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
            var age: FixAge?
            /// What is known of a device that reports by request; `nil` for others.
            var reported: ReportedDevice?

            /// The number of fixes received, also of those that were sent again, late, or ahead of the clock.
            var read: Int {
                statistics.read + (reported.map { $0.duplicates + $0.late + $0.future } ?? 0)
            }

            /// The number of fixes rejected, by reason.
            var rejected: Tally {
                var rejected = statistics.rejected
                if let future = reported?.future, future > 0 { rejected.count("future", times: future) }
                return rejected
            }
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
        let names = Set(sources.keys).union(pipeline.devices).union(awaited).union(reported.keys).sorted()
        let devices = names.map { name in
            let tracker = pipeline.tracker(of: name)
            return Snapshot.Device(
                name: name, source: sources[name], isAwaited: awaited.contains(name),
                statistics: tracker?.statistics ?? Tracker.Statistics(),
                last: tracker?.position?.time, age: fixAge(of: name), reported: reported[name])
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

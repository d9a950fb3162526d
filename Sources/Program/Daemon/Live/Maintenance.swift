import Callers
import EventStream
import Foundation
import Logging
import People
import RPC
import Receivers
import Service
import Store
import Time
import UnixSignals

/// Maintenance of a running daemon: its receivers, clock, watchdog, configuration and old records.
actor Maintenance {
    private let pipeline: LivePipeline
    private let receivers: ReceiverSet
    private let manager: ServiceManager
    private let log: LogOutput
    private let logger: Logger
    private let reload: @Sendable () throws -> LoadedConfiguration
    /// The daemon's judgement of itself; `nil` until its servers exist.
    private var health: ServerHealth?
    private var configuration: DaemonConfiguration
    /// The keys whose new values in the file take effect after a restart.
    private var waiting: [String] = []
    private var findings: [HealthFinding] = []

    /// The seconds between two probes, unless the service manager requires shorter intervals.
    private static let probeInterval = 15.0
    /// The seconds after which the servers have done what they do once.
    private static let startTime = 3.0
    /// The interval at which old records are deleted.
    private static let pruningInterval = Duration.seconds(3600)

    /// - Parameter reload: Reads the configuration again from its original sources.
    init(
        _ configuration: DaemonConfiguration, pipeline: LivePipeline, receivers: ReceiverSet, manager: ServiceManager,
        log: LogOutput, logger: Logger, reload: @escaping @Sendable () throws -> LoadedConfiguration
    ) {
        self.configuration = configuration
        self.pipeline = pipeline
        self.receivers = receivers
        self.manager = manager
        self.log = log
        self.logger = logger
        self.reload = reload
    }

    /// Sets how the daemon judges itself.
    func judge(by health: ServerHealth) { self.health = health }

    /// Reads the receivers until the task is cancelled; by the time it returns, all their reports have been processed.
    func read() async {
        if configuration.sources.isEmpty {
            logger.warning(
                "No source is configured, so the daemon receives no positions. Add one under \"sources\" in the configuration, or with --source NAME=URL; a phone needs \"waymark devices secret NAME\" instead."
            )
        }
        #if Companion
        if configuration.accounts.mailCommand == nil, configuration.accounts.mailFile == nil {
            logger.warning(
                "No mail is sent, so codes wait in the outbox; \"waymark mail list\" shows them. Set a command as \"mail.command\" in the configuration, or a file as \"mail.file\"."
            )
        }
        #endif
        await receivers.read(configuration.receivers)
        await untilCancelled()
        manager.notify(.stopping)
        await receivers.endAll()
    }

    /// Periodically sends a probe along a fix's path from bytes to subscriber, and reports to the service manager.
    ///
    /// The report confirms that the probe arrived, and describes the daemon's state. After each but the first, unused
    /// memory is released to the system.
    func watch() async {
        let probeInterval = min(
            Self.probeInterval, manager.watchdogInterval.map { ($0 / .seconds(1)) / 3 } ?? Self.probeInterval)
        let startTime = Duration.seconds(min(Self.startTime, probeInterval))
        await report()
        guard await pause(startTime) else { return }
        // What only the start needed, some megabytes, would otherwise be kept.
        pipeline.store.releaseMemory()
        await report()
        var memory = ProcessMemory()
        while await pause(.seconds(probeInterval)) {
            await report()
            // Memory of a large import, export or migration may be free by now.
            memory.releaseUnused()
        }
    }

    private func report() async {
        await pipeline.probe()
        findings = await health?.findings() ?? []
        if manager.watchdogInterval != nil { manager.notify(.watchdog) }
        manager.notify(.status(await status()))
    }

    /// Reloads the configuration at each of these signals.
    func reload(on signals: UnixSignalsSequence) async {
        // The log says why a configuration was refused.
        for await _ in signals { _ = try? await reloadOnce() }
    }

    /// Reloads the configuration, and applies everything that can change while the daemon runs.
    ///
    /// - Returns: The keys whose new values take effect after a restart.
    /// - Throws: A conflict (error 3) if the configuration is refused. The previous one stays in effect.
    func reloadOnce() async throws(Refusal) -> [String] {
        manager.notify(.reloading)
        defer { manager.notify(.ready) }
        let loaded: LoadedConfiguration
        do {
            loaded = try reload()
        } catch {
            logger.error("The configuration was refused, and the previous one stays in effect: \(error)")
            throw .conflict("The configuration was refused, and the previous one stays in effect: \(error)")
        }
        (configuration, waiting) = loaded.configuration.takenOver(from: configuration)
        log.level = configuration.logLevel
        await pipeline.adopt(configuration.tracking)
        await pipeline.adopt(CommitPolicy(configuration))
        await receivers.read(configuration.receivers)
        if waiting.isEmpty {
            logger.notice("The configuration was read again.")
        } else {
            logger.warning("The configuration was read again. Restart the daemon to apply \(namesOfWaiting).")
        }
        return waiting
    }

    /// Deletes leftovers of removed trips, and events and traces beyond their configured age, at the start and every
    /// hour.
    ///
    /// - Parameters:
    ///   - followed: Returns the last event that all log consumers have processed.
    ///   - emptyTrash: Deletes what was thrown away long before a time; without a trusted time, nothing counts as old.
    func prune(
        upTo followed: @Sendable () async throws -> Int64, emptyTrash: @Sendable (Timestamp?) -> Void
    ) async {
        repeat {
            emptyTrash(await pipeline.trustedTime())
            do {
                try await pruneOnce(upTo: followed)
            } catch is CancellationError {
                return
            } catch {
                logger.error("Old records could not be deleted: \(error)")
            }
        } while await pause(Self.pruningInterval)
    }

    private var namesOfWaiting: String { waiting.joined(separator: ", ") }

    private func pruneOnce(upTo followed: @Sendable () async throws -> Int64) async throws {
        // Without a trusted time, nothing counts as old.
        let now = await pipeline.trustedTime()
        func moment(daysAgo days: Int?) -> Timestamp? {
            guard let now, let days else { return nil }
            return now.advanced(byMilliseconds: -Int64(days) * Timestamp.millisecondsPerDay)
        }
        let pruned = try await pipeline.store.prune(
            eventsBefore: moment(daysAgo: configuration.retainedEventDays),
            tracesBefore: moment(daysAgo: configuration.retainedTraceDays),
            now: now ?? Timestamp(milliseconds: .max), upTo: followed())
        if pruned != Pruned() {
            logger.info("deleted \(pruned.events) old events and \(pruned.points) old trace points")
        }
    }

    private func status() async -> String {
        let now = await pipeline.snapshot()
        let known = now.devices.compactMap(\.source)
        let online = known.count { $0.isOnline }
        var text = "\(online) of \(known.count) receivers online, \(now.geofences) geofences, "
        text += "\(await pipeline.hub.statistics.subscriptions) subscriptions"
        if !waiting.isEmpty { text += "; restart to apply \(namesOfWaiting)" }
        // The text has one line, so only the first finding, which is the most severe one, fits.
        let told = findings.filter(\.isTold)
        if let first = told.first {
            let more = told.count > 1 ? " (and \(told.count - 1) more: waymark status)" : ""
            text = "\(first.part.rawValue): \(first.text)\(more); \(text)"
        }
        return text
    }

    private func pause(_ duration: Duration) async -> Bool {
        do {
            try await Task.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }

    private func untilCancelled() async {
        let (never, end) = AsyncStream<Never>.makeStream()
        defer { end.finish() }
        for await _ in never {}
    }
}

extension DaemonConfiguration {
    /// The receivers to read.
    ///
    /// The URLs were checked together with the configuration.
    var receivers: [Receiver] {
        sources.compactMap { source in
            (try? ReceiverAddress(source.url)).map {
                Receiver(
                    name: source.name, address: $0, notBefore: ProgramInfo.earliestDate,
                    synchronisedTime: { ClockState.isSynchronised() == true ? Timestamp.now() : nil })
            }
        }
    }
}

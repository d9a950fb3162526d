import Accounts
import EventStream
import Foundation
import Logging
import Media
import Positioning
import RPC
import Receivers
import Store
import UnixSignals

/// Looks after a running daemon: its receivers, its clock, its watchdog, its configuration and its old records.
actor Steward {
    private let pipeline: LivePipeline
    private let receivers: ReceiverSet
    private let manager: ServiceManager
    private let log: LogOutput
    private let logger: Logger
    private let reload: @Sendable () throws -> LoadedConfiguration
    private var configuration: DaemonConfiguration
    /// The keys that have other values in the file, and wait for a restart.
    private var waiting: [String] = []
    private var memory = ProcessMemory()

    /// How often a probe goes the way of a fix, where the service manager does not want it more often.
    private static let beat = 15.0
    /// How often old records are looked for.
    private static let pruning = Duration.seconds(3600)

    /// - Parameter reload: reads the configuration again, from where the first came.
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

    /// Reads the receivers until the task is cancelled; what they have reported has been taken then.
    func read() async {
        if configuration.sources.isEmpty {
            logger.warning(
                "No source is configured, so that nothing is heard: name one under \"sources\" in the configuration, or by --source NAME=URL."
            )
        }
        if configuration.accounts.mailCommand == nil, configuration.accounts.mailFile == nil {
            logger.warning(
                "No mail leaves, so that codes wait in the outbox for \"waymark mail list\": name a command under \"mail.command\" in the configuration, or a file under \"mail.file\"."
            )
        }
        await receivers.read(configuration.receivers)
        await untilCancelled()
        manager.notify(.stopping)
        await receivers.endAll()
    }

    /// Sends a probe the way of a fix now and then, and tells the service manager that it came through, and how the
    /// daemon is; gives back what memory is left over.
    func watch() async {
        let beat = min(Self.beat, manager.watchdogInterval.map { ($0 / .seconds(1)) / 3 } ?? Self.beat)
        repeat {
            await pipeline.probe()
            if manager.watchdogInterval != nil { manager.notify(.watchdog) }
            manager.notify(.status(await status()))
            // A large import, export or migration is over then.
            memory.giveBack()
        } while await pause(.seconds(beat))
    }

    /// Reads the configuration again at each of these signals.
    func reload(on signals: UnixSignalsSequence) async {
        // Why one is refused is in the log.
        for await _ in signals { _ = try? await reloadOnce() }
    }

    /// Reads the configuration again, and takes over all that can be while the daemon runs.
    ///
    /// - Returns: the keys that wait for a restart.
    /// - Throws: error 3 where the configuration is refused; the one before holds then.
    func reloadOnce() async throws(Refusal) -> [String] {
        manager.notify(.reloading)
        defer { manager.notify(.ready) }
        let loaded: LoadedConfiguration
        do {
            loaded = try reload()
        } catch {
            logger.error("The configuration was not taken over, the one before holds: \(error)")
            throw .conflict("The configuration was not taken over, the one before holds: \(error)")
        }
        (configuration, waiting) = loaded.configuration.takenOver(from: configuration)
        log.level = configuration.logLevel
        await pipeline.adopt(configuration.tracking)
        await pipeline.adopt(CommitPolicy(configuration))
        await receivers.read(configuration.receivers)
        if waiting.isEmpty {
            logger.notice("The configuration was read again.")
        } else {
            logger.warning("The configuration was read again. Restart the daemon to take over \(namesOfWaiting).")
        }
        return waiting
    }

    /// Removes what is left of trips that were removed, and events and traces that are older than is configured, at the
    /// start and each hour.
    ///
    /// - Parameters:
    ///   - followed: gives the last event that everybody has worked on who follows the log.
    ///   - photos: whose trash is emptied, too.
    func prune(upTo followed: @Sendable () async throws -> Int64, _ photos: PhotoFiles) async {
        repeat {
            // Nothing is old where nobody knows what time it is.
            photos.emptyTrash(at: await pipeline.trustedTime())
            do {
                try await pruneOnce(upTo: followed)
            } catch is CancellationError {
                return
            } catch {
                logger.error("Old records cannot be removed: \(error)")
            }
        } while await pause(Self.pruning)
    }

    private var namesOfWaiting: String { waiting.joined(separator: ", ") }

    private func pruneOnce(upTo followed: @Sendable () async throws -> Int64) async throws {
        // Nothing is old where nobody knows what time it is.
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
            logger.info("removed \(pruned.events) old events and \(pruned.points) old points of traces")
        }
    }

    private func status() async -> String {
        let now = await pipeline.snapshot()
        let known = now.devices.compactMap(\.source)
        let online = known.count { $0.isOnline }
        var text = "\(online) of \(known.count) receivers online, \(now.geofences) geofences, "
        text += "\(await pipeline.hub.statistics.subscriptions) subscriptions"
        if !waiting.isEmpty { text += "; restart it to take over \(namesOfWaiting)" }
        if let damage = pipeline.health.damage { text = "The store is damaged: \(damage). \(text)" }
        if let failure = now.failure { text = "The store cannot be written: \(failure). \(text)" }
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
    /// What is read; the URLs were checked when the configuration was.
    var receivers: [Receiver] {
        sources.compactMap { source in
            (try? ReceiverAddress(source.url)).map {
                Receiver(name: source.name, address: $0, notBefore: Product.earliestDate)
            }
        }
    }
}

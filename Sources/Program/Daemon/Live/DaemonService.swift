import EventStream
import Logging
import People
public import RPC
import Receivers
import Service
import ServiceLifecycle
import Store
import Tracking
import UnixSignals

/// The daemon: it reads receivers, serves subscribers, and maintains both.
public struct DaemonService: Sendable {
    private let loaded: LoadedConfiguration
    private let reload: @Sendable () throws -> LoadedConfiguration
    private let manager: ServiceManager
    private let log: LogOutput
    private let logger: Logger

    /// The longest time for an orderly stop, after which remaining tasks are ended: half of what the unit allows.
    private static let shutdownTimeout = Duration.seconds(20)
    /// The answer to clients that wait at the socket of a daemon that cannot start.
    public static let cannotStart = RPCError.unavailable(
        "Waymark cannot start. Its log says why: journalctl -u waymark. Fix the problem, then try again.")

    /// Creates a daemon from its configuration.
    ///
    /// - Parameters:
    ///   - loaded: The configuration.
    ///   - manager: The service manager that started the daemon, and receives its state.
    ///   - log: The output of log messages; see ``LogOutput/install()``.
    ///   - reload: Reads the configuration again from its original sources.
    public init(
        _ loaded: LoadedConfiguration, manager: ServiceManager, log: LogOutput,
        reload: @escaping @Sendable () throws -> LoadedConfiguration
    ) {
        self.loaded = loaded
        self.reload = reload
        self.manager = manager
        self.log = log
        logger = Logger(label: ProgramInfo.name)
    }

    /// Runs until SIGTERM or SIGINT, or until it cannot continue.
    ///
    /// When it returns without an error, all input has been committed and published.
    ///
    /// - Throws: ``StoreError``, `SocketError`, `WebError`, ``CommitOverflow``.
    public func run() async throws {
        EventLoops.useOne()
        let configuration = loaded.configuration
        // This comes first: an untrapped signal would end the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let store: LocationDatabase
        do {
            // Upgrading a store with years of data may take minutes.
            store = try await manager.extendingTimeout {
                // If the store is at its default path, nobody has created its folder.
                try Stores.open(
                    at: configuration.store, socket: configuration.socket, makesFolder: loaded.isStoreByDefault)
            }
        } catch {
            manager.rejectWaitingClients(Self.cannotStart)
            throw error
        }
        if let remark = store.opening.remark { logger.warning("\(remark)") }
        do {
            try await serve(store, configuration, hangUps)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    private func serve(
        _ store: LocationDatabase, _ configuration: DaemonConfiguration, _ hangUps: UnixSignalsSequence
    ) async throws {
        let visibility = EventVisibility(store)
        let hub = try await EventHub(
            journal: StoreJournal(store: store), visibility: visibility.allows,
            discretion: visibility.shown)
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: configuration.tracking, commitPolicy: CommitPolicy(configuration),
            logger: logger)
        let features = Features(store, pipeline, configuration)
        visibility.configure(features.context.subjects, features.context.editor)
        let consumers = LogConsumers(features.context, features.consumers) { [logger] consumer, seq, error in
            logger.error("\(consumer): event \(seq) was skipped: \(error)")
        }
        let troubles = Troubles()
        // They are created before anything follows the log, so that they miss nothing that results from it.
        let companion = try await CompanionTasks(
            features, configuration, hub: hub, mayLeave: { visibility.mayLeave($0) }, troubles: troubles, logger: logger
        )
        let receivers = ReceiverSet(into: pipeline, logger: logger)
        let maintenance = Maintenance(
            configuration, pipeline: pipeline, receivers: receivers, manager: manager, log: log, logger: logger,
            reload: reload)
        let broker = BrokerLink(
            configuration, pipeline: pipeline, hub: hub, context: features.context, roles: companion.broker,
            troubles: troubles)
        let servers = try await DaemonServers(
            pipeline, hub: hub, features: features, configuration: configuration, file: loaded.file,
            descriptor: manager.listenDescriptor, troubles: troubles, logger: logger,
            broker: broker.status
        ) { () async throws(Refusal) in try await maintenance.reloadOnce() }
        await maintenance.judge(by: servers.health)
        // The parts end in reverse order: first the input stops, then everything is committed and published, and then
        // subscribers are disconnected.
        let parts =
            [
                DaemonTask("socket") { try await servers.run() },
                DaemonTask("web") { try await servers.runWeb() },
                DaemonTask("commits") { try await pipeline.commitUntilCancelled() },
                DaemonTask("consumers") { await follow(hub.updates(), consumers) },
                DaemonTask("timers") { [logger] in
                    await TimedWorks(features.context, features.timers) { work, error in
                        logger.error("\(work): due work failed and is tried again in a few seconds: \(error)")
                    }.run()
                },
                DaemonTask("late fixes") { [logger] in
                    await LateMerges(pipeline, features.context, logger: logger).run()
                },
                DaemonTask("mqtt") { await broker.run() },
            ] + companion.tasks + [
                DaemonTask("clock") {
                    await pipeline.startTicking()
                    await pipeline.startWatchingHealth()
                },
                DaemonTask("receivers") { await maintenance.read() },
                DaemonTask("watchdog") { await maintenance.watch() },
                DaemonTask("retention") {
                    let needed = LogNeeds(store: store, consumers: consumers, outside: companion.needs)
                    await maintenance.prune(upTo: needed.reached, emptyTrash: companion.emptyTrash)
                },
                DaemonTask("check") { [logger] in await pipeline.health.check(store, logger) },
                DaemonTask("reload") { await maintenance.reload(on: hangUps) },
                // Parts start after the signals that end them are trapped. The service manager may therefore send one as
                // soon as it is notified.
                DaemonTask("readiness") {
                    await pipeline.probe()
                    manager.notify(.ready)
                    logger.notice("serving at \(configuration.socket), store \(configuration.store)")
                    if let address = servers.webAddress { logger.notice("serving browsers at \(address)") }
                },
            ]
        var group = ServiceGroupConfiguration(
            services: parts.map { .init(service: $0, successTerminationBehavior: .ignore) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = Self.shutdownTimeout
        try await ServiceGroup(configuration: group).run()
        let rest = await pipeline.snapshot().load
        if rest.isNone {
            logger.notice("ended; everything is committed")
        } else {
            logger.error("ended before \(rest.events) events and \(rest.points) points were committed")
        }
    }

    /// Runs the consumers of the log now and each time it has grown, until the task is cancelled.
    private func follow(_ updates: AsyncStream<Void>, _ consumers: LogConsumers) async {
        var (hasFailed, hasJoined) = (false, false)
        for await _ in updates {
            while !Task.isCancelled {
                do {
                    try await consumers.catchUp()
                    if !hasJoined { hasJoined = try await consumers.joinCommits() }
                    if hasFailed { logger.notice("The consumers of the event log run again.") }
                    hasFailed = false
                    break
                } catch {
                    if !hasFailed, !Task.isCancelled {
                        logger.error(
                            "The consumers of the event log failed and are tried again every few seconds: \(error)")
                    }
                    hasFailed = true
                    try? await Task.sleep(for: .seconds(CommitPolicy().retry))
                }
            }
        }
    }

    /// A logger for the lifecycle, whose messages below `warning` matter only for debugging.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

/// A part of the daemon, which ends when its task is cancelled.
struct DaemonTask: Service, CustomStringConvertible {
    let description: String
    private let body: @Sendable () async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable () async throws -> Void) {
        self.description = description
        self.body = body
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await body()
            // The group would take a part that returns before the shutdown for a failed one.
            try? await gracefulShutdown()
        }
    }
}

extension CommitPolicy {
    /// Creates the default rules with the configured values.
    init(_ configuration: DaemonConfiguration) {
        self.init()
        interval = configuration.commitInterval
        points = configuration.commitPoints
    }
}

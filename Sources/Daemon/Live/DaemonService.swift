import Accounts
import EventStream
import Logging
import Media
import Notifications
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
    private static let longestStop = Duration.seconds(20)
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
        logger = Logger(label: Product.name)
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
                try Storehouse.open(
                    at: configuration.store, socket: configuration.socket, makesFolder: loaded.isStoreByDefault)
            }
        } catch {
            manager.turnAway(Self.cannotStart)
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
        let hub = try await EventHub(journal: StoreJournal(store: store), visibility: visibility.allows)
        let pipeline = try LivePipeline(
            store: store, hub: hub, policy: configuration.tracking, commitPolicy: CommitPolicy(configuration),
            logger: logger)
        let features = Features(
            store: store, present: pipeline, accounts: Accounts(settings: configuration.accounts),
            media: Media(of: store, settings: configuration.media),
            notificationHook: configuration.notificationHook, limits: configuration.limits)
        visibility.learn(from: features.context)
        await takeStock(of: features.media.photos)
        let consumers = LogConsumers(features.context, features.consumers) { [logger] consumer, seq, error in
            logger.error("\(consumer): event \(seq) was skipped: \(error)")
        }
        // The hook is created before anything follows the log, so that it misses no notification that results from it.
        let hook = try NotificationHook(features.notificationHook, store: store) { [logger] in
            logger.error("\($0)")
        }
        let receivers = ReceiverSet(into: pipeline, logger: logger)
        let steward = Steward(
            configuration, pipeline: pipeline, receivers: receivers, manager: manager, log: log, logger: logger,
            reload: reload)
        let interface = try await Interface(
            pipeline, hub: hub, features: features, configuration: configuration, file: loaded.file,
            descriptor: manager.listenDescriptor, logger: logger
        ) { () async throws(Refusal) in try await steward.reloadOnce() }
        // The parts end in reverse order: first the input stops, then everything is committed and published, and then
        // subscribers are disconnected.
        let parts = [
            Part("socket") { try await interface.run() },
            Part("web") { try await interface.runWeb() },
            Part("commits") { try await pipeline.commitUntilCancelled() },
            Part("consumers") { await follow(hub.news(), consumers) },
            Part("timers") { [logger] in
                await TimedWorks(features.context, features.timers) { work, error in
                    logger.error("\(work): due work failed and is tried again in a few seconds: \(error)")
                }.run()
            },
            Part("hook") { await hook?.run(hub.news()) },
            Part("mail") {
                await MailDelivery(features.context, features.accounts).run { [logger] mail, error in
                    logger.warning("Mail \(mail) was not sent: \(error)")
                }
            },
            Part("clock") { await pipeline.startTicking() },
            Part("receivers") { await steward.read() },
            Part("photos") {
                do {
                    try await features.media.makePhotoCopies()
                } catch  where !Task.isCancelled {
                    logger.error(
                        "The copies of photos for other people are made on request, because making them in advance failed: \(error)"
                    )
                } catch {}
            },
            Part("watchdog") { await steward.watch() },
            Part("retention") { await steward.prune(upTo: consumers.reached, features.media.photos) },
            Part("check") { [logger] in await pipeline.health.check(store, logger) },
            Part("reload") { await steward.reload(on: hangUps) },
            // Parts start after the signals that end them are trapped. The service manager may therefore send one as
            // soon as it is notified.
            Part("readiness") {
                await pipeline.probe()
                manager.notify(.ready)
                logger.notice("serving at \(configuration.socket), store \(configuration.store)")
                if let address = interface.webAddress { logger.notice("serving browsers at \(address)") }
            },
        ]
        var group = ServiceGroupConfiguration(
            services: parts.map { .init(service: $0, successTerminationBehavior: .ignore) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        group.maximumGracefulShutdownDuration = Self.longestStop
        try await ServiceGroup(configuration: group).run()
        let rest = await pipeline.snapshot().load
        if rest.isNone {
            logger.notice("ended; everything is committed")
        } else {
            logger.error("ended before \(rest.events) events and \(rest.points) points were committed")
        }
    }

    /// Checks the folder of photos, and logs what is wrong with it.
    private func takeStock(of photos: PhotoFiles) async {
        do {
            for remark in try await photos.takeStock().remarks { logger.warning("\(remark)") }
        } catch let error as Refusal {
            logger.error("\(error.message)")
        } catch {
            logger.error("The photo folder could not be checked: \(error)")
        }
    }

    /// Runs the consumers of the log now and each time it has grown, until the task is cancelled.
    private func follow(_ news: AsyncStream<Void>, _ consumers: LogConsumers) async {
        var (hasFailed, hasJoined) = (false, false)
        for await _ in news {
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
private struct Part: Service, CustomStringConvertible {
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

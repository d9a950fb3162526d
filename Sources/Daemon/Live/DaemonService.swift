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

/// The daemon: receivers at one end, subscribers at the other, and what keeps both going.
public struct DaemonService: Sendable {
    private let loaded: LoadedConfiguration
    private let reload: @Sendable () throws -> LoadedConfiguration
    private let manager: ServiceManager
    private let log: LogOutput
    private let logger: Logger

    /// How long a stop may take before what still runs is ended: half of what the unit gives it.
    private static let longestStop = Duration.seconds(20)
    /// What those are told who wait at the socket for a daemon that cannot start.
    public static let cannotStart = RPCError.unavailable(
        "Waymark cannot start. Its log says why: journalctl -u waymark. Try again once that is mended.")

    /// A daemon that is to work by a configuration.
    ///
    /// - Parameters:
    ///   - loaded: what the daemon is to do.
    ///   - manager: who started it, and is told how it is.
    ///   - log: where it says what happens; see ``LogOutput/install()``.
    ///   - reload: reads the configuration again, from where the first came.
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

    /// Runs until SIGTERM or SIGINT, or until it cannot go on.
    ///
    /// When it returns, everything that was taken in is committed and told.
    ///
    /// - Throws: ``StoreError``, `SocketError`, `WebError`, ``CommitOverflow``.
    public func run() async throws {
        EventLoops.useOne()
        let configuration = loaded.configuration
        // Before all else: untrapped, the signal would end the process.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let store: LocationDatabase
        do {
            // Bringing a store of years up to this version may take minutes.
            store = try await manager.extendingTimeout {
                // Where nobody has named a store, nobody has made its folder either.
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
            logger.error("\(consumer): event \(seq) is passed over: \(error)")
        }
        // Made before anything follows the log, so that it misses nothing that comes of that.
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
        // They end in the reverse order: nothing comes in any more, all is committed and told, then subscribers go.
        let parts = [
            Part("socket") { try await interface.run() },
            Part("web") { try await interface.runWeb() },
            Part("commits") { try await pipeline.commitUntilCancelled() },
            Part("consumers") { await follow(hub.news(), consumers) },
            Part("timers") { [logger] in
                await TimedWorks(features.context, features.timers) { work, error in
                    logger.error("\(work): what is due is not done; tried again in some seconds: \(error)")
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
                    logger.error("What others get of photos is made when they ask: \(error)")
                } catch {}
            },
            Part("watchdog") { await steward.watch() },
            Part("retention") { await steward.prune(upTo: consumers.reached, features.media.photos) },
            Part("check") { [logger] in await pipeline.health.check(store, logger) },
            Part("reload") { await steward.reload(on: hangUps) },
            // Parts start once the signals that end them are trapped, so that whoever is told may send them.
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

    /// Looks through the folder of photos, and says what is not as it should be.
    private func takeStock(of photos: PhotoFiles) async {
        do {
            for remark in try await photos.takeStock().remarks { logger.warning("\(remark)") }
        } catch let error as Refusal {
            logger.error("\(error.message)")
        } catch {
            logger.error("The folder for photos was not looked through: \(error)")
        }
    }

    /// Has consumers of the log work, now and each time it has grown, until the task is cancelled.
    private func follow(_ news: AsyncStream<Void>, _ consumers: LogConsumers) async {
        var (hasFailed, hasJoined) = (false, false)
        for await _ in news {
            while !Task.isCancelled {
                do {
                    try await consumers.catchUp()
                    if !hasJoined { hasJoined = try await consumers.joinCommits() }
                    if hasFailed { logger.notice("The event log is followed again.") }
                    hasFailed = false
                    break
                } catch {
                    if !hasFailed, !Task.isCancelled {
                        logger.error("The event log is not followed; tried again every few seconds: \(error)")
                    }
                    hasFailed = true
                    try? await Task.sleep(for: .seconds(CommitPolicy().retry))
                }
            }
        }
    }

    /// The lifecycle's own remarks are of interest only where something is being looked for.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}

/// A part of the daemon, ended by cancelling its task.
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
            // The group takes a part that is done before its turn to end for one that has failed.
            try? await gracefulShutdown()
        }
    }
}

extension CommitPolicy {
    /// The rules by default, with what is configured.
    init(_ configuration: DaemonConfiguration) {
        self.init()
        interval = configuration.commitInterval
        points = configuration.commitPoints
    }
}

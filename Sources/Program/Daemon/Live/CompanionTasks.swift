#if Companion
import People
import EventHooks
import EventStream
import Logging
import Photos
import MQTT
import Notifications
import RPC
import Service
import Store
import Time
import Tracking
import Uplink
import WebPush

extension DaemonConfiguration {
    /// The exchange with the centre over the broker; `nil` if events do not go there.
    fileprivate var uplinkExchange: BrokerExchange? {
        guard let uplink, uplink.isOverBroker, let mqtt else { return nil }
        return BrokerExchange(secret: uplink.secret, topic: mqtt.base(machine: BrokerLink.machine))
    }

    /// The centre, for what is told of it.
    fileprivate var uplinkPlace: String {
        if let url = uplink?.url { return "\(url)" }
        return mqtt.map { "the centre over \($0.broker)" } ?? "the centre"
    }
}

/// What the daemon does for people and for programs outside: hooks, mail, photos and the uplink.
struct CompanionTasks: Sendable {
    private let features: Features
    private let hub: EventHub
    private let hook: NotificationHook?
    private let push: PushSender?
    private let eventHooks: [EventHook]
    private let uplink: BoardUplink?
    /// What goes over the broker.
    let broker: BrokerRoles
    private let configuration: DaemonConfiguration
    private let troubles: Troubles
    private let logger: Logger

    /// Creates the hooks and the uplink, and checks the folder of photos.
    ///
    /// - Parameter mayLeave: Whether an event may leave this machine.
    init(
        _ features: Features, _ configuration: DaemonConfiguration, hub: EventHub,
        mayLeave: @escaping @Sendable (EventRecord) -> Bool, troubles: Troubles, logger: Logger
    ) async throws {
        let store = features.context.store
        self.features = features
        self.hub = hub
        self.configuration = configuration
        self.troubles = troubles
        self.logger = logger
        await Self.checkFolder(of: features.media.photos, logger)
        hook = try NotificationHook(features.notificationHook, store: store) { logger.error("\($0)") }
        push = try features.push.sender(features.context, methods: features.methods)
        eventHooks = try configuration.eventHooks.map { try EventHook($0, store: store, hub: hub) }
        let exchange = configuration.uplinkExchange
        uplink =
            exchange.map { BoardUplink(over: $0, store: store, leaves: mayLeave) }
            ?? configuration.uplink.flatMap { BoardUplink(to: $0, store: store, leaves: mayLeave) }
        broker = BrokerRoles(
            centre: configuration.mqtt?.boards.map { _ in
                BrokerBoards(centre: BoardCentre(features.context), troubles: troubles)
            }, uplink: exchange)
        try await EventHookPlaces.forget(except: configuration.eventHooks, in: store)
    }

    /// The tasks.
    var tasks: [DaemonTask] {
        [
            DaemonTask("hook") {
                await hook?.run(hub.updates()) { troubles.noteHook($0) }
            },
            DaemonTask("push") {
                await push?.run(hub.updates()) { logger.warning("\($0)") }
            },
            DaemonTask("event hooks") {
                await withDiscardingTaskGroup { group in
                    for (index, hook) in eventHooks.enumerated() {
                        group.addTask {
                            await hook.run(hub.updates()) { troubles.noteEventHook(index + 1, hook.settings, $0) }
                        }
                    }
                }
            },
            DaemonTask("boards") {
                do {
                    try await BoardCentre(features.context).tellAll()
                } catch  where !Task.isCancelled {
                    logger.error("Events of boards are told when the boards call again: \(error)")
                } catch {}
            },
            DaemonTask("uplink") {
                await uplink?.run(hub.updates()) { [place = configuration.uplinkPlace] in
                    troubles.noteUplink(place, $0)
                }
            },
            DaemonTask("mail") {
                await MailDelivery(features.context, features.accounts).run {
                    troubles.noteMail(nil)
                } report: { mail, error in
                    logger.warning("Mail \(mail) was not sent: \(error)")
                    troubles.noteMail(error)
                }
            },
            DaemonTask("photos") {
                do {
                    try await features.media.makePhotoCopies()
                } catch  where !Task.isCancelled {
                    logger.error(
                        "The copies of photos for other people are made on request, because making them in advance failed: \(error)"
                    )
                } catch {}
            },
        ]
    }

    /// Who outside waits for events of the log; see ``LogNeeds``.
    var needs: [@Sendable () async throws -> Int64?] {
        let (store, hooks) = (features.context.store, configuration.eventHooks)
        var needs: [@Sendable () async throws -> Int64?] = [{ try await EventHookPlaces.reached(hooks, in: store) }]
        if uplink != nil { needs.append { try await UplinkPlaces.reached(in: store) } }
        return needs
    }

    /// Deletes photos that were thrown away long before a time; without a time, nothing counts as old.
    @Sendable func emptyTrash(_ time: Timestamp?) { features.media.photos.emptyTrash(at: time) }

    /// Checks the folder of photos, and logs what is wrong with it.
    private static func checkFolder(of photos: PhotoFiles, _ logger: Logger) async {
        do {
            for remark in try await photos.checkFolder().remarks { logger.warning("\(remark)") }
        } catch let error as Refusal {
            logger.error("\(error.message)")
        } catch {
            logger.error("The photo folder could not be checked: \(error)")
        }
    }
}
#else
import EventStream
import Logging
import Time
import Tracking

/// The engine does nothing for people, and for programs outside only what they ask on the socket.
struct CompanionTasks: Sendable {
    let tasks: [DaemonTask] = []
    let broker = BrokerRoles()
    let needs: [@Sendable () async throws -> Int64?] = []

    init(
        _ features: Features, _ configuration: DaemonConfiguration, hub: EventHub,
        mayLeave: @escaping @Sendable (EventRecord) -> Bool, troubles: Troubles, logger: Logger
    ) async throws {}

    @Sendable func emptyTrash(_ time: Timestamp?) {}
}
#endif

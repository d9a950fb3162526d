public import Callers
import EventStream
public import People
public import RPC
public import Service
public import Store
public import Time
import Tracking

#if Companion
public import Photos
public import WebPush
import WebServer
#endif

/// All features that people can use with a store.
public struct Features: Sendable {
    /// The services that all features share.
    public let context: ServiceContext
    /// The accounts that the methods about people share.
    public let accounts: Accounts
    #if Companion
    /// The files of photos and uploads.
    public let media: Media
    /// What notifies people in their browsers.
    public let push: WebPush
    /// The command that receives each notification; `nil` for none.
    public let notificationHook: String?
    #endif
    /// The methods of all features, which are made once because they take hundreds of kilobytes.
    public let methods: [Method<Principal>]
    private let list: FeatureList

    #if Companion
    /// Creates the features for a store, with additional ones in `more`.
    public init(
        store: LocationDatabase, liveState: any LiveState, accounts: Accounts = Accounts(), media: Media? = nil,
        push: WebPush = WebPush(), notificationHook: String? = nil, limits: SendingLimits = SendingLimits(),
        more: [Feature] = [],
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
        webAddress: @escaping @Sendable () -> String = { ServiceContext.defaultWebAddress }
    ) {
        let media = media ?? Media(of: store, now: now)
        self.accounts = accounts
        self.media = media
        self.push = push
        self.notificationHook = notificationHook
        list = FeatureList(accounts: accounts, media: media, push: push, more: more)
        context = ServiceContext(
            store: store, liveState: liveState, features: list.features, limits: limits, webAddress: webAddress,
            now: now)
        methods = Self.methods(of: list, context)
    }

    /// Creates the features of a daemon.
    init(_ store: LocationDatabase, _ pipeline: LivePipeline, _ configuration: DaemonConfiguration) {
        self.init(
            store: store, liveState: pipeline, accounts: Accounts(settings: configuration.accounts),
            media: Media(of: store, settings: configuration.media),
            push: WebPush(configuration.push), notificationHook: configuration.notificationHook,
            limits: configuration.limits,
            webAddress: { [web = configuration.web] in web?.publicAddress ?? ServiceContext.defaultWebAddress })
    }
    #else
    /// Creates the features for a store, with additional ones in `more`.
    public init(
        store: LocationDatabase, liveState: any LiveState, accounts: Accounts = Accounts(), more: [Feature] = [],
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        self.accounts = accounts
        list = FeatureList(accounts: accounts, more: more)
        context = ServiceContext(
            store: store, liveState: liveState, features: list.features, limits: SendingLimits(),
            webAddress: { ServiceContext.defaultWebAddress }, now: now)
        methods = Self.methods(of: list, context)
    }

    /// Creates the features of a daemon.
    init(_ store: LocationDatabase, _ pipeline: LivePipeline, _ configuration: DaemonConfiguration) {
        self.init(store: store, liveState: pipeline)
    }
    #endif

    private static func methods(of list: FeatureList, _ context: ServiceContext) -> [Method<Principal>] {
        let all = list.features.reduce(into: []) { methods, feature in methods += feature.methods(context, methods) }
        #if Companion
        return all
        #else
        // Nobody signs in to the engine.
        return all.filter { $0.right != .person }
        #endif
    }

    /// Returns the method `events.list` for a store without subscribers.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    public func pastEvents() async throws -> [Method<Principal>] {
        let visibility = EventVisibility(context.store)
        visibility.configure(context.subjects, context.editor)
        let hub = try await EventHub(
            journal: StoreJournal(store: context.store), visibility: visibility.allows,
            discretion: visibility.shown)
        let kinds = list.geofences.map(\.kind.rawValue).sorted()
        return hub.methods(kinds: kinds, translate: { ($0 as? StoreError)?.refusal }).filter {
            $0.name == "events.list"
        }
    }

    /// The log consumers of all features.
    public var consumers: [any LogConsumer] { list.features.flatMap { $0.consumers(context) } }

    /// The file routes of all features.
    public var files: [FileRoute] { list.features.flatMap { $0.files(context) } }

    /// Resumes the sessions of people whose connections last no longer than a call; `nil` if no feature has sessions.
    public var sessions: SessionResumption? { list.features.compactMap(\.sessions).first?(context) }

    /// The timed work of all features.
    public var timers: [any TimedWork] { list.features.flatMap { $0.timers(context) } }
}

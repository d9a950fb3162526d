public import Accounts
import Community
public import EventStream
import Gazetteer
import Journeys
public import Media
import Notifications
import Places
import Plans
public import Positioning
import Posts
public import RPC
public import Service
public import Store
import Tracking
import Votes

/// What people can do with a store: the one list of features.
public struct Features: Sendable {
    /// What all features work with.
    public let context: ServiceContext
    /// What the methods about people share.
    public let accounts: Accounts
    /// The files of photos and uploads.
    public let media: Media
    /// The command that is given each notification; nil for none.
    public let notificationHook: String?
    private let list: [Feature]

    /// The features over a store, and further ones.
    public init(
        store: LocationDatabase, present: any Present, accounts: Accounts = Accounts(), media: Media? = nil,
        notificationHook: String? = nil, limits: SendingLimits = SendingLimits(), more: [Feature] = [],
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
    ) {
        let media = media ?? Media(of: store, now: now)
        self.accounts = accounts
        self.media = media
        self.notificationHook = notificationHook
        list =
            [
                accounts.feature, GazetteerFeature.feature, PlacesFeature.feature, JourneysFeature.feature,
                CommunityFeature.feature, media.feature, PlansFeature.feature(media), VotesFeature.feature(accounts),
                PostsFeature.feature(accounts),
            ] + more + [NotificationsFeature.feature]
        context = ServiceContext(store: store, present: present, features: list, limits: limits, now: now)
    }

    /// The steps that the features add to the schema of a store, in the order of the ledger.
    public static let migrations =
        (ServiceSchema.migrations + Accounts.migrations + GazetteerFeature.feature.migrations + Media.migrations
        + PlacesFeature.feature.migrations
        + CommunityFeature.feature.migrations + PlansFeature.migrations
        + VotesFeature.migrations + PostsFeature.migrations + NotificationsFeature.feature.migrations).sorted {
            $0.place < $1.place
        }

    /// What the features have watched.
    public static let geofences: [any GeofenceSource] =
        PlacesFeature.feature.geofences + PlansFeature.geofences + VotesFeature.geofences

    /// The methods of all features.
    public var methods: [Method<Principal>] {
        list.reduce(into: []) { methods, feature in methods += feature.methods(context, methods) }
    }

    /// The method `events.list` over the store itself, which nobody follows.
    ///
    /// - Throws: `StoreError` where the store cannot be read.
    public func pastEvents() async throws -> [Method<Principal>] {
        let visibility = EventVisibility(context.store)
        visibility.learn(from: context)
        let hub = try await EventHub(journal: StoreJournal(store: context.store), visibility: visibility.allows)
        let kinds = Self.geofences.map(\.kind.rawValue).sorted()
        return hub.methods(kinds: kinds).filter { $0.name == "events.list" }
    }

    /// Those of all features that work through the event log.
    public var consumers: [any LogConsumer] { list.flatMap { $0.consumers(context) } }

    /// The files of all features.
    public var files: [FileRoute] { list.flatMap { $0.files(context) } }

    /// How people are known again where a connection lasts no longer than a call.
    public var sessions: SessionKeeping? { list.compactMap(\.sessions).first?(context) }

    /// Those of all features that work at a time.
    public var timers: [any TimedWork] { list.flatMap { $0.timers(context) } }
}

import Foundation
public import Positioning
public import Store
public import Tracking

/// What the methods and log consumers of all features work with; made once for a store.
public struct ServiceContext: Sendable {
    /// The store.
    public let store: LocationDatabase
    /// What the daemon knows at this moment.
    public let present: any Present
    /// Through which everything is changed.
    public let editor: Editor
    /// What people can react to.
    public let subjects: Subjects
    /// What is watched, by kind.
    public let geofences: [Geofence.Kind: any GeofenceSource]
    /// What people find by name where the gazetteer knows none.
    public let places: [any FoundPlaceSource]
    /// The kinds of notifications that people choose among, each once.
    public let notifications: [NotificationDraft.Kind]
    /// How much one person may send to others.
    public let limits: SendingLimits
    /// The system's time, by which what people do is stamped.
    public let now: @Sendable () -> Timestamp

    /// What the methods of some features over a store work with.
    public init(
        store: LocationDatabase, present: any Present, features: [Feature], limits: SendingLimits = SendingLimits(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.present = present
        self.now = now
        self.limits = limits
        editor = Editor(
            store: store, present: present, hooks: features.compactMap(\.commitHook),
            notify: features.compactMap(\.notify).first, withdraw: features.compactMap(\.withdraw).first,
            geofences: features.flatMap(\.geofences))
        subjects = Subjects(features.flatMap(\.subjects))
        places = features.flatMap(\.places)
        notifications = features.flatMap(\.notifications)
        geofences = Dictionary(uniqueKeysWithValues: features.flatMap(\.geofences).map { ($0.kind, $0) })
    }
}

extension Timestamp {
    /// What the system's clock says, to the millisecond.
    public static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}

import Foundation
public import Store
public import Time
public import Tracking

/// The dependencies shared by the methods, log consumers and timers of all features.
///
/// There is one context for each store.
public struct ServiceContext: Sendable {
    /// The store that all features read.
    public let store: LocationDatabase
    /// The daemon's live state.
    public let liveState: any LiveState
    /// The editor that makes every change to what people see.
    public let editor: Editor
    /// The subjects that people can react to.
    public let subjects: Subjects
    /// The kinds of subjects that people join with an invitation, by their names.
    public let joinable: [String: any JoinableKind]
    /// The sources of geofences, by the kind of geofence.
    public let geofences: [Geofence.Kind: any GeofenceSource]
    /// The sources of places that people can find by name and that are missing from the gazetteer.
    public let places: [any FoundPlaceSource]
    /// The kinds of notifications that people can mute, each once.
    public let notifications: [NotificationDraft.Kind]
    /// The limits on what one person may send to others.
    public let limits: SendingLimits
    /// Returns the address of the web server, such as `http://van.local:8470`, as far as it is known.
    public let webAddress: @Sendable () -> String
    /// Returns the system's time, which is used to date what people do.
    public let now: @Sendable () -> Timestamp

    /// Creates the context of `features` over a store.
    ///
    /// Two features must not have the same kind of geofence, of subject, or of subject to join.
    public init(
        store: LocationDatabase, liveState: any LiveState, features: [Feature], limits: SendingLimits = SendingLimits(),
        webAddress: @escaping @Sendable () -> String = { defaultWebAddress },
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.liveState = liveState
        self.now = now
        self.webAddress = webAddress
        self.limits = limits
        subjects = Subjects(features.flatMap(\.subjects))
        joinable = Dictionary(uniqueKeysWithValues: features.flatMap(\.joinable).map { ($0.name, $0) })
        editor = Editor(store: store, liveState: liveState, features: features, subjects: subjects)
        places = features.flatMap(\.places)
        notifications = features.flatMap(\.notifications)
        geofences = Dictionary(uniqueKeysWithValues: features.flatMap(\.geofences).map { ($0.kind, $0) })
    }
}

extension ServiceContext {
    /// The address of a web server on this machine at the usual port.
    public static let defaultWebAddress = "http://127.0.0.1:8470"
}

extension Timestamp {
    /// Returns the time of the system's clock, rounded to a millisecond.
    public static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}

public import Callers
import Deadlines
public import RPC
import Schemas
public import Service
import Store
import Synchronization

/// Notifications in browsers by web push, without an account anywhere: what its methods and its sender share.
///
/// The browser's maker runs the push service that keeps a message until the browser fetches it. What is sent is
/// encrypted for the browser (RFC 8291), and signed with a key of this store (RFC 8292).
public struct WebPush: Sendable {
    /// The administrator's settings.
    public let settings: PushSettings
    let faults = PushFaults()

    /// Creates what is shared.
    public init(_ settings: PushSettings = PushSettings()) { self.settings = settings }

    /// The feature: its tables, and the methods `push.…`.
    public var feature: Feature {
        var feature = Feature { context, _ in PushMethods(context, self).all }
        feature.migrations = WebPushSchema.migrations
        return feature
    }

    /// Returns what sends new notifications to browsers; `nil` if the settings say that none are sent.
    ///
    /// - Parameter methods: The methods of all features, of which it calls `notifications.get`.
    /// - Throws: `StoreError`.
    public func sender(_ context: ServiceContext, methods: [Method<Principal>]) throws -> PushSender? {
        settings.reach == .off ? nil : try PushSender(self, context, methods: methods, clock: .deadlines)
    }
}

/// Why the last message did not reach each browser.
final class PushFaults: Sendable {
    private let faults = Mutex<[Int64: String]>([:])
    /// The most faults that are kept; beyond it all are forgotten.
    private static let maximumCount = 10_000

    /// Why the last message did not reach a browser; `nil` if it did.
    subscript(browser: Int64) -> String? {
        get { faults.withLock { $0[browser] } }
        set {
            faults.withLock { faults in
                if faults.count >= Self.maximumCount { faults = [:] }
                faults[browser] = newValue
            }
        }
    }
}

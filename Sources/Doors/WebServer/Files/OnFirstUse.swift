import Synchronization

/// A value that is made when it is first used, and then kept.
final class OnFirstUse<Value: Sendable>: Sendable {
    private let known = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// The value if it was used before; otherwise `nil`.
    var made: Value? { known.withLock { $0 } }

    /// The value.
    ///
    /// Two simultaneous first uses both make it.
    var value: Value {
        if let made { return made }
        let made = make()
        known.withLock { $0 = made }
        return made
    }
}

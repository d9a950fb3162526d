import Synchronization

/// Does something twenty times a second, until it is ended or goes.
///
/// It is the clock of a receiver, which speaks whether anybody hears it or not; nobody waits for it.
final class Beat: Sendable {
    private let task: Task<Void, Never>

    private static let pause = Duration.milliseconds(50)

    init(_ action: @escaping @Sendable () -> Void) {
        task = Task {
            while !Task.isCancelled {
                action()
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    deinit { task.cancel() }

    /// Ends it; nothing is done after this returns.
    func end() async {
        task.cancel()
        await task.value
    }
}

/// A receiver that walks, and sends an epoch twenty times a second, which is a second of the walk.
final class LiveReceiver: Sendable {
    private let state = Mutex(State())
    private let beat = Mutex<Beat?>(nil)

    private struct State {
        var walk = Walk()
        var send: (@Sendable ([UInt8]) -> Void)?
    }

    /// Begins to send.
    init(_ walk: Walk = Walk(), send: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0 = State(walk: walk, send: send) }
        let beat = Beat { [weak self] in self?.sendNext() }
        self.beat.withLock { $0 = beat }
    }

    /// Sends nothing from now on.
    func fallSilent() { state.withLock { $0.send = nil } }

    /// Sends again, perhaps elsewhere.
    func speak(_ send: @escaping @Sendable ([UInt8]) -> Void) { state.withLock { $0.send = send } }

    /// The time of the next fix: no earlier one is sent from now on.
    var time: String { state.withLock { $0.walk.time } }

    private func sendNext() {
        state.withLock { state in
            guard let send = state.send else { return }
            send(state.walk.next())
        }
    }
}

import Synchronization

/// Runs an action twenty times a second until it is ended or released.
///
/// It is the clock of a receiver, which sends whether anyone reads or not.
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

    /// Ends the beat; the action does not run after this returns.
    func end() async {
        task.cancel()
        await task.value
    }
}

/// A moving receiver that sends an epoch twenty times a second, each a second of its walk.
final class LiveReceiver: Sendable {
    private let state = Mutex(State())
    private let beat = Mutex<Beat?>(nil)

    private struct State {
        var walk = Walk()
        var send: (@Sendable ([UInt8]) -> Void)?
    }

    /// Starts to send.
    init(_ walk: Walk = Walk(), send: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0 = State(walk: walk, send: send) }
        let beat = Beat { [weak self] in self?.sendNext() }
        self.beat.withLock { $0 = beat }
    }

    /// Stops sending.
    func fallSilent() { state.withLock { $0.send = nil } }

    /// Sends again, perhaps to another place.
    func speak(_ send: @escaping @Sendable ([UInt8]) -> Void) { state.withLock { $0.send = send } }

    /// The time of the next fix; from now on no earlier fix is sent.
    var time: String { state.withLock { $0.walk.time } }

    private func sendNext() {
        state.withLock { state in
            guard let send = state.send else { return }
            send(state.walk.next())
        }
    }
}

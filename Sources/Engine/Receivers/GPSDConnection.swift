import GPSDClient
import Positioning
import Synchronization

/// One connection to gpsd.
final class GPSDConnection: Sendable {
    private let address: GPSDAddress
    private let idle: Duration
    private let timing: Timing
    private let state: Mutex<State>

    private struct State {
        var lastReport: ContinuousClock.Instant
        var isDelivering = false
        var wasOpened = false
    }

    /// Creates a connection that ends after a silence of `idle`.
    init(_ address: GPSDAddress, idle: Duration, timing: Timing) {
        self.address = address
        self.idle = idle
        self.timing = timing
        state = Mutex(State(lastReport: timing.now()))
    }

    /// Reads the connection until it ends.
    func run(_ listener: @escaping Listener) async -> ConnectionEnd {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let (ending, isSilent) = await withTaskGroup(of: (ConnectionEnd, isSilent: Bool).self) { group in
            group.addTask { (await self.readReports(listener) { stop.yield() }, false) }
            group.addTask { (.after("silent"), await self.waitForSilence()) }
            group.addTask {
                _ = await stops.first { _ in true }
                return (.after("stopped"), false)
            }
            defer { group.cancelAll() }
            return await group.next() ?? (.after("stopped"), false)
        }
        // This comes after the call for the last report, so that the listener is never called concurrently.
        if isSilent { _ = await listener([.silence]).demand }
        return ending
    }

    private func readReports(_ listener: Listener, stop: @Sendable () -> Void) async -> ConnectionEnd {
        do throws(GPSDError) {
            try await GPSDSession.run(address) { reports in
                let inputs = self.inputs(reports)
                state.withLock {
                    $0.isDelivering = true
                    $0.wasOpened = true
                }
                if !inputs.isEmpty, !Task.isCancelled, case .stop = await listener(inputs).demand { stop() }
                let now = timing.now()
                state.withLock {
                    $0.isDelivering = false
                    $0.lastReport = now
                }
            }
            return .after("it closed the connection")
        } catch {
            return ConnectionEnd(reason: error.description, wasOpened: state.withLock { $0.wasOpened })
        }
    }

    /// Returns `true` once nothing was reported for the idle time, or `false` if the task is cancelled.
    ///
    /// A slow listener does not count as silence.
    private func waitForSilence() async -> Bool {
        while true {
            let (last, isDelivering) = state.withLock { ($0.lastReport, $0.isDelivering) }
            let left = isDelivering ? idle : last + idle - timing.now()
            guard left > .zero else { return true }
            do { try await timing.sleep(left) } catch { return false }
        }
    }

    /// Converts reports, and joins consecutive fixes of one receiver.
    func inputs(_ reports: [GPSDReport]) -> [ReceiverInput] {
        var inputs: [ReceiverInput] = []
        for report in reports {
            switch report {
            // gpsd has opened an activated receiver, which may still be silent. It is online once it sends a report.
            case .version: inputs.append(.opened)
            case .activated: break
            case .devices(let paths): if address.device == nil { inputs.append(.listing(paths)) }
            case .deactivated(let path): inputs.append(.closed(path))
            case .fix(let fix, let path):
                let path = self.path(path)
                if case .validData(let fixes, path)? = inputs.last {
                    inputs[inputs.count - 1] = .validData(fixes + [fix], from: path)
                } else {
                    inputs.append(.validData([fix], from: path))
                }
            case .alive(let path): inputs.append(.validData([], from: self.path(path)))
            case .skipped(let reason, let path):
                inputs.append(.skipped(reason))
                if !path.isEmpty { inputs.append(.validData([], from: self.path(path))) }
            case .complaint: inputs.append(.skipped("complaint"))
            }
        }
        return inputs
    }

    /// Returns the path that distinguishes receivers, or `nil` if the address names one or gpsd does not say.
    private func path(_ path: String) -> String? { address.device != nil || path.isEmpty ? nil : path }
}

extension ReceiverInput {
    /// Returns the input for one skipped item.
    fileprivate static func skipped(_ reason: String) -> ReceiverInput {
        var tally = Tally()
        tally.count(reason)
        return .skipped(tally)
    }
}

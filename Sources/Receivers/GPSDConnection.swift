import GPSDClient
import Positioning
import Synchronization

/// One connection to a gpsd.
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

    /// A connection that is given up after such a silence.
    init(_ address: GPSDAddress, idle: Duration, timing: Timing) {
        self.address = address
        self.idle = idle
        self.timing = timing
        state = Mutex(State(lastReport: timing.now()))
    }

    /// Hears the connection to its end.
    func run(_ listener: @escaping Listener) async -> Ending {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let (ending, isSilent) = await withTaskGroup(of: (Ending, isSilent: Bool).self) { group in
            group.addTask { (await self.hear(listener) { stop.yield() }, false) }
            group.addTask { (.after("silent"), await self.waitForSilence()) }
            group.addTask {
                _ = await stops.first { _ in true }
                return (.after("stopped"), false)
            }
            defer { group.cancelAll() }
            return await group.next() ?? (.after("stopped"), false)
        }
        // Told after the last report is, so that the listener is called once at a time.
        if isSilent { _ = await listener([.silence]).demand }
        return ending
    }

    private func hear(_ listener: Listener, stop: @Sendable () -> Void) async -> Ending {
        do throws(GPSDError) {
            try await GPSDSession.run(address) { reports in
                let hearings = self.hearings(reports)
                state.withLock {
                    $0.isDelivering = true
                    $0.wasOpened = true
                }
                if !hearings.isEmpty, !Task.isCancelled, case .stop = await listener(hearings).demand { stop() }
                let now = timing.now()
                state.withLock {
                    $0.isDelivering = false
                    $0.lastReport = now
                }
            }
            return .after("it ended the connection")
        } catch {
            return Ending(reason: error.description, wasOpened: state.withLock { $0.wasOpened })
        }
    }

    /// Returns once nothing was reported for the idle time, or the task is cancelled; a listener that is slow is no
    /// silence.
    private func waitForSilence() async -> Bool {
        while true {
            let (last, isDelivering) = state.withLock { ($0.lastReport, $0.isDelivering) }
            let left = isDelivering ? idle : last + idle - timing.now()
            guard left > .zero else { return true }
            do { try await timing.sleep(left) } catch { return false }
        }
    }

    /// What reports mean, fixes that follow each other joined.
    func hearings(_ reports: [GPSDReport]) -> [Hearing] {
        var hearings: [Hearing] = []
        for report in reports {
            switch report {
            // An activated receiver was opened and may be silent all the same: it is online once it speaks.
            case .version: hearings.append(.opened)
            case .activated: break
            case .devices(let paths): if address.device == nil { hearings.append(.listing(paths)) }
            case .deactivated(let path): hearings.append(.closed(path))
            case .fix(let fix, let path):
                let path = self.path(path)
                if case .sense(let fixes, path)? = hearings.last {
                    hearings[hearings.count - 1] = .sense(fixes + [fix], from: path)
                } else {
                    hearings.append(.sense([fix], from: path))
                }
            case .alive(let path): hearings.append(.sense([], from: self.path(path)))
            case .skipped(let reason, let path):
                hearings.append(.skipped(reason))
                if !path.isEmpty { hearings.append(.sense([], from: self.path(path))) }
            case .complaint: hearings.append(.skipped("complaint"))
            }
        }
        return hearings
    }

    /// The path that tells receivers apart; none where the address names one, or gpsd does not say it.
    private func path(_ path: String) -> String? { address.device != nil || path.isEmpty ? nil : path }
}

extension Hearing {
    /// One thing was skipped for this reason.
    fileprivate static func skipped(_ reason: String) -> Hearing {
        var tally = Tally()
        tally.count(reason)
        return .skipped(tally)
    }
}

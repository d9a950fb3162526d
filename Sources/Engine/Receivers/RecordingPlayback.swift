import Positioning

/// Replays a recording as if it were a receiver.
struct RecordingPlayback: Sendable {
    let device: String
    let path: String
    /// The multiple of real time; `nil` for as fast as possible.
    let speed: Double?
    let timing: Timing

    /// Replays the recording until it ends or the task is cancelled.
    func run(_ deliver: @Sendable ([ReceiverReport]) async -> Void) async {
        let reader = RecordingReader(path: path)
        var pace = speed.map { Pace(speed: $0) }
        var isOnline = false
        var reason = "end of file"
        reading: while let result = await reader.next() {
            switch result {
            case .success(let fixes):
                guard !fixes.isEmpty else { break reading }
                if !isOnline { await deliver([.online(device: device)]) }
                isOnline = true
                guard await play(fixes, &pace, deliver) else { return }
            case .failure(let error):
                reason = "\(path): \(error)"
                break reading
            }
        }
        guard !Task.isCancelled else { return }
        var reports: [ReceiverReport] = []
        let malformed = reader.malformed
        if !malformed.isEmpty { reports.append(.skipped(malformed)) }
        if isOnline { reports.append(.ended(device: device)) }
        await deliver(reports + [.offline(device: device, reason: reason)])
    }

    /// Delivers each fix when it is due, and fixes that are due at the same time together.
    ///
    /// - Returns: `false` if the task was cancelled.
    private func play(
        _ fixes: [Fix], _ pace: inout Pace?, _ deliver: @Sendable ([ReceiverReport]) async -> Void
    ) async -> Bool {
        var due: [Fix] = []
        for fix in fixes {
            if let delay = pace?.delay(until: fix, at: timing.now()) {
                if !due.isEmpty { await deliver([.fixes(due, device: device)]) }
                due.removeAll(keepingCapacity: true)
                do { try await timing.sleep(delay) } catch { return false }
            }
            due.append(fix)
        }
        if !due.isEmpty { await deliver([.fixes(due, device: device)]) }
        return !Task.isCancelled
    }
}

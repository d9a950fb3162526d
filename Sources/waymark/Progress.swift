import Daemon
import Foundation
import Positioning

/// How far a long replay has come, on one line of a terminal's standard error.
final class Progress {
    private let isShown: Bool
    private var isVisible = false
    private var next = ContinuousClock.now + .seconds(1)

    init(isShown: Bool) { self.isShown = isShown }

    /// Shows it, if the work is long and the line not just shown.
    func show(_ progress: Replay.Progress) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(250)
        isVisible = true
        let time = progress.time.map { ", \($0.description.prefix(16))" } ?? ""
        write("\r\u{1B}[K\(EventLines.printable(progress.file)): \(progress.fixes) fixes\(time)")
    }

    /// Takes the line away before something else is printed.
    func clear() {
        guard isVisible else { return }
        isVisible = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

import Daemon
import Foundation
import Positioning

/// How far long work has come, on one line of a terminal's standard error.
final class Progress {
    private let isShown: Bool
    private var isVisible = false
    private var next = ContinuousClock.now + .seconds(1)

    /// - Parameter isShown: nowhere else than at a terminal, where it would be but in the way.
    init(isShown: Bool = Paint.standardErrorIsTerminal) { self.isShown = isShown }

    /// Shows a line, if the work is long and none was just shown.
    func show(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(250)
        isVisible = true
        write("\r\u{1B}[K\(EventLines.cut(EventLines.printable(text()), to: 79))")
    }

    /// Shows how far a replay has come.
    func show(_ progress: Replay.Progress) {
        let time = progress.time.map { ", \(WallClock.local.minute($0))" } ?? ""
        show("\(progress.file): \(progress.fixes) fixes\(time)")
    }

    /// Takes the line away before something else is printed.
    func clear() {
        guard isVisible else { return }
        isVisible = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

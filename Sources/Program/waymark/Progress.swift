import Daemon
import Foundation
import Time

/// A line on a terminal's standard error that shows the progress of long work.
final class Progress {
    private let isShown: Bool
    private var isVisible = false
    private var next = ContinuousClock.now + .seconds(1)

    /// Creates a line that is not shown yet.
    ///
    /// - Parameter isShown: Whether to show it at all; by default only at a terminal.
    init(isShown: Bool = Paint.standardErrorIsTerminal) { self.isShown = isShown }

    /// Shows a line, but none in the first second and then at most one every 250 ms.
    func show(_ text: @autoclosure () -> String) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(250)
        isVisible = true
        write("\r\u{1B}[K\(EventFormatter.cut(EventFormatter.printable(text()), to: 79))")
    }

    /// Shows the progress of a replay.
    func show(_ progress: Replay.Progress) {
        let time = progress.time.map { ", \(DisplayClock.local.minute($0))" } ?? ""
        show("\(progress.file): \(progress.fixes) fixes\(time)")
    }

    /// Removes the line before something else is printed.
    func clear() {
        guard isVisible else { return }
        isVisible = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

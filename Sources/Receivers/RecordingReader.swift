import NIOPosix
import Positioning
import Synchronization

/// Reads a recording on a thread of its own, so that a pipe with nothing to say keeps nobody else waiting.
final class RecordingReader: Sendable {
    private let path: String
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let recording = Mutex<Recording?>(nil)

    /// A reader of this file, which is opened with the first ``next()``.
    init(path: String) {
        self.path = path
        thread.start()
    }

    /// The next fixes; none at the end, nil where the task is cancelled.
    ///
    /// A pipe that keeps the thread waiting then is left with it until it says something, or the program ends.
    func next() async -> Result<[Fix], RecordingError>? {
        await unlessCancelled { [self] in
            let result = try? await thread.runIfActive { self.read() }
            return result ?? .success([])
        }
    }

    /// What was skipped so far, by reason.
    var malformed: Tally { recording.withLock { $0?.malformed ?? Tally() } }

    private func read() -> Result<[Fix], RecordingError> {
        recording.withLock { recording in
            do throws(RecordingError) {
                if recording == nil { recording = try Recording(path: path) }
                return .success(try recording?.next() ?? [])
            } catch {
                return .failure(error)
            }
        }
    }

    deinit { thread.shutdownGracefully { _ in } }
}

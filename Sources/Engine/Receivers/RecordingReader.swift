import NIOPosix
import Positioning
import Synchronization

/// Reads a recording on a separate thread, so that an idle pipe does not block anything else.
final class RecordingReader: Sendable {
    private let path: String
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let recording = Mutex<TidyRecording?>(nil)

    /// Creates a reader of a file, which the first ``next()`` opens.
    init(path: String) {
        self.path = path
        thread.start()
    }

    /// Returns the next fixes.
    ///
    /// The array is empty at the end; the result is `nil` if the task is cancelled.
    ///
    /// After cancellation, a blocked read keeps its thread until the pipe delivers something or the program ends.
    func next() async -> Result<[Fix], RecordingError>? {
        await unlessCancelled { [self] in
            let result = try? await thread.runIfActive { self.read() }
            return result ?? .success([])
        }
    }

    /// The counts of input skipped and of fixes left out so far, by reason.
    var malformed: Tally {
        recording.withLock { recording in
            var tally = recording?.malformed ?? Tally()
            if let dropped = recording?.dropped { tally.add(dropped) }
            return tally
        }
    }

    private func read() -> Result<[Fix], RecordingError> {
        recording.withLock { recording in
            do throws(RecordingError) {
                if recording == nil { recording = try TidyRecording(path: path) }
                return .success(try recording?.next() ?? [])
            } catch {
                return .failure(error)
            }
        }
    }

    deinit { thread.shutdownGracefully { _ in } }
}

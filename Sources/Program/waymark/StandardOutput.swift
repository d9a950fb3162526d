import Foundation
import Synchronization

/// Standard output, which is written in large pieces and reports a piece that cannot be written.
final class StandardOutput: Sendable {
    /// The error that standard output could not be written, because it is full or closed.
    struct Failure: Error {
        let cause: any Error

        /// Whether the reader has closed the pipe (EPIPE).
        var isBrokenPipe: Bool {
            let error = (cause as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            return error?.domain == NSPOSIXErrorDomain && error?.code == Int(EPIPE)
        }
    }

    private let waiting = Mutex<[UInt8]>([])
    private static let pieceLength = 64 * 1024

    /// Appends a line of bytes without control characters, such as JSON.
    func line(_ text: some Sequence<UInt8>) throws(Failure) {
        try waiting.withLock { (bytes) throws(Failure) in
            bytes.append(contentsOf: text)
            bytes.append(0x0A)
            if bytes.count >= Self.pieceLength { try Self.write(&bytes) }
        }
    }

    /// Appends a line for people.
    ///
    /// The only control characters that reach a terminal are those of our own colours. A line wider than the terminal
    /// is broken at blanks; a pipe gets it whole.
    ///
    /// - Parameter hanging: The column at which a broken line continues; `nil` is the column of its first word.
    func line(_ text: String, hanging: Int? = nil) throws(Failure) {
        let text = Paint.standardOutput.harmless(text)
        let indent = hanging ?? text.prefix { $0 == " " }.count
        for part in WrappedText.lines(of: text, width: Self.terminalWidth, hanging: indent) { try line(part.utf8) }
    }

    /// Appends bytes unchanged, such as those of a file.
    func raw(_ more: [UInt8]) throws(Failure) {
        try waiting.withLock { (bytes) throws(Failure) in
            bytes.append(contentsOf: more)
            if bytes.count >= Self.pieceLength { try Self.write(&bytes) }
        }
    }

    /// Writes the bytes that are waiting.
    func flush() throws(Failure) { try waiting.withLock { (bytes) throws(Failure) in try Self.write(&bytes) } }

    private static func write(_ bytes: inout [UInt8]) throws(Failure) {
        guard !bytes.isEmpty else { return }
        defer { bytes.removeAll(keepingCapacity: true) }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            throw Failure(cause: error)
        }
    }
}

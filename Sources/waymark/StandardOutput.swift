import Foundation
import Synchronization

/// Standard output, written in large pieces; a piece that cannot be written is an error.
final class StandardOutput: Sendable {
    /// Why standard output could not be written: it is full, or closed.
    struct Failure: Error {
        let cause: any Error

        /// Whether nobody reads any more (EPIPE).
        var isBrokenPipe: Bool {
            let error = (cause as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            return error?.domain == NSPOSIXErrorDomain && error?.code == Int(EPIPE)
        }
    }

    private let waiting = Mutex<[UInt8]>([])
    private static let pieceLength = 64 * 1024

    /// Adds a line of bytes that hold no control character, such as JSON.
    func line(_ text: some Sequence<UInt8>) throws(Failure) {
        try waiting.withLock { (bytes) throws(Failure) in
            bytes.append(contentsOf: text)
            bytes.append(0x0A)
            if bytes.count >= Self.pieceLength { try Self.write(&bytes) }
        }
    }

    /// Adds a line for people: whatever the text holds, of control characters only our own colours reach a terminal.
    ///
    /// What is wider than the terminal is broken at blanks; a pipe gets it whole.
    ///
    /// - Parameter hanging: the column below which it goes on after a break; nil is that of its first word.
    func line(_ text: String, hanging: Int? = nil) throws(Failure) {
        let text = Paint.standardOutput.harmless(text)
        let indent = hanging ?? text.prefix { $0 == " " }.count
        for part in WrappedText.lines(of: text, width: Self.terminalWidth, hanging: indent) { try line(part.utf8) }
    }

    /// Adds bytes as they are, such as a file.
    func raw(_ more: [UInt8]) throws(Failure) {
        try waiting.withLock { (bytes) throws(Failure) in
            bytes.append(contentsOf: more)
            if bytes.count >= Self.pieceLength { try Self.write(&bytes) }
        }
    }

    /// Hands over what is there.
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

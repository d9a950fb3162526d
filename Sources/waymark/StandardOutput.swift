import Foundation

/// Standard output, written in large pieces.
struct StandardOutput: ~Copyable {
    private var bytes: [UInt8] = []
    private static let pieceLength = 64 * 1024

    init() {}

    /// Adds a line.
    mutating func line(_ text: some Sequence<UInt8>) {
        bytes.append(contentsOf: text)
        bytes.append(0x0A)
        if bytes.count >= Self.pieceLength { flush() }
    }

    /// Adds a line.
    mutating func line(_ text: String) { line(text.utf8) }

    /// Adds bytes as they are.
    mutating func raw(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
        if bytes.count >= Self.pieceLength { flush() }
    }

    /// Hands over what is there.
    mutating func flush() {
        guard !bytes.isEmpty else { return }
        FileHandle.standardOutput.write(Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }

    deinit {
        if !bytes.isEmpty { FileHandle.standardOutput.write(Data(bytes)) }
    }
}

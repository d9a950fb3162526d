import Daemon
import Positioning
import Receivers

/// The lines of standard input; a line longer than any position is cut.
struct PositionLines {
    private let input: FileBytes
    private var bytes: ArraySlice<UInt8> = []
    private var isEnded = false
    private var number = 0
    /// The length in bytes above which a line is cut; two numbers with all their digits fit many times.
    private static let longest = 1000

    init() throws(FileFailure) {
        do throws(RecordingError) {
            input = try FileBytes(path: "-")
        } catch {
            throw FileFailure(file: "-", error: error)
        }
    }

    /// Whether reading the next line must wait for input.
    var isEmptied: Bool { !bytes.contains(0x0A) }

    /// Returns the next line without its line end, with its number; `nil` at the end of the input.
    mutating func next() throws(FileFailure) -> (number: Int, line: String)? {
        do throws(RecordingError) {
            while !isEnded, !bytes.contains(0x0A), bytes.count <= Self.longest {
                guard let piece = try input.next() else {
                    isEnded = true
                    break
                }
                bytes = ArraySlice(Array(bytes) + piece)
            }
        } catch {
            throw FileFailure(file: "-", error: error)
        }
        guard !bytes.isEmpty else { return nil }
        number += 1
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
        let line = String(decoding: bytes[..<end].prefix(Self.longest + 1), as: UTF8.self)
        bytes = end < bytes.endIndex ? bytes[(end + 1)...] : []
        return (number, line.hasSuffix("\r") ? String(line.dropLast()) : line)
    }
}

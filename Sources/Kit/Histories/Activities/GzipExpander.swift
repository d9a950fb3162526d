public import Positioning

/// Decompresses a gzip file in chunks, with all its members one after another (RFC 1952).
///
/// The checksum and the length of each member are checked at its end, when its bytes have been passed on: take nothing
/// for sound before ``finish()``. Zeros after the last member, as on tapes, are passed over.
///
/// The time is linear in the number of decompressed bytes, of which there may be at most 200 for each compressed one
/// beyond 32 MiB. The memory is bounded.
public struct GzipExpander {
    private let inflater = Inflater(.gzip)
    private let bound: ExpansionBound
    private enum Stage { case beginning, member, between, padding }
    private var stage = Stage.beginning
    private var compressed: Int64 = 0
    private var expanded: Int64 = 0

    /// Creates a decompressor at the beginning of a file.
    public init() { self.init(bound: ExpansionBound()) }

    init(bound: ExpansionBound) { self.bound = bound }

    /// Returns whether a file that begins with some bytes is gzip.
    public static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Decompresses bytes.
    ///
    /// - Parameter use: receives pieces of the decompressed bytes, of at most 64 KiB each.
    /// - Throws: `RecordingError` if the bytes are damaged or expand too much, and what `use` throws.
    public mutating func feed(
        _ bytes: Span<UInt8>, _ use: ([UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var rest = bytes
        var output: [UInt8] = []
        while !rest.isEmpty || !output.isEmpty {
            switch stage {
            case .padding:
                try skipPadding(rest)
                return
            case .between where rest.isEmpty: return
            case .between where rest[0] == 0:
                stage = .padding
                continue
            case .between: inflater.reset()
            case .beginning, .member: break
            }
            stage = .member
            output.removeAll(keepingCapacity: true)
            let step = try inflater.step(rest, into: &output)
            rest = rest.extracting(droppingFirst: step.used)
            compressed += Int64(step.used)
            expanded += Int64(output.count)
            guard bound.allows(expanded, from: compressed) else { throw ExpansionBound.error }
            if !output.isEmpty { try use(output) }
            if step.isAtEnd { stage = .between }
            if step.used == 0, output.isEmpty, !step.isAtEnd { return }
        }
    }

    /// Ends the file.
    ///
    /// - Throws: `RecordingError` if it is empty or cut off.
    public mutating func finish() throws(RecordingError) {
        switch stage {
        case .beginning: throw RecordingError("the gzip file is empty")
        case .member: throw RecordingError("the gzip file is cut off; get it again")
        case .between, .padding: break
        }
    }

    private func skipPadding(_ bytes: Span<UInt8>) throws(RecordingError) {
        for index in bytes.indices where bytes[index] != 0 {
            throw RecordingError("something that is not gzip follows the end of the gzip file")
        }
    }
}

import Positioning

@testable import GPX

/// All that a reader of GPX tells about a document.
struct Outcome: Equatable {
    var items: [GPXItem] = []
    var fixes: [Fix] = []
    var lines: [Int] = []
    var trackBeginnings: [Int] = []
    var malformed = Tally()
    var badPosition: GPXBadPosition?
    var creator: String?
    var failure: RecordingError?
    /// Whether the scanner read the document to its end.
    var isScanned = false

    /// Reads a document in blocks of a given size.
    ///
    /// - Parameters:
    ///   - product: what the reader produces.
    ///   - scans: whether the scanner reads what it can; otherwise libxml2 reads everything.
    init(_ bytes: [UInt8], _ product: GPXBuilder.Product, scans: Bool, blockSize: Int) {
        let reader = GPXDocumentReader(product, keepsLines: product == .fixes, scans: scans, blockSize: blockSize)
        do throws(RecordingError) {
            // The bytes come in pieces of another size than the blocks, and are taken after each piece.
            var at = 0
            while at < bytes.count {
                let end = min(bytes.count, at + 3 * blockSize / 2 + 1)
                defer { add(from: reader) }
                try reader.feed(bytes.span.extracting(at..<end))
                at = end
            }
            try reader.finish()
        } catch {
            failure = error
        }
        add(from: reader)
        malformed = reader.malformed
        badPosition = reader.badPosition
        creator = reader.creator
        isScanned = reader.isScanning && failure == nil
    }

    private mutating func add(from reader: GPXDocumentReader) {
        reader.moveItems(to: &items)
        reader.moveFixes(to: &fixes)
        lines += reader.drainLines()
        trackBeginnings += reader.drainTrackBeginnings()
    }

    /// Whether another outcome is the same, by whichever reader.
    func agrees(with other: Outcome) -> Bool {
        var one = self
        one.isScanned = other.isScanned
        return one == other
    }

    /// Returns the block sizes with which the scanner gives another outcome than libxml2.
    static func differences(_ bytes: [UInt8], blockSizes: [Int]) -> [(Outcome, Outcome)] {
        var found: [(Outcome, Outcome)] = []
        for blockSize in blockSizes {
            for product in [GPXBuilder.Product.items, .fixes] {
                let one = Outcome(bytes, product, scans: true, blockSize: blockSize)
                let other = Outcome(bytes, product, scans: false, blockSize: blockSize)
                if !one.agrees(with: other) { found.append((one, other)) }
            }
        }
        return found
    }
}

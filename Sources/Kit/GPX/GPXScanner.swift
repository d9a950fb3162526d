import Positioning
import TextCoding

/// Reads well-formed GPX in UTF-8 much faster than a general parser of XML, and leaves everything else to libxml2.
///
/// It understands what GPX documents consist of: an XML declaration, elements with names of ASCII, attributes,
/// namespaces, text, references to characters and to XML's own five entities, CDATA sections and comments. It judges
/// nothing: a block in which it finds anything else, valid or not, counts as unread. ``GPXDocumentReader`` then restores
/// the builder, and gives ``remains`` and that block to libxml2. That continues as if it had read the document from the
/// beginning, so every document gives the same items and the same error as with libxml2 alone.
///
/// The root element must begin within the first block.
struct GPXScanner {
    /// The builder that receives the elements.
    var builder: GPXBuilder
    /// The first position that could not be read.
    var badPosition: GPXBadPosition?

    /// What a parser needs in order to continue after the blocks that have been read.
    struct Remains {
        /// The tags of the open elements, the first with all that precedes it; none at the beginning of a document.
        ///
        /// If the root has ended, the tag that ends it follows.
        var tags: [(bytes: [UInt8], line: Int)]
        /// The last bytes of the last block, which belong to a tag, a text or a section that is not complete.
        var rest: [UInt8]
        /// The names that the document has used, in their order.
        var names: [[UInt8]]
        /// The line and column where the rest begins.
        var line: Int
        var column: Int
    }

    /// The most bytes up to the end of the root's tag.
    private static let maximumHead = 8192
    /// The most bytes of a text that is read without a copy.
    static let maximumPlainText = 1024
    /// The bytes behind a block: a `<`, at which each search ends, and zeros, so that whole words can be loaded.
    private static let padding: [UInt8] = [UInt8(ascii: "<")] + [UInt8](repeating: 0, count: 31)

    /// The tags of the open elements one after another, then the bytes that have not been read.
    private var buffer: [UInt8] = []
    /// A buffer whose memory is used for the next block.
    private var spare: [UInt8] = []
    /// The tags in the buffer: their ends, and the lines on which they begin.
    private var keptTags: [(end: Int, line: Int)] = []
    /// The end of the last of them.
    private var start = 0
    /// The end of the blocks that have been read.
    private var restEnd = 0
    /// The line and column at ``start``.
    private var line = 1
    private var column = 1
    var names = XMLNameTable()
    /// The number of names when the block began.
    private var nameCount = 0
    /// The guard of libxml2 behind the tag of the root.
    private var bounds = XMLBounds()

    struct OpenElement {
        /// The range of its tag in the buffer; the root's begins with all that precedes it.
        var tagStart = 0
        var tagEnd = 0
        /// The range of its name with the prefix.
        var nameStart = 0
        var nameLength = 0
        /// The number of namespaces in scope outside it, and the default one.
        var declarations = 0
        var namespace = XMLNameTable.none
        /// The line on which its tag begins, unless that is in the present block.
        var line = 1
    }

    struct Declaration {
        var prefix = XMLNameTable.none
        var namespace = XMLNameTable.none
    }

    /// The open elements, from the root on; the root stays there when it has ended.
    var open = InlineArray<32, OpenElement>(repeating: OpenElement())
    var depth = 0
    /// The declared prefixes in scope.
    var declarations = InlineArray<32, Declaration>(repeating: Declaration())
    var declarationCount = 0
    /// The namespace of names without a prefix.
    var namespace = XMLNameTable.none
    var rootNamespace = XMLNameTable.none
    var rootHasBegun = false
    var rootHasEnded = false
    var rootIsEmpty = false

    /// Whether a text of the block may contain more than it seems; see ``XMLBlockCheck/needsCare``.
    var needsCare = false
    private var isWide = false
    private var lineFeeds = 0
    /// The ranges of CDATA sections in the block.
    var sections: [Range<Int>] = []
    /// An index in the block, and the line there.
    private var counted = 0
    private var countedLine = 1

    /// Creates a scanner at the beginning of a document.
    init(_ builder: GPXBuilder) { self.builder = builder }

    /// Whether the document is complete, so that nothing is left for a parser.
    var isComplete: Bool { rootHasEnded && start == restEnd }

    /// What a parser must read before the next block, or before the one that could not be read.
    var remains: Remains {
        var tags: [(bytes: [UInt8], line: Int)] = []
        var begin = 0
        for tag in keptTags {
            tags.append((Array(buffer[begin..<tag.end]), tag.line))
            begin = tag.end
        }
        return Remains(
            tags: tags, rest: Array(buffer[start..<restEnd]), names: Array(names.added.prefix(nameCount)), line: line,
            column: column)
    }

    /// Reads a block.
    ///
    /// Returns `false` if it cannot. Then the scanner may only be asked for its ``remains``, which do not include the
    /// block, and the builder is that of the middle of the block.
    mutating func read(_ block: Span<UInt8>) -> Bool {
        // The bytes are valid during the call, which copies them.
        unsafe block.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
        buffer += Self.padding
        nameCount = names.added.count
        (counted, countedLine) = (start, line)
        sections.removeAll(keepingCapacity: true)
        let bytes = buffer
        let limit = bytes.count - Self.padding.count
        guard let stop = read(bytes.span, to: limit), keep(bytes.span, from: stop, to: limit) else { return false }
        return true
    }

    // MARK: A block

    enum Step {
        /// Something was read up to this index.
        case next(Int)
        /// The block ends within something.
        case incomplete
        /// There is something for libxml2.
        case unknown
    }

    /// Reads the buffer, and returns the index of what is not complete; `nil` if there is something for libxml2.
    private mutating func read(_ bytes: Span<UInt8>, to limit: Int) -> Int? {
        let check = XMLBlockCheck(bytes.extracting(first: limit), from: start)
        needsCare = check.needsCare
        lineFeeds = check.lineFeeds
        isWide = check.isWide
        if check.hasForbidden { return nil }
        if isWide, XMLBlockCheck.wholeCharacters(bytes.extracting(first: limit), from: start) == nil { return nil }
        var at = start
        if !rootHasBegun {
            guard let root = readProlog(bytes, to: limit), case .next(let next) = readTag(bytes, root, limit) else {
                return nil
            }
            guard next <= Self.maximumHead, bounds.refusal(of: bytes.extracting(first: next)) == nil else { return nil }
            at = next
        }
        reading: while true {
            let step =
                if depth == 0 {
                    readEpilog(bytes, at, limit)
                } else if bytes[at] == UInt8(ascii: "<") {
                    readMarkup(bytes, at, limit)
                } else {
                    readText(bytes, at, limit)
                }
            switch step {
            case .next(let next): at = next
            case .incomplete: break reading
            case .unknown: return nil
            }
        }
        // What the last block began must end in this one.
        return at == start && restEnd > start ? nil : at
    }

    /// Keeps what the next block needs.
    ///
    /// Returns `false` if the bytes that are not complete are too many for libxml2's guard.
    private mutating func keep(_ bytes: Span<UInt8>, from stop: Int, to limit: Int) -> Bool {
        let newLine = line + lineFeeds - bytes.lineFeeds(in: stop..<limit)
        var tags: [(end: Int, line: Int)] = []
        spare.removeAll(keepingCapacity: true)
        let root = open[0]
        for index in 0..<max(depth, 1) {
            let element = open[index]
            let begin = spare.count
            append(bytes.extracting(element.tagStart..<element.tagEnd))
            open[index].tagStart = begin
            open[index].tagEnd = spare.count
            open[index].nameStart = begin + element.nameStart - element.tagStart
            if element.tagStart >= start, index > 0 {
                open[index].line = newLine - bytes.lineFeeds(in: element.tagStart..<stop)
            }
            tags.append((spare.count, open[index].line))
        }
        if rootHasEnded, !rootIsEmpty {
            spare += "</".utf8
            append(bytes.extracting(root.nameStart..<root.nameStart + root.nameLength))
            spare += ">".utf8
            tags.append((spare.count, newLine))
        }
        let newStart = spare.count
        append(bytes.extracting(stop..<limit))
        var guarded = bounds
        guard guarded.refusal(of: spare.span.extracting(droppingFirst: open[0].tagEnd)) == nil else { return false }
        column = column(bytes, at: stop, isOnSameLine: newLine == line)
        line = newLine
        keptTags = tags
        swap(&buffer, &spare)
        (start, restEnd) = (newStart, buffer.count)
        return true
    }

    /// Appends bytes to the spare buffer.
    private mutating func append(_ bytes: Span<UInt8>) {
        // The bytes are valid during the call, which copies them.
        unsafe bytes.withUnsafeBufferPointer { unsafe spare.append(contentsOf: $0) }
    }

    // MARK: Lines

    /// Returns the line at an index of the block; the indices must not decrease.
    mutating func countLines(_ bytes: Span<UInt8>, to index: Int) -> Int {
        countedLine += bytes.lineFeeds(in: counted..<index)
        counted = index
        return countedLine
    }

    /// Returns the column at an index of the block, as libxml2 counts.
    ///
    /// It counts characters, but bytes in CDATA sections, and no byte-order mark.
    private func column(_ bytes: Span<UInt8>, at index: Int, isOnSameLine: Bool) -> Int {
        var begin = start
        if isOnSameLine {
            if begin == 0, Self.hasMark(bytes) { begin = 3 }
        } else {
            begin = index
            while begin > start, bytes[begin - 1] != 0x0A { begin -= 1 }
        }
        var count = isWide ? bytes.characters(in: begin..<index) : index - begin
        if isWide {
            for section in sections where section.upperBound > begin {
                let part = max(section.lowerBound, begin)..<section.upperBound
                count += part.count - bytes.characters(in: part)
            }
        }
        return (isOnSameLine ? column : 1) + count
    }

    static func hasMark(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }
}

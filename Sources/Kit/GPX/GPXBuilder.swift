import Geodesy
import Positioning
import TextCoding

/// Builds items from the elements of a GPX document, independently of the XML parser.
///
/// An element counts only at its place in the schema and in the namespace of the root element. Within the extensions of
/// a point, any namespace counts.
struct GPXBuilder {
    /// What the builder produces.
    enum Product {
        /// All items of the document.
        case items
        /// Only the track points, as fixes.
        case fixes
    }

    /// What is complete and has not been taken yet.
    private struct Output {
        /// The items, if the product is ``Product/items``.
        var items: [GPXItem] = []
        /// The fixes, if the product is ``Product/fixes``.
        var fixes: [Fix] = []
        /// The numbers of fixes before each track that has any.
        var trackBeginnings: [Int] = []
        /// The lines of the fixes, if they are kept.
        var lines: [Int] = []
    }

    private var output = Output()
    /// The number of skipped points and values, by reason.
    private(set) var malformed = Tally()

    /// A place in the tree of elements.
    private enum Place {
        case outside, root, metadata, track, segment, route, point(PointKind), pointExtensions, field(GPXField), foreign
    }

    private enum PointKind { case trackPoint, routePoint, waypoint }

    private let product: Product
    /// The place of the innermost open element.
    private var place = Place.outside
    /// The places of the elements around it, from the root on.
    private var path = InlineArray<256, Place>(repeating: .outside)
    /// The number of open elements, for which ``path`` has room up to ``XMLBounds/maximumDepth``.
    private(set) var depth = 0
    private var rootHasEnded = false
    /// The document, track or route whose header is not complete yet.
    private var heading: GPXItem?
    /// The point being read; it is valid only if its position is.
    private var point = GPXPoint(.origin)
    private var pointIsGood = false
    private var segmentBegins = true
    private var trackBegins = false
    /// How somebody travelled on the open track.
    private var trackKind: TripKind?
    /// The number of fixes so far.
    private var fixCount = 0
    /// The program that wrote the document, as it says.
    private(set) var creator: String?
    private var text = GPXText()
    /// The line of the element that begins, which the parser sets if ``keepsLines`` is true.
    var line = 0
    private var pointLine = 0
    /// Whether to keep the lines of fixes.
    var keepsLines = false

    /// Creates a builder at the beginning of a document.
    init(_ product: Product) { self.product = product }

    /// Moves the complete items to the end of `others`.
    mutating func moveItems(to others: inout [GPXItem]) {
        if others.isEmpty { return swap(&others, &output.items) }
        others += output.items
        output.items.removeAll(keepingCapacity: true)
    }

    /// Moves the complete fixes to the end of `others`.
    mutating func moveFixes(to others: inout [Fix]) {
        if others.isEmpty { return swap(&others, &output.fixes) }
        others += output.fixes
        output.fixes.removeAll(keepingCapacity: true)
    }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    mutating func drainTrackBeginnings() -> [Int] {
        defer { output.trackBeginnings.removeAll(keepingCapacity: true) }
        return output.trackBeginnings
    }

    /// Returns the lines of the fixes that were completed since the last call.
    mutating func drainLines() -> [Int] {
        defer { output.lines.removeAll(keepingCapacity: true) }
        return output.lines
    }

    /// A builder at some point of the document, to which it can return until its output is moved.
    struct Checkpoint {
        fileprivate var builder: GPXBuilder
        fileprivate let items: Int
        fileprivate let fixes: Int
        fileprivate let trackBeginnings: Int
        fileprivate let lines: Int
    }

    /// The builder as it is now, without a copy of its output.
    var checkpoint: Checkpoint {
        var builder = self
        builder.output = Output()
        return Checkpoint(
            builder: builder, items: output.items.count, fixes: output.fixes.count,
            trackBeginnings: output.trackBeginnings.count, lines: output.lines.count)
    }

    /// Forgets all that was read since a checkpoint.
    mutating func restore(_ checkpoint: Checkpoint) {
        var kept = Output()
        swap(&kept, &output)
        self = checkpoint.builder
        kept.items.removeLast(max(0, kept.items.count - checkpoint.items))
        kept.fixes.removeLast(max(0, kept.fixes.count - checkpoint.fixes))
        kept.trackBeginnings.removeLast(max(0, kept.trackBeginnings.count - checkpoint.trackBeginnings))
        kept.lines.removeLast(max(0, kept.lines.count - checkpoint.lines))
        swap(&kept, &output)
    }

    /// Whether the root element has begun.
    var hasBegun: Bool { rootHasEnded || depth > 0 }
    /// Whether the root element has ended.
    var hasEnded: Bool { rootHasEnded }
    /// Whether the builder uses the text at the current place.
    var wantsText: Bool {
        if case .field = place { true } else { false }
    }

    /// Begins the root element.
    mutating func begin(version: String?, creator: String?) {
        var document = GPXDocument()
        document.version = version
        document.creator = creator
        heading = .document(document)
        self.creator = creator
        push(.root)
    }

    /// Begins an element within the root.
    ///
    /// - Parameters:
    ///   - name: the name of the element; `nil` if it has no meaning in GPX.
    ///   - isGPX: whether the element is in the namespace of the root element.
    /// - Returns: Whether it is a point, for which ``place(at:)`` must be called next.
    @inline(__always)
    mutating func begin(_ name: GPXName?, isGPX: Bool) -> Bool {
        let inner = place(of: name, in: place, isGPX: isGPX)
        push(inner)
        switch inner {
        case .metadata, .root, .pointExtensions, .foreign, .outside: return false
        case .field: text.clear()
        case .track, .route, .segment: beginPart(inner)
        case .point:
            endHeading()
            return true
        }
        return false
    }

    /// Sets the position of the point that has begun; `nil` if it has none that is valid.
    @inline(__always)
    mutating func place(at position: Coordinate?) {
        guard let position else {
            pointIsGood = false
            return malformed.count("position")
        }
        point = GPXPoint(position)
        pointIsGood = true
        pointLine = line
    }

    private mutating func beginPart(_ part: Place) {
        endHeading()
        switch part {
        case .track:
            heading = .track(name: nil)
            trackBegins = true
            trackKind = nil
        case .route: heading = .route(name: nil)
        default:
            segmentBegins = true
            if product == .items { output.items.append(.segment) }
        }
    }

    /// Reads a whole element within the root that contains only a text of at most ``GPXText/maximumLength`` bytes.
    ///
    /// The result is the same as that of ``begin(_:isGPX:)``, ``characters(_:)`` and ``end()``.
    ///
    /// Returns `false` and does nothing if it is one that usually contains others.
    @inline(__always)
    mutating func element(_ name: GPXName?, isGPX: Bool, text: Span<UInt8>) -> Bool {
        switch place(of: name, in: place, isGPX: isGPX) {
        case .field(let field):
            end(field, text, isCut: false)
            return true
        case .foreign, .pointExtensions, .metadata, .root, .outside: return true
        case .track, .segment, .route, .point: return false
        }
    }

    /// Ends the innermost element.
    mutating func end() {
        guard depth > 0 else { return }
        depth -= 1
        let ended = place
        place = path[depth]
        switch ended {
        case .root:
            endHeading()
            rootHasEnded = true
        case .track, .route: endHeading()
        case .field(let field):
            let text = text
            end(field, text.bytes.span.extracting(first: text.count), isCut: text.isCut)
        case .point(let kind): end(kind)
        default: break
        }
    }

    /// Appends text to the current element, for which ``wantsText`` must be true.
    mutating func characters(_ characters: Span<UInt8>) { text.append(characters) }

    private mutating func push(_ inner: Place) {
        path[depth] = place
        place = inner
        depth += 1
    }

    private func place(of name: GPXName?, in parent: Place, isGPX: Bool) -> Place {
        switch parent {
        case .pointExtensions:
            return name.flatMap(GPXField.init(inPointExtensions:)).map(Place.field) ?? .pointExtensions
        case .field, .foreign, .outside: return .foreign
        case .root, .metadata, .track, .segment, .route, .point: break
        }
        guard isGPX, let name else { return .foreign }
        switch (parent, name) {
        case (.point, .extensions): return .pointExtensions
        case (.point, _): return GPXField(inPoint: name).map(Place.field) ?? .foreign
        case (.segment, .trkpt): return .point(.trackPoint)
        case (.root, .metadata): return .metadata
        case (.root, .wpt): return .point(.waypoint)
        case (.root, .rte): return .route
        case (.root, .trk): return .track
        case (.track, .trkseg): return .segment
        case (.route, .rtept): return .point(.routePoint)
        // GPX 1.0 has no `metadata`; these elements are children of the root.
        case (.root, .name), (.metadata, .name), (.track, .name), (.route, .name): return .field(.headingName)
        case (.root, .time), (.metadata, .time): return .field(.headingTime)
        case (.track, .type): return .field(.trackType)
        default: return .foreign
        }
    }

    private mutating func endHeading() {
        guard let ended = heading else { return }
        heading = nil
        guard product == .items else { return }
        output.items.append(ended)
        if case .track = ended, let trackKind { output.items.append(.trackKind(trackKind)) }
    }

    private mutating func end(_ kind: PointKind) {
        guard pointIsGood else { return }
        pointIsGood = false
        switch (product, kind) {
        case (.items, .trackPoint): output.items.append(.trackPoint(point))
        case (.items, .routePoint): output.items.append(.routePoint(point))
        case (.items, .waypoint): output.items.append(.waypoint(point))
        case (.fixes, .trackPoint):
            var fix = Fix(point, beginsSegment: segmentBegins)
            fix.kind = trackKind
            output.fixes.append(fix)
            segmentBegins = false
            if keepsLines { output.lines.append(pointLine) }
            if trackBegins { output.trackBeginnings.append(fixCount) }
            trackBegins = false
            fixCount += 1
        case (.fixes, _): break
        }
    }

    // If an element occurs twice, the first one counts.
    private mutating func end(_ field: GPXField, _ text: Span<UInt8>, isCut: Bool) {
        switch field {
        case .headingName: nameHeading(GPXValue.string(text, isCut: isCut, counting: &malformed))
        case .headingTime:
            guard case .document(var document) = heading else { return }
            document.time = document.time ?? GPXValue.time(text, isCut: isCut, counting: &malformed)
            heading = .document(document)
        case .trackType:
            guard let read = GPXValue.string(text, isCut: isCut, counting: &malformed) else { return }
            trackKind = trackKind ?? TripKind(word: read.utf8)
        default:
            if pointIsGood { point.set(field, to: text, isCut: isCut, counting: &malformed) }
        }
    }

    private mutating func nameHeading(_ read: String?) {
        switch heading {
        case .document(var document):
            document.name = document.name ?? read
            heading = .document(document)
        case .track(let name): heading = .track(name: name ?? read)
        case .route(let name): heading = .route(name: name ?? read)
        default: break
        }
    }
}

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

    /// The complete items that have not been moved yet, if the product is ``Product/items``.
    private var items: [GPXItem] = []
    /// The complete fixes that have not been moved yet, if the product is ``Product/fixes``.
    private var fixes: [Fix] = []
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
    /// Whether the element that began last is a point without a valid position.
    private(set) var lacksPosition = false
    private var segmentBegins = true
    private var trackBegins = false
    /// How somebody travelled on the open track.
    private var trackKind: TripKind?
    /// The number of fixes so far.
    private var fixCount = 0
    /// The numbers of fixes before each track that has any, which have not been taken yet.
    private var trackBeginnings: [Int] = []
    /// The program that wrote the document, as it says.
    private(set) var creator: String?
    private var text = GPXText()
    /// The line of the element that begins, which the parser sets if ``keepsLines`` is true.
    var line = 0
    private var pointLine = 0
    /// The lines of the complete fixes, which have not been taken yet.
    private var lines: [Int] = []
    /// Whether to keep the lines of fixes.
    var keepsLines = false

    /// Creates a builder at the beginning of a document.
    init(_ product: Product) { self.product = product }

    /// Moves the complete items to the end of `others`.
    mutating func moveItems(to others: inout [GPXItem]) {
        if others.isEmpty { return swap(&others, &items) }
        others += items
        items.removeAll(keepingCapacity: true)
    }

    /// Moves the complete fixes to the end of `others`.
    mutating func moveFixes(to others: inout [Fix]) {
        if others.isEmpty { return swap(&others, &fixes) }
        others += fixes
        fixes.removeAll(keepingCapacity: true)
    }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    mutating func takeTrackBeginnings() -> [Int] {
        defer { trackBeginnings.removeAll(keepingCapacity: true) }
        return trackBeginnings
    }

    /// Returns the lines of the fixes that were completed since the last call.
    mutating func takeLines() -> [Int] {
        defer { lines.removeAll(keepingCapacity: true) }
        return lines
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
    ///   - position: reads the position from the attributes; called only for points.
    mutating func begin(_ name: GPXName?, isGPX: Bool, position: () -> Coordinate?) {
        push(place(of: name, in: place, isGPX: isGPX))
        lacksPosition = false
        switch place {
        case .metadata, .root, .pointExtensions, .foreign, .outside: break
        case .field: text.clear()
        case .track:
            endHeading()
            heading = .track(name: nil)
            trackBegins = true
            trackKind = nil
        case .route:
            endHeading()
            heading = .route(name: nil)
        case .segment:
            endHeading()
            segmentBegins = true
            if product == .items { items.append(.segment) }
        case .point:
            endHeading()
            if let place = position() {
                point = GPXPoint(place)
                pointIsGood = true
                pointLine = line
            } else {
                pointIsGood = false
                lacksPosition = true
                malformed.count("position")
            }
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
        case .field(let field): end(field)
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
        items.append(ended)
        if case .track = ended, let trackKind { items.append(.trackKind(trackKind)) }
    }

    private mutating func end(_ kind: PointKind) {
        guard pointIsGood else { return }
        pointIsGood = false
        switch (product, kind) {
        case (.items, .trackPoint): items.append(.trackPoint(point))
        case (.items, .routePoint): items.append(.routePoint(point))
        case (.items, .waypoint): items.append(.waypoint(point))
        case (.fixes, .trackPoint):
            var fix = Fix(point, beginsSegment: segmentBegins)
            fix.kind = trackKind
            fixes.append(fix)
            segmentBegins = false
            if keepsLines { lines.append(pointLine) }
            if trackBegins { trackBeginnings.append(fixCount) }
            trackBegins = false
            fixCount += 1
        case (.fixes, _): break
        }
    }

    // If an element occurs twice, the first one counts.
    private mutating func end(_ field: GPXField) {
        switch field {
        case .headingName: nameHeading()
        case .headingTime:
            guard case .document(var document) = heading else { return }
            document.time = document.time ?? text.time(counting: &malformed)
            heading = .document(document)
        case .trackType:
            guard let read = text.string(counting: &malformed) else { return }
            trackKind = trackKind ?? TripKind(word: read.utf8)
        default:
            if pointIsGood { point.set(field, to: text, counting: &malformed) }
        }
    }

    private mutating func nameHeading() {
        let read = text.string(counting: &malformed)
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

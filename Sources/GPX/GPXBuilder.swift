import Geodesy
import Positioning
import TextCoding

/// Makes items of the elements of a GPX document: knows GPX, and nothing of the parser.
///
/// Elements count by their place, not by their name alone, and only in the namespace of the root element; within
/// the extensions of a point the namespace does not matter.
struct GPXBuilder {
    /// What is made of a document.
    enum Product {
        /// Everything it holds.
        case items
        /// Its track points alone.
        case fixes
    }

    /// The items that are complete, where they are wanted.
    private var items: [GPXItem] = []
    /// The fixes that are complete, where they are wanted.
    private var fixes: [Fix] = []
    /// What was skipped, by reason.
    private(set) var malformed = Tally()

    /// A place in the tree of elements.
    private enum Place {
        case outside, root, metadata, track, segment, route, point(PointKind), pointExtensions, field(GPXField), foreign
    }

    private enum PointKind { case trackPoint, routePoint, waypoint }

    private let product: Product
    /// Where the innermost element stands.
    private var place = Place.outside
    /// Where the elements around it stand, from the root on.
    private var path = InlineArray<256, Place>(repeating: .outside)
    /// How many elements are open; there is room for as many as ``XMLHandler`` lets nest.
    private(set) var depth = 0
    private var rootHasEnded = false
    /// The header, track or route whose name may still come.
    private var heading: GPXItem?
    /// The point being read, unless its position is no good.
    private var point = GPXPoint(.origin)
    private var pointIsGood = false
    private var segmentBegins = true
    private var text = GPXText()

    /// Nothing read yet.
    init(_ product: Product) { self.product = product }

    /// Moves the items that are complete.
    mutating func moveItems(to others: inout [GPXItem]) {
        if others.isEmpty { return swap(&others, &items) }
        others += items
        items.removeAll(keepingCapacity: true)
    }

    /// Moves the fixes that are complete.
    mutating func moveFixes(to others: inout [Fix]) {
        if others.isEmpty { return swap(&others, &fixes) }
        others += fixes
        fixes.removeAll(keepingCapacity: true)
    }

    /// Whether the root element was seen.
    var hasBegun: Bool { rootHasEnded || depth > 0 }
    /// Whether the root element was seen whole.
    var hasEnded: Bool { rootHasEnded }
    /// Whether the characters that come mean anything.
    var wantsText: Bool {
        if case .field = place { true } else { false }
    }

    /// The root element begins.
    mutating func begin(version: String?, creator: String?) {
        var document = GPXDocument()
        document.version = version
        document.creator = creator
        heading = .document(document)
        push(.root)
    }

    /// An element begins within the root; a point's attributes are asked for its position.
    ///
    /// - Parameters:
    ///   - name: its name, if that means anything.
    ///   - isGPX: whether it is in the namespace of the root element.
    mutating func begin(_ name: GPXName?, isGPX: Bool, position: () -> Coordinate?) {
        push(place(of: name, in: place, isGPX: isGPX))
        switch place {
        case .metadata, .root, .pointExtensions, .foreign, .outside: break
        case .field: text.clear()
        case .track:
            endHeading()
            heading = .track(name: nil)
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
            } else {
                pointIsGood = false
                malformed.count("position")
            }
        }
    }

    /// The innermost element ends.
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

    /// Characters come, which ``wantsText``.
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
        // GPX 1.0 has no `metadata`; its elements stand in the root.
        case (.root, .name), (.metadata, .name), (.track, .name), (.route, .name): return .field(.headingName)
        case (.root, .time), (.metadata, .time): return .field(.headingTime)
        default: return .foreign
        }
    }

    private mutating func endHeading() {
        guard let ended = heading else { return }
        if product == .items { items.append(ended) }
        heading = nil
    }

    private mutating func end(_ kind: PointKind) {
        guard pointIsGood else { return }
        pointIsGood = false
        switch (product, kind) {
        case (.items, .trackPoint): items.append(.trackPoint(point))
        case (.items, .routePoint): items.append(.routePoint(point))
        case (.items, .waypoint): items.append(.waypoint(point))
        case (.fixes, .trackPoint):
            fixes.append(Fix(point, beginsSegment: segmentBegins))
            segmentBegins = false
        case (.fixes, _): break
        }
    }

    // Of an element that stands twice the first counts.
    private mutating func end(_ field: GPXField) {
        switch field {
        case .headingName: nameHeading()
        case .headingTime:
            guard case .document(var document) = heading else { return }
            document.time = document.time ?? text.time(counting: &malformed)
            heading = .document(document)
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

import Geodesy
import Positioning
import TextCoding

/// Makes items of the elements of a GPX document: knows GPX, and nothing of the parser.
///
/// Elements count by their place, not by their name alone, and only in the namespace of the root element; within
/// the extensions of a point the namespace does not matter.
struct GPXBuilder {
    /// The items that are complete.
    var items: [GPXItem] = []
    /// What was skipped, by reason.
    private(set) var malformed = Tally()

    /// A place in the tree of elements.
    private enum Place {
        case root, metadata, track, segment, route, point(PointKind), pointExtensions, field(GPXField), foreign
    }

    private enum PointKind { case trackPoint, routePoint, waypoint }

    private var path: [Place] = []
    private var rootHasEnded = false
    /// The header, track or route whose name may still come.
    private var heading: GPXItem?
    /// The point being read; nil where its position is no good.
    private var point: GPXPoint?
    private var text = GPXText()

    /// How many elements are open.
    var depth: Int { path.count }
    /// Whether the root element was seen.
    var hasBegun: Bool { rootHasEnded || !path.isEmpty }
    /// Whether the root element was seen whole.
    var hasEnded: Bool { rootHasEnded }
    /// Whether the characters that come mean anything.
    var wantsText: Bool {
        if case .field = path.last { true } else { false }
    }

    /// The root element begins.
    mutating func begin(version: String?, creator: String?) {
        var document = GPXDocument()
        document.version = version
        document.creator = creator
        heading = .document(document)
        path.append(.root)
    }

    /// An element begins within the root; a point's attributes are asked for its position.
    ///
    /// - Parameters:
    ///   - name: its name, if that means anything.
    ///   - isGPX: whether it is in the namespace of the root element.
    mutating func begin(_ name: GPXName?, isGPX: Bool, position: () -> Coordinate?) {
        let place = place(of: name, in: path.last ?? .foreign, isGPX: isGPX)
        path.append(place)
        switch place {
        case .metadata, .root, .pointExtensions, .foreign: break
        case .field: text.clear()
        case .track:
            endHeading()
            heading = .track(name: nil)
        case .route:
            endHeading()
            heading = .route(name: nil)
        case .segment:
            endHeading()
            items.append(.segment)
        case .point:
            endHeading()
            point = position().map(GPXPoint.init)
            if point == nil { malformed.count("position") }
        }
    }

    /// The innermost element ends.
    mutating func end() {
        switch path.popLast() {
        case .root:
            endHeading()
            rootHasEnded = true
        case .track, .route: endHeading()
        case .field(let field): end(field)
        case .point(let kind):
            guard let point else { break }
            switch kind {
            case .trackPoint: items.append(.trackPoint(point))
            case .routePoint: items.append(.routePoint(point))
            case .waypoint: items.append(.waypoint(point))
            }
            self.point = nil
        default: break
        }
    }

    /// Characters come, which ``wantsText``.
    mutating func characters(_ characters: Span<UInt8>) { text.append(characters) }

    private func place(of name: GPXName?, in parent: Place, isGPX: Bool) -> Place {
        switch parent {
        case .pointExtensions:
            return name.flatMap(GPXField.init(inPointExtensions:)).map(Place.field) ?? .pointExtensions
        case .field, .foreign: return .foreign
        default: break
        }
        guard isGPX, let name else { return .foreign }
        return switch (parent, name) {
        case (.root, .metadata): .metadata
        case (.root, .wpt): .point(.waypoint)
        case (.root, .rte): .route
        case (.root, .trk): .track
        case (.track, .trkseg): .segment
        case (.segment, .trkpt): .point(.trackPoint)
        case (.route, .rtept): .point(.routePoint)
        case (.point, .extensions): .pointExtensions
        case (.point, _): GPXField(inPoint: name).map(Place.field) ?? .foreign
        // GPX 1.0 has no `metadata`; its elements stand in the root.
        case (.root, .name), (.metadata, .name), (.track, .name), (.route, .name): .field(.headingName)
        case (.root, .time), (.metadata, .time): .field(.headingTime)
        default: .foreign
        }
    }

    private mutating func endHeading() {
        if let heading { items.append(heading) }
        heading = nil
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
            point?.set(field, to: text, counting: &malformed)
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

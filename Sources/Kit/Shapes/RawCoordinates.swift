/// The nested arrays of a GeoJSON geometry's `coordinates`, stored flat.
struct RawCoordinates {
    private(set) var positions: [RawPosition] = []
    /// The end of each list of positions.
    private(set) var listEnds: [Int] = []
    /// The end of each list of lists, among ``listEnds``.
    private(set) var groupEnds: [Int] = []
    /// The number of brackets around a number; 0 if there is none.
    private(set) var depth = 0
    /// The number of brackets around nothing; 0 if no array is empty.
    private(set) var emptyDepth = 0

    /// What is wrong with an array that is JSON, but holds no positions.
    struct Fault: Error {
        var reason: String
    }

    private static let greatestDepth = 4

    /// Reads the arrays, or a fault.
    ///
    /// After a fault the scanner is somewhere within.
    static func read(_ scanner: inout GeoJSONScanner) throws(ShapeTextError) -> Result<RawCoordinates, Fault> {
        var coordinates = RawCoordinates()
        guard scanner.peek() == UInt8(ascii: "[") else {
            return .failure(Fault(reason: "the coordinates are not an array"))
        }
        if let fault = try coordinates.list(&scanner, depth: 1) { return .failure(fault) }
        return .success(coordinates)
    }

    /// Reads an array; returns what is wrong with it.
    private mutating func list(_ scanner: inout GeoJSONScanner, depth: Int) throws(ShapeTextError) -> Fault? {
        try scanner.expect(UInt8(ascii: "["))
        if scanner.consume(UInt8(ascii: "]")) {
            if emptyDepth == 0 { emptyDepth = depth }
            return nil
        }
        if scanner.peek() != UInt8(ascii: "[") { return try position(&scanner, depth: depth) }
        guard depth < Self.greatestDepth else {
            return Fault(reason: "the coordinates are nested deeper than those of any geometry")
        }
        repeat {
            guard scanner.peek() == UInt8(ascii: "[") else {
                return Fault(reason: "the coordinates mix positions and arrays of positions")
            }
            if let fault = try list(&scanner, depth: depth + 1) { return fault }
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
        if depth == self.depth - 1 { listEnds.append(positions.count) }
        if depth == self.depth - 2 { groupEnds.append(listEnds.count) }
        return nil
    }

    private mutating func position(_ scanner: inout GeoJSONScanner, depth: Int) throws(ShapeTextError) -> Fault? {
        var (numbers, values) = (0, (0.0, 0.0))
        repeat {
            switch scanner.peek() {
            case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), UInt8(ascii: "t"),
                UInt8(ascii: "f"):
                // A value that is not JSON at all is an error of the text.
                _ = try scanner.scalar()
                return Fault(reason: "position \(positions.count) is not made of numbers")
            default: break
            }
            let number = try scanner.number()
            if numbers == 0 { values.0 = number }
            if numbers == 1 { values.1 = number }
            numbers += 1
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
        guard numbers >= 2 else {
            return Fault(reason: "position \(positions.count) needs a longitude and a latitude")
        }
        guard self.depth == 0 || self.depth == depth else {
            return Fault(reason: "the coordinates are not nested evenly")
        }
        self.depth = depth
        positions.append(RawPosition(longitude: values.0, latitude: values.1))
        return nil
    }

    /// The lists of positions within a range of ``listEnds``.
    func lists(_ range: Range<Int>) -> [[RawPosition]] {
        range.map { Array(positions[($0 == 0 ? 0 : listEnds[$0 - 1])..<listEnds[$0]]) }
    }

    /// The geometry of a type.
    func geometry(_ type: String) -> Result<RawGeometry, Fault> {
        let needed: Int
        switch type {
        case "Point": needed = 1
        case "LineString": needed = 2
        case "Polygon", "MultiLineString": needed = 3
        case "MultiPolygon": needed = 4
        case "GeometryCollection":
            return .failure(Fault(reason: "a GeometryCollection is not one shape; split it into features"))
        case "MultiPoint":
            return .failure(Fault(reason: "a MultiPoint is not one shape; split it into features of one Point each"))
        default:
            return .failure(
                Fault(
                    reason: "the geometry is of the unknown type \"\(type.prefix(40))\"; types are written Point, "
                        + "LineString, MultiLineString, Polygon, MultiPolygon"))
        }
        guard emptyDepth == 0, depth > 0 else {
            return .failure(Fault(reason: "the \(type) has an empty array where positions are needed"))
        }
        guard depth == needed else {
            return .failure(
                Fault(reason: "the coordinates are nested \(depth) deep; those of a \(type) are nested \(needed) deep"))
        }
        switch type {
        case "Point": return .success(.point(positions[0]))
        case "LineString": return .success(.lines([positions]))
        case "MultiLineString": return .success(.lines(lists(0..<listEnds.count)))
        case "Polygon": return .success(.polygons([lists(0..<listEnds.count)]))
        default:
            let groups = groupEnds.indices.map { lists(($0 == 0 ? 0 : groupEnds[$0 - 1])..<groupEnds[$0]) }
            return .success(.polygons(groups))
        }
    }
}

/// What an extract of OpenStreetMap says about itself.
struct OSMHeader {
    /// The area as west, south, east and north in degrees; `nil` if it does not say it.
    private(set) var bounds: [Double]?

    /// The features that a reader must know, which we do.
    private static let known = ["OsmSchema-V0.6", "DenseNodes"]

    /// Reads the block.
    ///
    /// - Throws: ``OSMError`` if it is damaged, or if the extract needs a feature that we do not know.
    init(_ bytes: [UInt8]) throws(OSMError) {
        var fields = ProtobufFields(bytes)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let place)): bounds = try Self.bounds(bytes, place)
            case (4, .bytes(let place)):
                let feature = String(decoding: bytes[place].prefix(64), as: UTF8.self)
                guard Self.known.contains(feature) else {
                    throw OSMError("it needs the feature \"\(feature)\", which is not supported")
                }
            default: break
            }
        }
    }

    private static func bounds(_ bytes: [UInt8], _ place: Range<Int>) throws(OSMError) -> [Double]? {
        var (west, east, north, south) = (Double.nan, Double.nan, Double.nan, Double.nan)
        var fields = ProtobufFields(bytes, place)
        while let field = try fields.next() {
            guard case .number(let number) = field.value else { continue }
            // They are in billionths of a degree.
            let degrees = Double(ProtobufFields.signed(number)) / 1e9
            switch field.number {
            case 1: west = degrees
            case 2: east = degrees
            case 3: north = degrees
            case 4: south = degrees
            default: break
            }
        }
        guard (-180...180).contains(west), (-180...180).contains(east), (-90...90).contains(south),
            (-90...90).contains(north), west < east, south < north
        else { return nil }
        return [west, south, east, north]
    }
}

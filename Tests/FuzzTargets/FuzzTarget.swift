/// A reader of bytes from outside, as a fuzzer and the tests of `fixtures/damaged` call it.
///
/// It ends the process if the reader traps, or if the result is inconsistent.
public struct FuzzTarget: Sendable {
    /// The name of the target, with which the names of its files in `fixtures/damaged` begin.
    public let name: String
    /// The texts from which a fuzzer begins to derive others.
    public let seeds: [String]
    /// The extensions of the files in `fixtures` that are seeds, too.
    public let endings: [String]
    /// The function that reads some bytes.
    public let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, seeds: [String] = [], endings: [String] = [], run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.seeds = seeds
        self.endings = endings
        self.run = run
    }

    /// All targets.
    public static let all = [
        nmea, gpx, scanner, geoJSON, kml, csv, extracts, gazetteer, gpsd, numbers, rpc, calls, configuration, tokens,
        pictures,
        state, journey, edits, web, resumption, tiles, maps, phones, shapes, calendars,
    ]

    /// Returns the target with a name; `nil` if there is none.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Ends the process if an invariant does not hold.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Choices made by the bytes of an input; zeros after the last byte.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func below(_ count: UInt8) -> Int { Int(byte() % count) }

    mutating func integer() -> Int64 { (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) } }

    /// Returns a number of any size, including infinities and NaN.
    mutating func number() -> Double {
        switch below(8) {
        case 0: Double(bitPattern: UInt64(bitPattern: integer()))
        case 1: Double(integer())
        case 2: Double(Int8(bitPattern: byte())) * 1e6
        default: Double(Int16(truncatingIfNeeded: Int64(byte()) << 8 | Int64(byte()))) / 10
        }
    }
}

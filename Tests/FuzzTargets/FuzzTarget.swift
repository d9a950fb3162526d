/// A reader of bytes from outside, as a fuzzer and the tests of `fixtures/damaged` call it.
///
/// It ends the process where it traps, and where what it has read does not hold together.
public struct FuzzTarget: Sendable {
    /// What it is called, and what the names of its files in `fixtures/damaged` begin with.
    public let name: String
    /// Texts to begin with, from which a fuzzer makes others.
    public let seeds: [String]
    /// The endings of the files in `fixtures` that are seeds too.
    public let endings: [String]
    /// Reads some bytes.
    public let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, seeds: [String] = [], endings: [String] = [], run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.seeds = seeds
        self.endings = endings
        self.run = run
    }

    /// All of them.
    public static let all = [
        nmea, gpx, geoJSON, kml, csv, gazetteer, gpsd, numbers, rpc, calls, configuration, tokens, pictures, state,
        journey, edits, web, tiles,
    ]

    /// The target of that name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Ends the process where something that always holds does not.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Choices made by the bytes of an input, zeros where they are used up.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func below(_ count: UInt8) -> Int { Int(byte() % count) }

    mutating func integer() -> Int64 { (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) } }

    /// A number of any size, the odd ones too.
    mutating func number() -> Double {
        switch below(8) {
        case 0: Double(bitPattern: UInt64(bitPattern: integer()))
        case 1: Double(integer())
        case 2: Double(Int8(bitPattern: byte())) * 1e6
        default: Double(Int16(truncatingIfNeeded: Int64(byte()) << 8 | Int64(byte()))) / 10
        }
    }
}

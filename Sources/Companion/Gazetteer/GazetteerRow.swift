import Foundation
import Geodesy
import TextCoding

/// A place as a line of GeoNames' tables describes it.
struct GazetteerRow: Hashable, Sendable {
    /// The id in GeoNames.
    var id: Int64
    var name: String
    /// All distinct spellings in folded form, each preceded by a line feed.
    var spellings: String
    var place: Coordinate
    var population: Int64
    /// The two letters of the country in ISO 3166.
    var country: String?
    /// The name of the time zone in the tz database.
    var zone: String?

    /// The number of columns in a line.
    static let columns = 19
    /// The longest name, in bytes.
    static let longestName = 400
    /// The most spellings kept of a place; GeoNames has about 200 for a capital.
    static let maximumSpellings = 500
    /// An upper bound for the population of a place.
    static let greatestPopulation: Int64 = 10_000_000_000

    /// The reason why a line is invalid.
    struct Flaw: Error, Hashable {
        /// A clause without a full stop.
        var reason: String
    }

    /// Parses a line of 19 columns separated by tabs.
    ///
    /// - Returns: `nil` for a feature that is not a populated place (class `P`), and for an abandoned, destroyed or
    ///   historical place.
    /// - Throws: ``Flaw`` if the line does not have GeoNames' format.
    init?(_ line: Substring.UTF8View, _ folding: inout NameFolding) throws(Flaw) {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard fields.count == Self.columns else {
            throw Flaw(
                reason: "it has \(fields.count) columns, but GeoNames' tables have \(Self.columns), separated by tabs")
        }
        func text(_ index: Int) throws(Flaw) -> String {
            guard let text = String(validating: fields[index], as: UTF8.self) else {
                throw Flaw(reason: "column \(index + 1) is not UTF-8")
            }
            return text
        }
        guard try text(6) == "P", !Self.gone.contains(try text(7)) else { return nil }
        let digits = try text(0)
        guard let id = Int64(digits), id > 0 else { throw Flaw(reason: "column 1 is not the number of a place") }
        self.id = id
        name = try text(1)
        guard !name.isEmpty, name.utf8.count <= Self.longestName,
            !name.unicodeScalars.contains(where: ControlCharacters.contains)
        else { throw Flaw(reason: "column 2 is not a name") }
        let degrees = (DecimalText.parse(try text(4)), DecimalText.parse(try text(5)))
        guard let latitude = degrees.0, let longitude = degrees.1,
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw Flaw(reason: "columns 5 and 6 are not a valid position") }
        self.place = place
        let last = try text(14)
        guard let population = last.isEmpty ? 0 : Int64(last), (0...Self.greatestPopulation).contains(population)
        else { throw Flaw(reason: "column 15 is not a population") }
        self.population = population
        let code = try text(8)
        country = code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? code : nil
        let zone = try text(17)
        self.zone = Self.isZone(zone) ? zone : nil
        spellings = Self.spellings([name[...], try text(2)[...]] + (try text(3)).split(separator: ","), &folding)
    }

    /// The feature codes of historical (`PPLCH`, `PPLH`), abandoned (`PPLQ`) and destroyed (`PPLW`) places.
    private static let gone: Set = ["PPLCH", "PPLH", "PPLQ", "PPLW"]

    private static func isZone(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
                default: false
                }
            }
    }

    static func spellings(_ names: [Substring], _ folding: inout NameFolding) -> String {
        var seen: Set<[UInt8]> = []
        var bytes: [UInt8] = []
        for name in names.prefix(maximumSpellings) where name.utf8.count <= longestName {
            let folded = folding.folded(name)
            guard !folded.isEmpty, seen.insert(folded).inserted else { continue }
            bytes.append(0x0A)
            bytes += folded
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import Geodesy
import TextCoding

/// A name of OpenStreetMap, as a line of an import describes it: columns separated by tabs.
///
/// The columns are the kind, the word, degrees north, degrees east, the population, the name, and any number of other
/// names.
struct MapNameRow: Hashable, Sendable {
    /// What has the name.
    enum Kind: String, CaseIterable, Sendable {
        case settlement, street, point
    }

    var kind: Kind
    /// OpenStreetMap's word for it.
    var word: String
    var place: Coordinate
    var population: Int64
    var name: String
    /// All distinct spellings in folded form, each preceded by a line feed.
    var spellings: String

    /// The number of columns up to the name.
    private static let columns = 6
    /// The most columns of a line.
    private static let mostColumns = 40
    /// The longest word in bytes.
    private static let longestWord = 40
    /// The words of a point's name, after the first, by which it is found as well: `Adler` in `Restaurant Adler`.
    private static let mostFurtherWords = 3

    /// Parses a line.
    ///
    /// - Returns: `nil` for a name without letters and digits, which nobody could search for.
    /// - Throws: `GazetteerRow.Flaw` if the line does not have the columns.
    init?(_ line: Substring.UTF8View, _ folding: inout NameFolding) throws(GazetteerRow.Flaw) {
        let fields = line.split(separator: 0x09, maxSplits: Self.mostColumns, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard fields.count >= Self.columns, fields.count <= Self.mostColumns else {
            throw GazetteerRow.Flaw(reason: "it has \(fields.count) columns; a name needs \(Self.columns)")
        }
        guard let kind = Kind(rawValue: fields[0]) else {
            throw GazetteerRow.Flaw(reason: "column 1 must be settlement, street or point")
        }
        guard (1...Self.longestWord).contains(fields[1].utf8.count), Self.isPlain(fields[1]) else {
            throw GazetteerRow.Flaw(reason: "column 2 is not a word")
        }
        guard let latitude = DecimalText.parse(fields[2]), let longitude = DecimalText.parse(fields[3]),
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw GazetteerRow.Flaw(reason: "columns 3 and 4 are not a valid position") }
        guard let population = Int64(fields[4]), (0...GazetteerRow.greatestPopulation).contains(population) else {
            throw GazetteerRow.Flaw(reason: "column 5 is not a population")
        }
        guard (1...GazetteerRow.longestName).contains(fields[5].utf8.count), Self.isPlain(fields[5]) else {
            throw GazetteerRow.Flaw(reason: "column 6 is not a name")
        }
        self.kind = kind
        word = fields[1]
        self.place = place
        self.population = population
        name = fields[5]
        var names = fields.dropFirst(Self.columns - 1).map { $0[...] }
        if kind == .point {
            let words = name.split(separator: " ")
            for start in words.indices.dropFirst().prefix(Self.mostFurtherWords) {
                names.append(words.dropFirst(start).joined(separator: " ")[...])
            }
        }
        spellings = GazetteerRow.spellings(names, &folding)
        if spellings.isEmpty { return nil }
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: ControlCharacters.contains)
    }
}

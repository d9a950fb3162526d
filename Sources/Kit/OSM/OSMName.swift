public import Geodesy

/// Something on the earth that OpenStreetMap has with a name.
public struct OSMName: Hashable, Sendable {
    /// What has the name.
    public enum Kind: String, CaseIterable, Sendable {
        /// A settlement or a part of one, such as a town, a hamlet or a quarter.
        case settlement
        /// A street, a path or another way to travel on.
        case street
        /// Anything else that people look for, such as a shop, a station or a peak.
        case point
    }

    /// What has the name.
    public var kind: Kind
    /// The word of OpenStreetMap for it, such as `village`, `residential` or `restaurant`.
    public var word: String
    /// The local name.
    public var name: String
    /// The names in other languages, and other spellings.
    public var others: [String]
    /// The position, which is in the middle of a street.
    public var place: Coordinate
    /// The number of inhabitants; 0 if it is not known.
    public var population: Int64

    /// The longest name in bytes; a longer one is left out.
    public static let longestName = 250
    /// The longest word in bytes.
    public static let longestWord = 40
    /// The most other names.
    public static let mostOthers = 12
    /// The largest population; no settlement has more people.
    public static let greatestPopulation: Int64 = 100_000_000
}

/// What the tags of a node or way say about its name, without its position.
struct OSMDescription {
    var kind: OSMName.Kind
    var word: String
    var name: String
    var others: [String]
    var population: Int64

    /// Reads the tags of a node or a way; `nil` if it has no name that people look for.
    init?(_ tags: [OSMBlock.Tag], in block: OSMBlock, _ keys: inout OSMBlock.Keys, isWay: Bool) {
        var values: [OSMKey: Int] = [:]
        for tag in tags {
            if let key = keys[tag.key] { values[key] = tag.value }
        }
        func text(_ key: OSMKey) -> String? { values[key].flatMap { block.text($0) } }
        guard values[.name] != nil, values.count > 1, let name = text(.name).flatMap(Self.clean) else { return nil }
        func found(_ keys: [OSMKey]) -> String? {
            for key in keys {
                if let word = text(key), Self.isWord(word) { return word }
            }
            return nil
        }
        let highway = text(.highway)
        if let word = text(.place), OSMKey.settlements.contains(word) {
            (kind, self.word) = (.settlement, word)
        } else if isWay, let word = highway, Self.isWord(word) {
            (kind, self.word) = (.street, word)
        } else if let word = found(OSMKey.points) ?? (highway == "bus_stop" ? highway : nil) {
            (kind, self.word) = (.point, word)
        } else {
            return nil
        }
        self.name = name
        var others: [String] = []
        for key in OSMKey.otherNames {
            // Several spellings of one key are separated by semicolons.
            for part in (text(key) ?? "").split(separator: ";") where others.count < OSMName.mostOthers {
                if let other = Self.clean(String(part)), other != name, !others.contains(other) { others.append(other) }
            }
        }
        self.others = others
        let people = text(.population).flatMap { Int64($0) } ?? 0
        population = (0...OSMName.greatestPopulation).contains(people) ? people : 0
    }

    /// Returns a name without blanks around it; `nil` if it is empty, too long, or has control characters.
    private static func clean(_ name: String) -> String? {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\u{A0}" }
        let name = name.drop(while: blank)
        let end = name.lastIndex { !blank($0) }.map { name.index(after: $0) } ?? name.startIndex
        let plain = String(name[..<end])
        let isFitting = (1...OSMName.longestName).contains(plain.utf8.count)
        return isFitting && plain.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? plain : nil
    }

    /// Returns whether a value is a word, as OpenStreetMap has for what is usual; `yes` and `no` say nothing.
    private static func isWord(_ value: String) -> Bool {
        (1...OSMName.longestWord).contains(value.utf8.count) && value != "yes" && value != "no"
            && value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    /// Returns the name with its position.
    func at(_ place: Coordinate) -> OSMName {
        OSMName(kind: kind, word: word, name: name, others: others, place: place, population: population)
    }
}

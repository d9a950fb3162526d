/// The minimal ICC profile (ICC.1, version 4.4) that replaces the profile of a picture in its copy.
///
/// Copies need a profile because the pictures of most phones look dull without one. Only numbers are copied. An
/// original profile also names the device that it was made for, sometimes with its serial number, the date and the
/// author, and may contain anything in private tags.
///
/// Profiles that do not consist of three primaries, or of grey, and curves are left out. No camera writes such
/// profiles.
enum ColorProfile {
    /// Returns a new profile with the numbers of a profile, or `nil` if a necessary number is missing or the profile is
    /// malformed.
    static func plain(_ bytes: PictureBytes) -> [UInt8]? {
        guard bytes.has("acsp".utf8, at: 36), let version = bytes[8], (2...4).contains(version),
            let space = bytes.name(at: 16), bytes.has("XYZ ".utf8, at: 20),
            let count = bytes.number(at: 128, width: 4), count <= maximumTags
        else { return nil }
        let needed: Set<String>
        switch space {
        case "RGB ": needed = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "wtpt"]
        case "GRAY": needed = ["kTRC", "wtpt"]
        default: return nil
        }
        var tags: [(name: String, data: [UInt8])] = []
        for place in (0..<count).map({ 132 + $0 * 12 }) {
            guard let name = bytes.name(at: place), let offset = bytes.number(at: place + 4, width: 4),
                let length = bytes.number(at: place + 8, width: 4)
            else { return nil }
            guard needed.contains(name) || name == "chad" else { continue }
            guard let data = bytes.part(offset..<offset + length).flatMap({ element($0, of: name) }),
                !tags.contains(where: { $0.name == name })
            else { return nil }
            tags.append((name, data))
        }
        guard needed.isSubset(of: tags.map(\.name)) else { return nil }
        let isNew = version == 4
        tags += [("desc", isNew ? localized("Colours") : described("Colours"))]
        tags += [("cprt", isNew ? localized("None") : element("text") + Array("None".utf8) + [0])]
        return profile(version: version, space: space, intent: bytes[67] ?? 0, tags)
    }

    /// The maximum numbers of entries in a curve and of tags in a profile.
    ///
    /// Larger ones are not accepted.
    private static let (longestCurve, maximumTags) = (4096, 100)

    /// Returns a new element with the numbers of an element, or `nil` if it does not have the form that its tag
    /// requires.
    private static func element(_ data: PictureBytes, of tag: String) -> [UInt8]? {
        func numbers(_ name: String, from offset: Int, _ count: Int) -> [UInt8]? {
            guard data.has(name.utf8, at: 0), let numbers = data.bytes(8..<offset + count) else { return nil }
            return element(name) + numbers
        }
        switch tag {
        case "chad": return numbers("sf32", from: 8, 36)
        case "rXYZ", "gXYZ", "bXYZ", "wtpt": return numbers("XYZ ", from: 8, 12)
        default:
            if let count = data.number(at: 8, width: 4), count <= longestCurve,
                let curve = numbers("curv", from: 12, count * 2)
            {
                return curve
            }
            let counts = [1, 3, 4, 5, 7]
            guard let kind = data.number(at: 8, width: 2), counts.indices.contains(kind) else { return nil }
            return numbers("para", from: 12, counts[kind] * 4)
        }
    }

    /// Returns the header of an element: its type, and four reserved bytes.
    private static func element(_ name: String) -> [UInt8] { Array(name.utf8) + [0, 0, 0, 0] }

    /// Returns a text element of version 4.
    private static func localized(_ text: String) -> [UInt8] {
        element("mluc") + big(1) + big(12) + Array("enUS".utf8) + big(text.utf8.count * 2) + big(28)
            + text.utf8.flatMap { [0, $0] }
    }

    /// Returns a description element of version 2, with the text in ASCII and not in other scripts.
    private static func described(_ text: String) -> [UInt8] {
        element("desc") + big(text.utf8.count + 1) + Array(text.utf8) + [UInt8](repeating: 0, count: 1 + 8 + 3 + 67)
    }

    private static func profile(
        version: UInt8, space: String, intent: UInt8, _ tags: [(name: String, data: [UInt8])]
    ) -> [UInt8] {
        var table = big(tags.count)
        var data: [UInt8] = []
        for tag in tags {
            table += Array(tag.name.utf8) + big(132 + tags.count * 12 + data.count) + big(tag.data.count)
            data += tag.data + [UInt8](repeating: 0, count: (4 - tag.data.count % 4) % 4)
        }
        var header = big(132 + tags.count * 12 + data.count) + big(0) + [version, 0, 0, 0]
        header += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 24) + big(Int(intent & 3))
        // The white point D50, which the profile connection space of every profile has.
        header += big(0xF6D6) + big(0x1_0000) + big(0xD32D)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + data
    }

    private static func big(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

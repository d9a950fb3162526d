/// The parameters of a query or a form, as far as a tracking app's protocol knows them.
///
/// Other parameters are skipped, so the memory is bounded by the number of known names. A repeated name keeps its first
/// value.
struct FormParameters: Sendable, Equatable {
    /// The names that some app uses for what is read.
    private static let names: Set<String> = [
        "acc", "accuracy", "alt", "altitude", "app", "batt", "bearing", "device_id", "deviceid", "dir", "hdop",
        "heading", "id", "lat", "location", "lon", "spd", "speed", "time", "timestamp", "valid",
    ]
    /// The longest name, in bytes as sent; the known ones have 9 characters, each up to three bytes long.
    private static let maximumNameLength = 27
    /// The longest value, in bytes as sent; no known one has a third of it.
    ///
    /// A longer one counts as not sent.
    private static let maximumValueLength = 256

    private var values: [String: String] = [:]

    /// Parses `name=value` pairs with `&` between them, in the encoding of forms.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    /// - SeeAlso: *URL Standard*, section 5.1, application/x-www-form-urlencoded parsing.
    init(parsing text: [UInt8]) {
        // Not by `split`: an array of all pairs would take sixteen times the memory of the text.
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            add(rest[..<end])
            rest = rest[min(end + 1, rest.endIndex)...]
        }
    }

    private mutating func add(_ pair: ArraySlice<UInt8>) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        let name = pair[..<equals]
        let value = equals < pair.endIndex ? pair[(equals + 1)...] : []
        guard name.count <= Self.maximumNameLength, value.count <= Self.maximumValueLength else { return }
        let key = Self.decode(name)
        guard Self.names.contains(key), values[key] == nil else { return }
        values[key] = Self.decode(value)
    }

    /// Whether no known parameter was sent.
    var isEmpty: Bool { values.isEmpty }

    /// Whether there is a parameter for the place.
    var hasPlace: Bool { values["lat"] != nil || values["location"] != nil }

    /// The value of a parameter without white space around it; `nil` if it was not sent or is empty.
    subscript(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        let trimmed = value.trimmingBlanks()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Returns whether a parameter was sent, with or without a value.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The first of the identifiers that has the form of a secret.
    var secret: PhoneSecret? {
        for name in ["id", "deviceid", "device_id"] {
            if let secret = values[name].flatMap({ PhoneSecret($0) }) { return secret }
        }
        return nil
    }

    /// Returns these parameters and those of a form; these go first.
    func merging(_ form: FormParameters) -> FormParameters {
        var merged = self
        merged.values.merge(form.values) { first, _ in first }
        return merged
    }

    /// Decodes `%XX`, and `+` as a space; bytes that are not UTF-8 become U+FFFD, and a `%` without digits stays.
    static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = true) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), text.endIndex - index > 2,
                let high = Hexadecimal.value(of: text[index + 1]), let low = Hexadecimal.value(of: text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without ASCII white space at its ends.
    func trimmingBlanks() -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var bytes = Array(utf8)[...]
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

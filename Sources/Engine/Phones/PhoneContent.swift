internal import RPC
internal import TextCoding

/// What a request has beside its head, before it is known which app has sent it.
enum PhoneContent: Sendable {
    /// A JSON text.
    case json(JSONValue)
    /// The parameters of a form, a query or both.
    case parameters(FormParameters)
    /// A body that is neither JSON nor a known form.
    case unreadable
    /// No body, and no known parameter.
    case empty

    /// Finds the content of a request.
    ///
    /// JSON goes first, since an app can send it to an address with parameters. A body that is neither JSON nor a form
    /// does not matter if the query has a place: GPSLogger lets its user write any body.
    init(query: FormParameters, body: [UInt8]) {
        guard body.count <= PhoneRequest.maximumBodyLength else {
            self = .unreadable
            return
        }
        guard let first = body.first(where: { !Self.isBlank($0) }) else {
            self = query.isEmpty ? .empty : .parameters(query)
            return
        }
        if first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
            let form = FormParameters(parsing: body)
            if !form.isEmpty {
                self = .parameters(query.merging(form))
                return
            }
        }
        let json = PhoneJSON.value(body)
        if query.hasPlace, json.flatMap(PhoneClient.init(json:)) == nil {
            self = .parameters(query)
        } else {
            self = json.map(Self.json) ?? .unreadable
        }
    }

    /// The secret in a form or in Traccar Client's JSON; `nil` if there is none.
    var secret: PhoneSecret? {
        switch self {
        case .json(let value):
            if case .string(let text)? = value["device_id"] { PhoneSecret(text) } else { nil }
        case .parameters(let parameters): parameters.secret
        case .unreadable, .empty: nil
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Reads the JSON of phones, which may have small faults.
///
/// The parser of `RPC` is strict. A phone, however, deletes a whole batch after an answer, and what is wrong in it may
/// be the name of a Wi-Fi network. So the faults that can occur within a string are repaired.
enum PhoneJSON {
    /// Parses a JSON text in UTF-8, or in UTF-16 or UTF-32 with a byte order mark; `nil` if it is not JSON.
    static func value(_ body: [UInt8]) -> JSONValue? {
        let text = transcoded(body)
        if let value = try? JSONValue(parsing: text.span) { return value }
        let repaired = repaired(text)
        guard repaired != text else { return nil }
        return try? JSONValue(parsing: repaired.span)
    }

    private static func transcoded(_ body: [UInt8]) -> [UInt8] {
        // Every byte order mark begins with one of these, and no JSON text does.
        guard let first = body.first, [0x00, 0xEF, 0xFE, 0xFF].contains(first) else { return body }
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(body.span, into: &text)
        transcoder.finish(into: &text)
        return text
    }

    /// Returns the text with U+FFFD in place of invalid UTF-8 and, within strings, of U+0000 and of half surrogate
    /// pairs, and with a space in place of each control character within strings.
    static func repaired(_ text: [UInt8]) -> [UInt8] {
        let valid = Array(String(decoding: text, as: UTF8.self).utf8)
        var output: [UInt8] = []
        output.reserveCapacity(valid.count)
        var isWithinString = false
        var index = 0
        while index < valid.count {
            let byte = valid[index]
            var length = 1
            if byte == UInt8(ascii: "\"") {
                isWithinString.toggle()
                output.append(byte)
            } else if !isWithinString || (byte >= 0x20 && byte != UInt8(ascii: "\\")) {
                output.append(byte)
            } else if byte < 0x20 {
                output.append(0x20)
            } else {
                length = escape(valid, at: index, into: &output)
            }
            index += length
        }
        return output
    }

    /// Appends the escape sequence that begins at `index`, and returns how many bytes of the text it takes.
    private static func escape(_ text: [UInt8], at index: Int, into output: inout [UInt8]) -> Int {
        guard let code = unit(text, at: index) else {
            let pair = text[index..<min(index + 2, text.count)]
            output.append(contentsOf: pair)
            return pair.count
        }
        var length = 6
        var isValid = code != 0
        if (0xD800..<0xDC00).contains(code) {
            isValid = unit(text, at: index + 6).map { (0xDC00..<0xE000).contains($0) } ?? false
            if isValid { length = 12 }
        } else if (0xDC00..<0xE000).contains(code) {
            isValid = false
        }
        if isValid {
            output.append(contentsOf: text[index..<index + length])
        } else {
            output.append(contentsOf: "\\ufffd".utf8)
        }
        return length
    }

    /// Returns the UTF-16 code unit of the `\u` escape at an index; `nil` if there is none.
    private static func unit(_ text: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var code: UInt32 = 0
        for byte in text[index + 2..<index + 6] {
            guard let digit = Hexadecimal.value(of: byte) else { return nil }
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}

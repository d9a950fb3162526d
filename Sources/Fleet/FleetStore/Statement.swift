#if Fleet
/// One statement of SQL with the values of its parameters, as PostgreSQL reads them from text.
struct Statement {
    let sql: String
    var parameters: [String?] = []
    /// The name under which the server keeps the statement prepared; `nil` for one that runs rarely.
    let name: String?

    /// Creates a statement that is prepared once a connection.
    init(named name: String, _ sql: String, _ parameters: [String?]) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }

    /// Creates a statement that runs rarely.
    init(_ sql: String, _ parameters: [String?] = []) {
        name = nil
        self.sql = sql
        self.parameters = parameters
    }

    /// The parameters as terminated texts one after another, and the offset of each; −1 for NULL.
    ///
    /// - Throws: ``FleetStoreError`` if a text contains the character U+0000, which PostgreSQL has not.
    func encoded() throws(FleetStoreError) -> (bytes: [UInt8], offsets: [Int64]) {
        var bytes: [UInt8] = []
        var offsets: [Int64] = []
        for parameter in parameters {
            guard let parameter else {
                offsets.append(-1)
                continue
            }
            offsets.append(Int64(bytes.count))
            let start = bytes.count
            bytes.append(contentsOf: parameter.utf8)
            guard !bytes[start...].contains(0) else {
                throw FleetStoreError(.unusableValue, "a text contains the character U+0000")
            }
            bytes.append(0)
        }
        return (bytes, offsets)
    }
}

/// The rows that a statement returned.
struct Rows {
    /// The values, each as text; `nil` for NULL.
    let values: [[String?]]

    /// Returns a text of a row.
    ///
    /// - Throws: ``FleetStoreError`` if there is none.
    func text(_ row: Int, _ column: Int) throws(FleetStoreError) -> String {
        guard row < values.count, column < values[row].count, let text = values[row][column] else {
            throw FleetStoreError(.damaged, "a value is missing in the database")
        }
        return text
    }

    /// Returns a number of a row.
    ///
    /// - Throws: ``FleetStoreError`` if there is none, or it is too large.
    func number<Number: FixedWidthInteger>(_ row: Int, _ column: Int) throws(FleetStoreError) -> Number {
        let text = try text(row, column)
        guard let number = Number(text) else {
            throw FleetStoreError(.damaged, "\"\(text.prefix(40))\" in the database is not a number in range")
        }
        return number
    }
}

/// Texts in which PostgreSQL reads values that are not texts.
enum ValueText {
    /// Returns an array, as `'{"a","b",NULL}'` has it between its quotes (PostgreSQL, section 8.15.2).
    static func array(_ values: [String?]) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for value in values {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            guard let value else {
                bytes.append(contentsOf: "NULL".utf8)
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in value.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an array of numbers.
    static func array(_ numbers: [Int64?]) -> String { array(numbers.map { number in number.map { "\($0)" } }) }

    /// Returns bytes in hexadecimal form (PostgreSQL, section 8.4.1).
    static func bytes(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "x")]
        text.reserveCapacity(2 + 2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads bytes in hexadecimal form; `nil` for another text.
    static func bytes(from text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count >= 2, digits.count % 2 == 0, digits[0] == UInt8(ascii: "\\"),
            digits[1] == UInt8(ascii: "x")
        else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 2, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
#endif

public import Positioning

/// The header of a CSV file: the first row, which names the columns.
///
/// Names are compared without case and surrounding white space. Columns may be in any order, and columns that were not
/// requested are ignored.
public struct CSVHeader: Sendable {
    private let columns: [String: Int]
    private let width: Int

    /// Creates a header from a row.
    ///
    /// - Throws: ``RecordingError`` with the names that were found if a required column is missing, or if a required or
    ///   optional column appears twice.
    public init(_ row: CSVRow, required: [String], optional: [String] = []) throws(RecordingError) {
        let names = row.fields.map(Self.normalized)
        var columns: [String: Int] = [:]
        for name in (required + optional).map(Self.normalized) {
            let places = names.indices.filter { names[$0] == name }
            guard places.count < 2 else {
                throw RecordingError("the header has the column \"\(name)\" \(places.count) times", line: row.line)
            }
            columns[name] = places.first
        }
        let missing = required.filter { columns[Self.normalized($0)] == nil }
        guard missing.isEmpty else {
            throw RecordingError(Self.complaint(missing: missing, found: row.fields), line: row.line)
        }
        self.columns = columns
        width = names.count
    }

    /// Returns whether the file has a column, which must be one of the requested columns.
    public func has(_ name: String) -> Bool { columns[Self.normalized(name)] != nil }

    /// Returns the value of a row in a column, or `nil` if there is no such column or the value is blank.
    ///
    /// A row that is shorter than the header has no value in the columns beyond it. White space around a value is part
    /// of the value.
    public func field(_ name: String, of row: CSVRow) -> String? {
        // Most callers pass the name in its normalised form.
        guard let index = columns[name] ?? columns[Self.normalized(name)], index < row.fields.count else { return nil }
        let value = row.fields[index]
        return value.utf8.allSatisfy(Self.isBlank) ? nil : value
    }

    /// Refuses a row that has values beyond the last column of the header.
    ///
    /// This happens if a field without quotes contains a comma. The values of such a row would be read from the wrong
    /// columns.
    public func check(_ row: CSVRow) throws(RecordingError) {
        guard row.fields.dropFirst(width).allSatisfy(\.isEmpty) else {
            throw RecordingError(
                "\(row.fields.count) fields, but the header has \(width); put a field that contains a comma in "
                    + "quotes", line: row.line)
        }
    }

    private static func complaint(missing: [String], found: [String]) -> String {
        // A header may contain anything, for example a line of an image file.
        let names = found.prefix(20).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
        let rest = found.count > 20 ? " and \(found.count - 20) more" : ""
        let wanted = missing.map { "\"\($0)\"" }.joined(separator: ", ")
        let hint =
            found.count == 1 && (found[0].contains(";") || found[0].contains("\t"))
            ? "; columns are separated by commas" : ""
        return "the header lacks \(wanted); it has \(names)\(rest)\(hint)"
    }

    private static func normalized(_ name: String) -> String {
        let start = name.utf8.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(start[...last])).lowercased()
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

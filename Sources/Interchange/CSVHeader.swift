public import Positioning

/// Which column holds what: the first row of a CSV file.
///
/// Names count without regard to case and to blanks around them; columns stand in any order, and those not asked for
/// are ignored.
public struct CSVHeader: Sendable {
    private let columns: [String: Int]
    private let width: Int

    /// The header that a row is.
    ///
    /// - Throws: ``RecordingError`` that says what was found where a required column is missing, or where a required
    ///   or optional one stands there twice.
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

    /// Whether the file has a column, among those asked for.
    public func has(_ name: String) -> Bool { columns[Self.normalized(name)] != nil }

    /// What a row says in a column; nil where the file has no such column, or the row nothing but blanks there.
    ///
    /// A row shorter than the header says nothing in the columns beyond. Blanks around a value are part of it.
    public func field(_ name: String, of row: CSVRow) -> String? {
        // Most names are given as they are kept.
        guard let index = columns[name] ?? columns[Self.normalized(name)], index < row.fields.count else { return nil }
        let value = row.fields[index]
        return value.utf8.allSatisfy(Self.isBlank) ? nil : value
    }

    /// Refuses a row that says something beyond the header's last column.
    ///
    /// That is what a comma in a field without quotes looks like; its values would be read from the wrong columns.
    public func check(_ row: CSVRow) throws(RecordingError) {
        guard row.fields.dropFirst(width).allSatisfy(\.isEmpty) else {
            throw RecordingError(
                "\(row.fields.count) fields, where the header has \(width); a field that holds a comma must stand in "
                    + "quotes", line: row.line)
        }
    }

    private static func complaint(missing: [String], found: [String]) -> String {
        // A header may hold anything at all, a line of a picture too.
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

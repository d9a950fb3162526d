import Positioning
import Receivers
import Yams

extension ConfigurationFile {
    /// Returns the text of a file, without a byte order mark.
    ///
    /// - Throws: ``RecordingError`` if the file cannot be read, is larger than ``greatestSize``, or is not UTF-8.
    static func text(of path: String) throws(RecordingError) -> String {
        let file = try FileBytes(path: path)
        var bytes: [UInt8] = []
        while let piece = try file.next() {
            bytes += piece
            guard bytes.count <= greatestSize else {
                throw RecordingError("it is larger than \(greatestSize) bytes, too large for a configuration file")
            }
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let text = String(validating: bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
        else { throw RecordingError("it is not UTF-8 text; save it as UTF-8") }
        return text
    }

    /// Returns the lines to refuse before the YAML is parsed, counted from 1.
    ///
    /// Tabs are refused here because the parser's messages about them are hard to understand. Aliases (`*NAME`) are
    /// refused because no value is long enough to need one, and a few lines of them can expand beyond any memory.
    static func unfitLines(of text: String) -> [(line: Int, reason: String)] {
        var unfit: [(line: Int, reason: String)] = []
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let indentation = line.prefix { " \t".utf8.contains($0) }
            guard let first = line.dropFirst(indentation.count).first, !"#\r".utf8.contains(first) else { continue }
            if indentation.contains(UInt8(ascii: "\t")) {
                unfit.append((index + 1, "the line is indented with a tab; use spaces"))
            } else if holdsAlias(line) {
                unfit.append((index + 1, "aliases such as *NAME are not supported; write the value itself"))
            }
        }
        return unfit
    }

    private static func holdsAlias(_ line: Substring.UTF8View) -> Bool {
        var before: UInt8 = 0x20
        var bytes = line
        while let byte = bytes.popFirst() {
            let isApart = " \t[]{},:".utf8.contains(before)
            if byte == UInt8(ascii: "#"), isApart { return false }
            if byte == UInt8(ascii: "*"), isApart, let next = bytes.first, !" \t\r".utf8.contains(next) { return true }
            before = byte
        }
        return false
    }

    /// Returns the line of an error in the YAML, and a clause that explains it.
    static func explain(_ error: YamlError) -> (line: Int?, reason: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            guard !problem.contains("nesting") else { return (mark.line, "it is nested too deeply") }
            let place = context.map { " (\($0.text) that begins on line \($0.mark.line))" } ?? ""
            return (mark.line, "this is not YAML: \(problem)\(place)")
        case .duplicatedKeysInMapping(let names, let context):
            let list = names.sorted().map(ConfigurationLayer.quoted).joined(separator: ", ")
            return (context.mark.line, "these keys are set more than once: \(list)")
        case .reader(let problem, let offset, _, let yaml):
            let line = offset.map { yaml.prefix($0).count { $0.isNewline } + 1 }
            return (line, "this is not YAML: \(problem)")
        default: return (nil, "this is not YAML: \(error)")
        }
    }
}

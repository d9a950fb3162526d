import Interchange
import Positioning
import TestSupport
import Testing

/// Returns the rows of a text, fed in pieces of `length` bytes.
func csvRows(of bytes: [UInt8], pieces length: Int = .max) throws(RecordingError) -> [CSVRow] {
    var reader = CSVReader()
    var rows: [CSVRow] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = Array(rest.prefix(length))
        try reader.feed(piece.span, into: &rows)
        rest = rest.dropFirst(piece.count)
    }
    try reader.finish(into: &rows)
    return rows
}

@Suite struct CSVReaderTests {
    @Test(
        arguments: [
            ("", []),
            ("\n\r\n\r", []),
            ("a", [["a"]]),
            ("a,b\n", [["a", "b"]]),
            ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
            ("a,b\rc,d", [["a", "b"], ["c", "d"]]),
            ("a\n\n\nb", [["a"], ["b"]]),
            ("a,\n,b\n,\n", [["a", ""], ["", "b"], ["", ""]]),
            ("a,", [["a", ""]]),
            ("\"\"\n", [[""]]),
            ("\"\"", [[""]]),
            ("\"a\"\"b\",\"c,d\"\n", [["a\"b", "c,d"]]),
            ("\"\"\"\"", [["\""]]),
            ("\"a\nb\",\"c\r\nd\",\"e\rf\"\r\ng", [["a\nb", "c\r\nd", "e\rf"], ["g"]]),
            (" a , \"b\"\"\"", nil),
            (" a ,b ", [[" a ", "b "]]),
            ("a;b\tc", [["a;b\tc"]]),
            ("Ä,日本,🦔", [["Ä", "日本", "🦔"]]),
        ] as [(String, [[String]]?)])
    func rowsAreParsedFromTheText(text: String, expected: [[String]]?) {
        for length in [1, 2, 3, .max] {
            #expect((try? csvRows(of: Array(text.utf8), pieces: length))?.map(\.fields) == expected)
        }
    }

    @Test func anotherSeparatorLeavesCommasInTheFields() throws {
        var reader = CSVReader(separator: UInt8(ascii: ";"))
        var rows: [CSVRow] = []
        let bytes = Array("a,b;\"c;d\";\n1,5;;\n".utf8)
        try reader.feed(bytes.span, into: &rows)
        try reader.finish(into: &rows)
        #expect(rows.map(\.fields) == [["a,b", "c;d", ""], ["1,5", "", ""]])
    }

    @Test func aRowHasTheNumberOfItsFirstLine() throws {
        let text = "a\r\n\r\n\"b\r\nb\rb\nb\",c\n\n\rd\re\n"
        for length in [1, 2, .max] {
            #expect(try csvRows(of: Array(text.utf8), pieces: length).map(\.line) == [1, 3, 9, 10])
        }
    }

    @Test func aByteOrderMarkDeterminesTheEncoding() throws {
        let text = "tïtle,🦔\n"
        let littleEndian = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let bigEndian = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [[0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + littleEndian, [0xFE, 0xFF] + bigEndian] {
            for length in [1, 3, .max] {
                #expect(try csvRows(of: bytes, pieces: length).map(\.fields) == [["tïtle", "🦔"]])
            }
        }
    }

    @Test(arguments: [
        ("a\nb,\"c\nd", 2, "field 2 begins here with a quote that is never closed"),
        ("\"a\nb\",\"c\nd", 2, "field 2 begins here with a quote that is never closed"),
        ("a\n\"", 2, "field 1 begins here with a quote that is never closed"),
        ("a,b\"c\"\n", 1, "field 2 has a quote but does not begin with one"),
        ("a, \"b\"\n", 1, "field 2 has a quote but does not begin with one"),
        ("a\n\"b\"c\n", 2, "field 1 has text after its closing quote"),
        ("\"b\" ,c\n", 1, "field 1 has text after its closing quote"),
        ("a\r\nb\r\n\0", 3, "field 1 contains a zero byte"),
        ("a\n\"b\n\0\"", 3, "field 1 contains a zero byte"),
    ])
    func ambiguousQuotesAndZeroBytesAreErrorsWithTheirPlace(text: String, line: Int, reason: String) {
        for length in [1, .max] {
            let error = #expect(throws: RecordingError.self) { try csvRows(of: Array(text.utf8), pieces: length) }
            #expect(error?.line == line)
            #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func rowsBeforeAnErrorAreReturned() throws {
        var reader = CSVReader()
        var rows: [CSVRow] = []
        let bytes = Array("a\nb\nc\"\nd\n".utf8)
        #expect(throws: RecordingError.self) { try reader.feed(bytes.span, into: &rows) }
        #expect(rows.map(\.fields) == [["a"], ["b"]])
    }

    @Test func bytesThatAreNotUTF8AreAnError() {
        let error = #expect(throws: RecordingError.self) {
            try csvRows(of: Array("a\nK".utf8) + [0xF6] + Array("ln\n".utf8))
        }
        #expect(error?.description == "line 2: field 1 is not UTF-8; save the file as UTF-8")
    }

    @Test func theLongestFieldIsReadAndALongerOneIsRefused() throws {
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: CSVReader.maximumFieldLength)
        for length in [1000, .max] {
            #expect(try csvRows(of: longest, pieces: length).first?.fields.first?.utf8.count == longest.count)
            let plain = #expect(throws: RecordingError.self) { try csvRows(of: longest + [0x78], pieces: length) }
            #expect(plain?.description == "line 1: field 1 is longer than 262144 bytes")
            let lines = Array("a\nb,\"".utf8) + [UInt8](repeating: 0x0A, count: longest.count + 1)
            let open = #expect(throws: RecordingError.self) { try csvRows(of: lines, pieces: length) }
            #expect(open?.line == 2)
            #expect(open?.reason.hasSuffix("is its closing quote missing?") == true)
        }
    }

    @Test func aRowIsLimitedInFieldsAndLength() throws {
        let commas = [UInt8](repeating: UInt8(ascii: ","), count: CSVReader.maximumFields - 1)
        #expect(try csvRows(of: commas).first?.fields.count == CSVReader.maximumFields)
        let many = #expect(throws: RecordingError.self) { try csvRows(of: [0x0A] + commas + commas) }
        #expect(many?.description == "line 2: the row has more than 1024 fields")
        let field = [UInt8](repeating: 0x78, count: CSVReader.maximumRowLength / 8) + [UInt8(ascii: ",")]
        let eight = Array(repeatElement(field, count: 8).joined())
        #expect(try csvRows(of: eight).first?.fields.count == 9)
        #expect(try csvRows(of: eight + [0x0A] + eight).count == 2)
        let long = #expect(throws: RecordingError.self) { try csvRows(of: eight + [0x78]) }
        #expect(long?.description == "line 1: the row is longer than 1048576 bytes")
    }

    @Test func writtenRowsAreReadBackForAnySplit() throws {
        var generator = SeededGenerator(seed: 4180)
        let characters: [Character] = [
            "\"", "\"", ",", ",", "\n", "\r", "\r\n", "a", "b", " ", "\t", "é", "🦔", "\u{FEFF}", ";", "'", "'", "=",
            "+", "-",
            "@", "＝", "1",
        ]
        for _ in 0..<300 {
            let rows: [[String]] = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    String(
                        (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                            characters[Int.random(in: 0..<characters.count, using: &generator)]
                        })
                }
            }
            var bytes: [UInt8] = []
            for row in rows { CSVWriter.append(row, to: &bytes) }
            var reader = CSVReader()
            var read: [CSVRow] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(Int.random(in: 1...20, using: &generator)))
                try reader.feed(piece.span, into: &read)
                rest = rest.dropFirst(piece.count)
            }
            try reader.finish(into: &read)
            // Swift compares strings by canonical equivalence, but here the bytes must be the same.
            #expect(read.map { $0.fields.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } })
        }
    }
}

@Suite struct CSVWriterTests {
    @Test(arguments: [
        (["a", "b c", ""], "a,b c,\n"),
        ([""], "\"\"\n"),
        (["", ""], ",\n"),
        (["a,b", "c\"d", "e\nf", "g\rh"], "\"a,b\",\"c\"\"d\",\"e\nf\",\"g\rh\"\n"),
        (["\u{FEFF}a", "b\u{FEFF}"], "\"\u{FEFF}a\",b\u{FEFF}\n"),
        ([], ""),
        (["=1+1", "+31 20 1", "-x", "@home", "\tx", " =1"], "'=1+1,'+31 20 1,'-x,'@home,'\tx,' =1\n"),
        (["'=1", "'x", "a=b", "-52.5", "+1e3", "＝1"], "''=1,'x,a=b,-52.5,+1e3,'＝1\n"),
        (["a\u{1B}[2J", "\u{9B}31m", "\u{0}\u{7F}", "\ta"], "a\u{FFFD}[2J,\u{FFFD}31m,\u{FFFD}\u{FFFD},'\ta\n"),
    ])
    func fieldsAreQuotedOnlyWhereNeeded(fields: [String], expected: String) {
        var bytes: [UInt8] = []
        CSVWriter.append(fields, to: &bytes)
        #expect(bytes == Array(expected.utf8))
    }
}

@Suite struct CSVHeaderTests {
    private let header = CSVRow(fields: ["Note", " LAT ", "lon", "Title"], line: 1)

    @Test func columnsAreFoundByNameInAnyOrder() throws {
        let header = try CSVHeader(header, required: ["title", "lat", "lon"], optional: ["radius_m"])
        let row = CSVRow(fields: ["x", "1.5", "  ", "Bridge"], line: 2)
        #expect(header.field("title", of: row) == "Bridge")
        #expect(header.field("Lat", of: row) == "1.5")
        #expect(header.has("LON"))
        #expect(header.field("lon", of: row) == nil)
        #expect(!header.has("radius_m"))
        #expect(header.field("radius_m", of: row) == nil)
        #expect(header.field("title", of: CSVRow(fields: ["x", "1"], line: 3)) == nil)
    }

    @Test func aMissingColumnIsAnErrorThatListsWhatIsThere() {
        let error = #expect(throws: RecordingError.self) { try CSVHeader(header, required: ["id", "lat", "kind"]) }
        #expect(
            error?.description
                == "line 1: the header lacks \"id\", \"kind\"; it has \"Note\", \" LAT \", \"lon\", \"Title\"")
    }

    @Test func columnsSeparatedBySemicolonsAreReported() {
        let row = CSVRow(fields: ["id;lat;lon"], line: 1)
        let error = #expect(throws: RecordingError.self) { try CSVHeader(row, required: ["id"]) }
        #expect(error?.reason.hasSuffix("columns are separated by commas") == true)
    }

    @Test func aRequestedColumnMayNotOccurTwice() throws {
        let row = CSVRow(fields: ["id", "x", "ID", "X"], line: 1)
        let error = #expect(throws: RecordingError.self) { try CSVHeader(row, required: ["id"]) }
        #expect(error?.reason == "the header has the column \"id\" 2 times")
        #expect(throws: RecordingError.self) { try CSVHeader(row, required: [], optional: ["x"]) }
        _ = try CSVHeader(CSVRow(fields: ["id", "x", "x"], line: 1), required: ["id"])
    }

    @Test func aRowWiderThanTheHeaderIsRefusedUnlessTheRestIsEmpty() throws {
        let header = try CSVHeader(header, required: ["lat"])
        try header.check(CSVRow(fields: ["a", "b", "c", "d", "", ""], line: 2))
        try header.check(CSVRow(fields: ["a"], line: 3))
        let error = #expect(throws: RecordingError.self) {
            try header.check(CSVRow(fields: ["a", "b", "c", "d", "e"], line: 4))
        }
        #expect(error?.description.hasPrefix("line 4: 5 fields, but the header has 4;") == true)
    }

    @Test func aHugeHeaderGivesAShortError() {
        let row = CSVRow(fields: (0..<1000).map { _ in String(repeating: "x", count: 1000) }, line: 1)
        let error = #expect(throws: RecordingError.self) { try CSVHeader(row, required: ["id"]) }
        #expect((error?.reason.utf8.count ?? .max) < 2000)
    }
}

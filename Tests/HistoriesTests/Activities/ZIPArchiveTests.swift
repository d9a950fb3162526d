import Positioning
import TestSupport
import Testing

@testable import Histories

@Suite struct ZIPArchiveTests {
    private static let text = Array(String(repeating: "46.5934 7.9075\n", count: 20_000).utf8)

    private static func archive(_ bytes: [UInt8]) throws(RecordingError) -> ZIPArchive {
        try ZIPArchive(length: Int64(bytes.count)) { offset, count in
            Array(bytes[Int(offset)..<Int(offset) + count])
        }
    }

    /// The bytes of each file, or its error.
    private static func contents(_ bytes: [UInt8]) throws(RecordingError) -> [Result<[UInt8], RecordingError>] {
        let archive = try archive(bytes)
        return archive.entries.map { entry in
            do throws(RecordingError) {
                var reader = try archive.reader(of: entry)
                var content: [UInt8] = []
                while let piece = try reader.next() {
                    guard !piece.isEmpty, piece.count <= 1 << 16 else {
                        throw RecordingError("a piece of another length")
                    }
                    content += piece
                }
                return .success(content)
            } catch {
                return .failure(error)
            }
        }
    }

    private static func reason(_ bytes: [UInt8]) -> String? {
        do throws(RecordingError) {
            for case .failure(let error) in try contents(bytes) { return error.reason }
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func storedAndDeflatedFilesAreRead() throws {
        let zip = MadeZIP([
            .init("a/doc.kml", Self.text), .init("b", Self.text, isDeflated: false), .init("empty", []),
            .init("none", [], isDeflated: false), .init("a/", [], isDeflated: false),
        ])
        #expect(try Self.contents(zip.bytes) == [Self.text, Self.text, [], [], []].map { .success($0) })
        let entries = try Self.archive(zip.bytes).entries
        #expect(entries.map(\.name) == ["a/doc.kml", "b", "empty", "none", "a/"])
        #expect(entries.map(\.length) == [Self.text, Self.text, [], [], []].map { Int64($0.count) })
        #expect(entries.map(\.isFolder) == [false, false, false, false, true])
        #expect(ZIPArchive.isZIP(zip.bytes))
        #expect(try ZIPArchive(zip.bytes).entries == entries)
        #expect(try Self.archive(MadeZIP([]).bytes).entries.isEmpty)
    }

    @Test func commentsAndBytesBeforeTheArchiveMakeNoDifference() throws {
        var zip = MadeZIP([.init("a", Self.text), .init("b", [1])])
        zip.comment = Array("a comment with PK\u{5}\u{6} in it".utf8)
        zip.prefix = [UInt8](repeating: 0x50, count: 1000)
        #expect(try Self.contents(zip.bytes) == [.success(Self.text), .success([1])])
        zip.comment = [UInt8](repeating: 0x20, count: 65_535)
        #expect(try Self.contents(zip.bytes) == [.success(Self.text), .success([1])])
    }

    @Test func theNumbersMayBeThoseOfZIP64() throws {
        var zip = MadeZIP([.init("a", Self.text), .init("b", [1, 2, 3])])
        zip.files[0].isLong = true
        #expect(try Self.contents(zip.bytes) == [.success(Self.text), .success([1, 2, 3])])
        zip.isLong = true
        #expect(try Self.contents(zip.bytes) == [.success(Self.text), .success([1, 2, 3])])
    }

    @Test func encryptedFilesAndOtherMethodsHaveAnObstacle() throws {
        var zip = MadeZIP([.init("a", Self.text), .init("b", Self.text), .init("c", Self.text)])
        zip.files[0].flags = 1
        zip.files[1].method = 12
        let entries = try Self.archive(zip.bytes).entries
        #expect(entries.map { $0.obstacle?.prefix(16) } == ["it is encrypted;", "its method of co", nil])
        let contents = try Self.contents(zip.bytes)
        #expect(contents[2] == .success(Self.text))
        for index in 0..<2 { #expect(contents[index] == .failure(RecordingError(entries[index].obstacle ?? ""))) }
    }

    @Test func aFileThatIsNotAsTheDirectorySaysIsRefused() {
        var zip = MadeZIP([.init("a", Self.text)])
        zip.files[0].checksum ^= 1
        #expect(Self.reason(zip.bytes)?.contains("checksum") == true)
        for isDeflated in [true, false] {
            for change in [-1, 1] {
                var zip = MadeZIP([.init("a", Self.text, isDeflated: isDeflated)])
                zip.files[0].length += change
                #expect(Self.reason(zip.bytes)?.contains("another length") == true)
            }
        }
        zip = MadeZIP([.init("a", Self.text), .init("b", Self.text)])
        zip.files[0].compressedLength = zip.files[0].stored.count - 1
        #expect(Self.reason(zip.bytes)?.contains("cut off") == true)
        zip.files[0].compressedLength = zip.files[0].stored.count + 1
        #expect(Self.reason(zip.bytes)?.contains("another length") == true)
    }

    @Test func whatExpandsTooMuchIsRefusedBeforeItIsRead() {
        var zip = MadeZIP([.init("a", [])])
        zip.files[0].length = 40 << 20
        #expect(Self.reason(zip.bytes)?.contains("200 times its length") == true)
        // Each file alone is within the bound.
        zip = MadeZIP((0..<5).map { .init("\($0)", [], isDeflated: false) })
        for index in zip.files.indices { zip.files[index].length = 8 << 20 }
        #expect(Self.reason(zip.bytes)?.contains("200 times its length") == true)
        // Many files of the same bytes.
        zip = MadeZIP((0..<50).map { .init("\($0)", Self.text, isDeflated: false) })
        zip.overlaps = true
        #expect(Self.reason(zip.bytes)?.contains("overlap") == true)
    }

    @Test func anArchiveThatIsCutOffIsRefused() throws {
        let bytes = MadeZIP([.init("a", Self.text), .init("b", [1])]).bytes
        for count in bytes.indices { #expect(throws: RecordingError.self) { try Self.archive(Array(bytes[..<count])) } }
        var part = bytes
        part[bytes.count - 18] = 1
        #expect(Self.reason(part)?.contains("part of several") == true)
    }

    @Test func theNumberOfFilesMayHaveWrappedAround() throws {
        let zip = MadeZIP((0..<3).map { .init("\($0)", [UInt8($0)], isDeflated: false) })
        var bytes = zip.bytes
        #expect(bytes[bytes.count - 12] == 3)
        bytes[bytes.count - 12] = 2
        #expect(Self.reason(bytes)?.contains("damaged") == true)
        // The directory of an empty file, 2^16 times more.
        let one = MadeZIP([.init("", [], isDeflated: false)]).bytes
        let (record, end) = (one[33..<80], Array(one[80...]))
        let length = UInt32(record.count * 65_537)
        var many = Array(one[..<33])
        for _ in 0..<65_537 { many += record }
        many += end[..<12]
        for shift in stride(from: UInt32(0), to: 32, by: 8) { many.append(UInt8(length >> shift & 0xFF)) }
        many += end[16...]
        #expect(try Self.archive(many).entries.count == 65_537)
    }

    @Test func tooManyFilesAreRefused() {
        var zip = MadeZIP([.init("a", [1])])
        zip.isLong = true
        var bytes = zip.bytes
        // The number of files in the record of ZIP64.
        bytes.replaceSubrange(bytes.count - 22 - 20 - 56 + 32..<bytes.count - 22 - 20 - 56 + 36, with: [0, 0, 0x10, 0])
        #expect(Self.reason(bytes)?.contains("files; unpack it first") == true)
    }

    @Test func aSourceThatFailsOrEndsEarlyFailsTheArchive() throws {
        let bytes = MadeZIP([.init("a", Self.text)]).bytes
        #expect(throws: RecordingError("gone")) {
            try ZIPArchive(length: Int64(bytes.count)) { _, _ throws(RecordingError) in throw RecordingError("gone") }
        }
        #expect(throws: RecordingError.self) {
            try ZIPArchive(length: Int64(bytes.count)) { offset, count in
                Array(bytes[Int(offset)..<Int(offset) + count].dropLast())
            }
        }
    }

    @Test func noDamageTraps() {
        var generator = SeededGenerator(seed: 77)
        var zip = MadeZIP([.init("a", Array(Self.text.prefix(400))), .init("b", [1, 2, 3], isDeflated: false)])
        for round in 0..<3000 {
            zip.isLong = round % 3 == 0
            zip.files[0].isLong = round % 2 == 0
            let damaged = generator.damaged(zip.bytes)
            guard let contents = try? Self.contents(damaged) else { continue }
            // The checksum holds whatever else was damaged.
            for case .success(let content) in contents where content.count > 3 {
                #expect(content == Array(Self.text.prefix(400)))
            }
        }
    }
}

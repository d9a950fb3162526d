import Foundation
import Positioning
import TestSupport
import Testing

@testable import Receivers

@Suite struct FileBytesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0, 1, FileBytes.pieceLength - 1, FileBytes.pieceLength, FileBytes.pieceLength + 1, 300_000])
    func thePiecesMakeUpTheFile(length: Int) throws {
        var generator = SeededGenerator(seed: UInt64(length))
        let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let file = try FileBytes(path: try folder.file("file", content))
        var read: [UInt8] = []
        while let piece = try file.next() {
            #expect((1...FileBytes.pieceLength).contains(piece.count))
            read += piece
        }
        #expect(read == content)
        #expect(try file.next() == nil)
    }

    @Test func aSymbolicLinkIsFollowed() throws {
        let file = try folder.file("file", "text")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(try FileBytes(path: link).next() == Array("text".utf8))
    }

    @Test func aFileThatCannotBeOpenedGivesTheReason() throws {
        func reason(_ path: String) -> String? {
            #expect(throws: RecordingError.self) { try FileBytes(path: path) }?.reason
        }
        #expect(reason(folder.file("nothing")) == "there is no such file")
        #expect(reason("") != nil)
        #expect(reason(folder.path) == "this is a folder; name a file in it")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        #expect(reason(link) == "this is a folder; name a file in it")
    }

    @Test(arguments: [
        ([UInt8]("<gpx".utf8), "xml"), ([0xEF, 0xBB, 0xBF, 0x3C], "xml"), ([0xFF, 0xFE, 0x3C, 0x00], "xml"),
        ([0xFE, 0xFF, 0x00, 0x3C], "xml"), ([UInt8]("\r\n\t {".utf8), "json"), ([UInt8]("$GPGGA".utf8), "text"),
        ([UInt8]("id,title".utf8), "text"), ([], "text"), ([0xEF, 0xBB, 0xBF], "text"),
    ])
    func theKindOfContentIsDetectedFromItsBeginning(beginning: [UInt8], kind: String) {
        #expect("\(ContentKind(of: beginning.span))" == kind)
    }
}

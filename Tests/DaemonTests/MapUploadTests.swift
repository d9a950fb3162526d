#if Companion
import Callers
import Foundation
import RPC
import Service
import TestSupport
import Testing
import WebServer

@testable import Daemon

/// The upload of maps.
@Suite struct MapUploadTests {
    private let folder: TemporaryFolder
    private let maps: MapFolder

    init() throws {
        folder = try TemporaryFolder()
        maps = MapFolder(ofStore: folder.file("van.sqlite"))
    }

    /// A PMTiles file with one tile.
    private static let pmtiles: [UInt8] = {
        var bytes = Array("PMTiles".utf8) + [3]
        for value: UInt8 in [127, 5, 0, 0, 132, 0, 132, 5, 1, 1, 1] {
            bytes += [value] + [UInt8](repeating: 0, count: 7)
        }
        return bytes + [1, 1, 1, 2, 0, 0] + [UInt8](repeating: 0, count: 25) + [1, 0, 1, 5, 1] + Array("world".utf8)
    }()

    /// Uploads a map in pieces of ten bytes, as an administrator by default.
    private func upload(
        _ bytes: [UInt8], as name: String..., rights: Set<AccessRight> = [.read, .change], length: Int? = nil
    ) async throws -> JSONText {
        let caller = Principal(number: 1, origin: .user(1000), rights: rights)
        let request = FileRoute.Request(call: Call(caller: caller), rest: name, parameters: [:], length: length)
        let receiver = try await MapUpload.route(to: maps).receive.known(request)
        for begin in stride(from: 0, to: bytes.count, by: 10) {
            try await receiver.write(Array(bytes[begin..<min(begin + 10, bytes.count)]))
        }
        return try await receiver.finish()
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: maps.path)) ?? []).sorted()
    }

    @Test func anUploadedMapIsInTheFolder() async throws {
        let answer = try await upload(Self.pmtiles, as: "alps")
        #expect(
            String(decoding: answer.bytes, as: UTF8.self) == #"{"name":"alps","size":137,"min_zoom":0,"max_zoom":0}"#)
        #expect(files == ["alps.pmtiles"])
        #expect(await maps.maps().map(\.problem) == [nil])
        #expect(MapUpload.route(to: maps).uploads.type == "application/octet-stream")
    }

    @Test func onlyAdministratorsMayUpload() async throws {
        let refusal = await #expect(throws: Refusal.self) {
            try await upload(Self.pmtiles, as: "alps", rights: [.read, .person])
        }
        #expect(refusal?.kind == .notAllowed)
        #expect(files.isEmpty)
    }

    @Test(arguments: [["../alps"], [""], [".a"], [], ["alps", "b"], ["alps.pmtiles"]])
    func otherNamesAreRefused(_ name: [String]) async throws {
        let caller = Principal(number: 1, origin: .user(1000), rights: [.read, .change])
        let request = FileRoute.Request(call: Call(caller: caller), rest: name, parameters: [:])
        let refusal = await #expect(throws: Refusal.self) {
            _ = try await MapUpload.route(to: maps).receive.known(request)
        }
        #expect(refusal?.kind == .invalidValue)
        #expect(files.isEmpty)
    }

    @Test func nothingIsLeftOfWhatIsNoMapOrDoesNotFit() async throws {
        for bytes in [Array("nonsense".utf8), Array(Self.pmtiles.prefix(120)), []] {
            let refusal = await #expect(throws: Refusal.self) { try await upload(bytes, as: "alps") }
            // Without a byte there is no file.
            #expect(refusal?.kind == .invalidValue)
        }
        let tooLarge = await #expect(throws: Refusal.self) {
            try await upload(Self.pmtiles, as: "alps", length: Int.max)
        }
        #expect(tooLarge?.kind == .unavailable)
        #expect(files.isEmpty)
    }
}
#endif

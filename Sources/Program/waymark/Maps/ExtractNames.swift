#if Companion
import Daemon
import Geodesy
import OSM
import RPC
import Store
import TextCoding
import WebServer

/// The names in an extract of OpenStreetMap, which are read twice: to check the extract before a map is made of it, and
/// to send them to the gazetteer.
struct ExtractNames {
    /// The path of the extract.
    let file: String

    /// What the extract contains.
    struct Survey {
        /// The area as west, south, east and north in degrees, if the extract does not say it itself.
        var missingBounds: [Double]?
    }

    /// The longest part in bytes; with the escapes of JSON it still fits into a line of the socket.
    private static let longestPart = 600_000

    /// Reads the whole extract, and forgets what it says.
    ///
    /// - Throws: `MapFolder.Failure` if it is damaged or empty, and `CancellationError`.
    func survey() throws -> Survey {
        var survey = Survey()
        try read("checked") { reader, _ in
            survey.missingBounds = reader.saysBounds ? nil : reader.bounds
        }
        return survey
    }

    /// Sends the names to a daemon or a store, as those of a map.
    ///
    /// - Parameter reader: A reader of the extract at its beginning.
    /// - Returns: The number of names that can be searched for, and whether there were more than can be taken.
    func send(
        _ reader: OSMNameReader, to responder: any Responder, of map: String
    ) async throws -> (names: Int, isCut: Bool) {
        var reader = reader
        var (text, number): ([UInt8], Int64) = ([], 0)
        var isCut = false
        let progress = Progress()
        defer { progress.clear() }
        func part(isLast: Bool) async throws -> JSONValue {
            number += 1
            defer { text.removeAll(keepingCapacity: true) }
            return try await responder.call(
                "maps.addNames",
                [
                    "name": .string(map), "text": .string(String(decoding: text, as: UTF8.self)),
                    "part": .integer(number),
                    "last": .bool(isLast),
                ])
        }
        while let names = try next(of: &reader) {
            try Task.checkCancellation()
            progress.show("\(file): names \(Self.percent(reader.progress))")
            for name in names {
                Self.append(name, to: &text)
                if text.count > Self.longestPart { _ = try await part(isLast: false) }
            }
            isCut = reader.isCut
        }
        let answer = try await part(isLast: true)
        return (answer.integer("names") ?? 0, isCut)
    }

    /// Reads the extract to its end, and calls `body` with the names of each block.
    private func read(_ verb: String, _ body: (OSMNameReader, [OSMName]) throws -> Void) throws {
        let progress = Progress()
        defer { progress.clear() }
        var (reader, _) = try begin()
        while let names = try next(of: &reader) {
            try Task.checkCancellation()
            progress.show("\(file): \(Self.percent(reader.progress)) \(verb)")
            try body(reader, names)
        }
    }

    private static func percent(_ share: Double) -> String { "\(DecimalText.string(share * 100, decimals: 0)) %" }

    /// Opens the extract, and returns its reader and its size in bytes.
    func begin() throws -> (reader: OSMNameReader, size: Int) {
        let calls = FileCalls()
        do {
            let opened = try calls.open(file, links: .followed)
            let status = try calls.status(opened)
            guard status.isRegular else { throw MapFolder.Failure(file: file, reason: "it is not a file") }
            guard status.size > 0 else { throw MapFolder.Failure(file: file, reason: "it is empty") }
            let beginning = try calls.read(opened, from: 0, count: 15)
            guard beginning.starts(with: [0, 0]), beginning.dropFirst(4).elementsEqual(Self.beginning) else {
                throw MapFolder.Failure(
                    file: file, reason: "it is not an extract of OpenStreetMap in the format .osm.pbf")
            }
            let bytes = ExtractBytes(opened)
            return (OSMNameReader(size: status.size) { try bytes.read($0, $1) }, status.size)
        } catch let failure as FileCalls.Failure {
            throw unreadable(failure)
        }
    }

    /// The type of the first block, OSMHeader, as the first field of its header.
    private static let beginning = [10, 9] + Array("OSMHeader".utf8)

    private func next(of reader: inout OSMNameReader) throws -> [OSMName]? {
        do {
            return try reader.next()
        } catch let error as OSMError {
            throw MapFolder.Failure(file: file, reason: "\(error)")
        } catch let failure as FileCalls.Failure {
            throw unreadable(failure)
        }
    }

    private func unreadable(_ failure: FileCalls.Failure) -> MapFolder.Failure {
        MapFolder.Failure(file: file, reason: "it cannot be read: \(failure)")
    }

    /// Appends a name as a line of `maps.addNames`.
    private static func append(_ name: OSMName, to text: inout [UInt8]) {
        let columns = [
            name.kind.rawValue, name.word, DecimalText.string(name.place.latitude, decimals: 7),
            DecimalText.string(name.place.longitude, decimals: 7), "\(name.population)", name.name,
        ]
        text += columns.joined(separator: "\t").utf8
        for other in name.others { text += "\t\(other)".utf8 }
        text.append(0x0A)
    }
}

/// The open file of an extract, which a reader asks for its bytes.
private final class ExtractBytes {
    private let file: FileCalls.OpenFile

    init(_ file: consuming FileCalls.OpenFile) { self.file = file }

    func read(_ offset: Int, _ count: Int) throws -> [UInt8] {
        try FileCalls().read(file, from: offset, count: count)
    }
}
#endif

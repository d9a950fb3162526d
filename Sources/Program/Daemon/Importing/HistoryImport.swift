import Histories
import Positioning
package import RPC
import Receivers
package import Time
import Trips

/// An import of recordings and location histories as past trips.
///
/// Each file is read twice: first to its end, before anything is imported, and then to send its points in parts to the
/// method `trips.import`.
package struct HistoryImport {
    /// A file, a folder or an archive that was read to its end.
    package struct Source {
        fileprivate let past: any PastSource
        fileprivate let date: CalendarDate?

        /// Reads a file to its end; what it is, its first bytes tell.
        ///
        /// - Parameters:
        ///   - path: The path; `-` is standard input.
        ///   - name: What to call it in messages; its path by default.
        ///   - device: The device, instead of the one in an exported trip, or the name without its extension.
        ///   - date: The day on which a log without dates begins.
        /// - Throws: ``FileFailure`` if nothing in it can be imported.
        package init(
            path: String, name: String? = nil, device: String?, date: CalendarDate? = nil
        ) throws(FileFailure) {
            self.date = date
            past = try Self.read(path, name ?? path, device, date)
        }

        /// Its name in messages.
        package var name: String { past.name }

        private static func read(
            _ path: String, _ name: String, _ device: String?, _ date: CalendarDate?
        ) throws(FileFailure) -> any PastSource {
            if path == "-" { return try PastFile(path: path, name: name, device: device, date: date) }
            if HistorySource.isFolder(at: path) { return try PastHistory(path: path, name: name, device: device) }
            let signature: HistorySignature
            do throws(RecordingError) {
                signature = try HistorySource.signature(at: path)
            } catch {
                // A log may begin with noise.
                do throws(FileFailure) {
                    return try PastFile(path: path, name: name, device: device, date: date)
                } catch _ {
                    throw FileFailure(file: name, error: error)
                }
            }
            switch signature {
            case .nmea, .history(.gpx): return try PastFile(path: path, name: name, device: device, date: date)
            default: return try PastHistory(path: path, name: name, device: device)
            }
        }
    }

    /// Calls the method `trips.import`.
    ///
    /// It throws the error of the answer as an `RPCError`.
    package typealias Calling = nonisolated(nonsending) (_ parameters: JSONObject) async throws -> JSONValue

    /// The files to import.
    package let sources: [Source]
    /// What was imported so far.
    package private(set) var summary: ImportSummary
    /// Whether neither a trip nor a stop came of a recording, which is made on a journey.
    package private(set) var isEmpty = false

    /// Creates the import of some files.
    package init(_ sources: [Source]) {
        self.sources = sources
        var contents = PastContents()
        for source in sources { contents.add(source.past.contents) }
        summary = ImportSummary(contents)
    }

    /// Imports one of the files.
    ///
    /// - Parameters:
    ///   - call: Calls the method.
    ///   - progressed: Receives the number of points sent so far.
    ///   - imported: Receives each trip with its outcome, as the method returns it.
    ///   - noticed: Receives what was assumed about the file, or left out of it, as a clause.
    /// - Throws: ``FileFailure`` if the file can no longer be read, and the errors of `call` and `imported`.
    package nonisolated(nonsending) mutating func send(
        _ source: Source, calling call: Calling, progressed: (_ points: Int) -> Void = { _ in },
        imported: (_ trip: JSONValue) throws -> Void, noticed: (_ notice: String) -> Void = { _ in }
    ) async throws {
        var past = source.past
        var points = 0
        var hasFound = false
        var rejected = LeftOut()
        do {
            try await past.forEachPart(of: TripMethods.largestPart) { part, device in
                points += part.count
                progressed(points)
                let answer = ImportAnswer(try await call(part.parameters(device: device)))
                hasFound = hasFound || answer.hasStops || !answer.trips.isEmpty
                summary.count(answer)
                for trip in answer.trips { try imported(trip) }
                // The counts of an answer are those of the recording so far.
                if part.isEnd { rejected.add(answer.rejected) }
            }
        } catch let error as RPCError where error.data?["field"] == "points" {
            // The caller gave a file; the points are those of the file.
            let reason = error.data?["reason"].flatMap { String(json: $0) } ?? ""
            throw RPCError(error.code, "\(past.name): its points \(reason).")
        }
        let leftOut = Self.leftOut(of: past, source.date, rejected)
        summary.add(leftOut, of: past.name)
        var notices = past.notices
        if !hasFound { notices.append("nothing came of it: \(Self.reason(leftOut))") }
        if hasFound, leftOut.isNotable { notices.append(leftOut.words) }
        for notice in notices {
            summary.note(notice, of: past.name)
            noticed(notice)
        }
        isEmpty = isEmpty || !hasFound && past.mustTellOfJourney
    }

    /// Returns what became of the points of a file, of which the importer has rejected some.
    private static func leftOut(of past: any PastSource, _ date: CalendarDate?, _ rejected: LeftOut) -> LeftOut {
        var leftOut = past.leftOut
        leftOut.reasons.add(rejected.reasons)
        leftOut.first = [leftOut.first, rejected.first].compactMap(\.self)
            .min { $0.time ?? .earliest < $1.time ?? .earliest }
        if !leftOut.reasons.isEmpty, past.hasPlaces { leftOut.locateFirst(in: past.path, date: date) }
        return leftOut
    }

    /// Returns why nothing came of a file, as a clause.
    private static func reason(_ leftOut: LeftOut) -> String {
        guard !leftOut.isNotable else { return leftOut.words }
        let points = leftOut.read == 1 ? "1 point" : "\(leftOut.read) points"
        return "in its \(points) the device neither moved far enough for a trip nor stayed long enough for a stop"
    }
}

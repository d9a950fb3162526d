import Histories
import Positioning
import RPC
import Time

/// Something on a disk whose trips are to be imported.
///
/// It is read twice: first to its end, before anything is written, and then to send it.
protocol PastSource {
    /// Its path.
    var path: String { get }
    /// Its name in messages.
    var name: String { get }
    /// What was assumed about it, each as a clause.
    var notices: [String] { get }
    /// What the reader left out; the importer adds what it rejects.
    var leftOut: LeftOut { get }
    /// What it contains.
    var contents: PastContents { get }
    /// Whether points that were left out can be found in the file again.
    var hasPlaces: Bool { get }
    /// Whether the import fails if no trip and no stop comes of it.
    ///
    /// A recording is made on a journey. Of a history, part by part, that is not so.
    var mustTellOfJourney: Bool { get }

    /// Passes its points to `body` in parts of at most `most` points; the last part of a recording may be empty.
    ///
    /// - Throws: ``FileFailure`` if it can no longer be read, and the errors of `body`.
    nonisolated(nonsending) mutating func forEachPart(
        of most: Int, _ body: nonisolated(nonsending) (_ part: PastPart, _ device: String) async throws -> Void
    ) async throws
}

/// What files contain, as an import tells it.
struct PastContents {
    /// A file that was read.
    struct File {
        var name: String
        var format: String?
        var points: Int
    }

    /// The points and visits.
    var survey = HistorySurvey()
    /// What stood in the files as a point and was none, by reason.
    var dropped: [String: Int] = [:]
    /// The files that were read.
    var files: [File] = []
    /// The files of folders and archives that were passed over, with the reason.
    var skipped: [(name: String, reason: String, isDamaged: Bool)] = []

    /// Adds the contents of another source.
    mutating func add(_ other: PastContents) {
        survey.add(other.survey)
        dropped.merge(other.dropped, uniquingKeysWith: +)
        files += other.files
        skipped += other.skipped
    }

    /// The kind of all files; `nil` if they are of several kinds.
    var format: String? {
        guard let first = files.first?.format, files.allSatisfy({ $0.format == first }) else { return nil }
        return first
    }

    /// The contents as members of the summary of an import, which lists at most a number of files.
    func addMembers(to json: inout JSONObject, atMost most: Int) {
        json["format"] = format.map { .string($0) } ?? .null
        json["points"] = .integer(Int64(survey.points))
        var reasons = JSONObject()
        for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) { reasons[reason] = .integer(Int64(count)) }
        json["dropped"] = .object(reasons)
        json["first"] = survey.first.map { .string($0.description) }
        json["last"] = survey.last.map { .string($0.description) }
        json["bounds"] = survey.bounds.map { bounds in
            [
                "south": .number(bounds.south), "west": .number(bounds.west), "north": .number(bounds.north),
                "east": .number(bounds.east),
            ]
        }
        json["tracks"] = .integer(Int64(survey.tracks))
        json["visits"] = .integer(Int64(survey.visits))
        json["files"] = .array(
            files.prefix(most).map { file in
                .object([
                    "file": .string(file.name), "format": file.format.map { .string($0) } ?? .null,
                    "points": .integer(Int64(file.points)),
                ])
            })
        if !skipped.isEmpty {
            json["skipped"] = .array(
                skipped.prefix(most).map { ["file": .string($0.name), "reason": .string($0.reason)] })
        }
    }
}

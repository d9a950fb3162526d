import Positioning
package import RPC
import Receivers

/// What came of an import, in numbers.
package struct ImportSummary: Sendable {
    /// The number of stops that were added.
    package private(set) var stops = 0
    /// The number of files, folders and archives that were imported.
    package private(set) var files = 0
    /// What became of their points.
    package private(set) var leftOut = LeftOut()
    private let contents: PastContents
    private var notices: [(file: String, text: String)] = []
    /// The file of the first point that was left out.
    private var firstFile: String?
    private var outcomes: [String: Int] = [:]

    /// Creates the summary of an import that has not begun.
    init(_ contents: PastContents) { self.contents = contents }

    /// The number of trips that were added.
    package var added: Int { number("added") }
    /// The number of trips that were stored already.
    package var known: Int { number("known") }
    /// The number of trips that were left out, because another trip of their device overlaps them.
    package var overlapping: Int { number("overlapping") }

    /// The damaged files of folders and archives, which were passed over.
    package var damaged: [(name: String, reason: String)] {
        contents.skipped.filter(\.isDamaged).map { ($0.name, $0.reason) }
    }

    /// The number of files of folders and archives that were passed over.
    var skippedCount: Int { contents.skipped.count }

    private func number(_ outcome: String) -> Int { outcomes[outcome] ?? 0 }

    // MARK: Counting

    mutating func count(_ answer: ImportAnswer) {
        stops += answer.stops
        for trip in answer.trips {
            let outcome = trip["outcome"].flatMap { String(json: $0) } ?? ""
            outcomes[outcome, default: 0] += 1
        }
    }

    mutating func add(_ account: LeftOut, of file: String) {
        files += 1
        if leftOut.first == nil, account.first != nil { firstFile = file }
        leftOut.add(account)
    }

    mutating func note(_ notice: String, of file: String) { notices.append((file, notice)) }

    // MARK: Telling

    /// Returns the members of the summary as JSON.
    ///
    /// - Parameter most: The most elements in each list.
    package func members(atMost most: Int = .max) -> JSONObject {
        var json: JSONObject = [
            "added": .integer(Int64(added)), "known": .integer(Int64(known)),
            "overlapping": .integer(Int64(overlapping)), "stops": .integer(Int64(stops)),
            "read": .integer(Int64(leftOut.read)), "kept": .integer(Int64(leftOut.used)),
            "rejected": .object(reasons),
        ]
        contents.addMembers(to: &json, atMost: most)
        json["first_rejected"] = first
        json["notices"] = .array(
            notices.prefix(most).map { ["file": .string($0.file), "text": .string($0.text)] })
        return json
    }

    /// The first point that was left out.
    private var first: JSONValue? {
        guard let first = leftOut.first, let firstFile else { return nil }
        var json: JSONObject = ["file": .string(firstFile), "reason": .string(first.reason)]
        json["time"] = first.time.map { .string("\($0)") }
        json["point"] = first.place.map { .integer(Int64($0.point)) }
        json["line"] = first.place.map { .integer(Int64($0.line)) }
        return .object(json)
    }

    private var reasons: JSONObject {
        var reasons = JSONObject()
        for (reason, count) in leftOut.reasons.sorted { reasons[reason] = .integer(Int64(count)) }
        return reasons
    }
}

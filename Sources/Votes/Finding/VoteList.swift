import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import Service
import TextCoding

/// A vote in a list, as one person sees it.
struct VoteEntry: Hashable, Sendable {
    var vote: Vote
    /// How far the person's own ballot is; nil where they were not let in.
    var ballot: Ballot.State?
    /// Whether the person has opened it.
    var isOwn: Bool

    /// What is selected of it, as the person whose number is `:me`.
    private static let columns = """
        \(Vote.columns), (
            SELECT state FROM vote_ballot WHERE vote_ballot.vote = vote.number AND vote_ballot.person = :me) AS ballot
        """

    private init(_ row: NamedRow, for person: Int64) throws {
        vote = try Vote(row)
        ballot = (row["ballot"] as String?).flatMap(Ballot.State.init)
        isOwn = vote.initiator == person
    }

    /// A vote as a person sees it.
    init(_ vote: Vote, for person: Int64, in db: Database) throws {
        self.vote = vote
        ballot = try Ballot.find(person, in: vote, in: db)?.state
        isOwn = vote.initiator == person
    }

    /// Which votes of a person a list has.
    enum Part: String, CaseIterable, Sendable {
        /// Those that they have opened.
        case initiated
        /// Those in which they have voted.
        case attended
    }

    /// The votes of a person, the last opened first.
    ///
    /// - Parameters:
    ///   - text: what must be in the subject, in any case and without accents, or in the id.
    ///   - after: the number of the last one of the page before.
    static func history(
        _ part: Part, of person: Int64, text: String?, after: Int64?, limit: Int, in db: Database
    ) throws -> [VoteEntry] {
        let (source, condition) =
            switch part {
            case .initiated: ("vote", "vote.initiator = :me")
            case .attended:
                (
                    "vote_ballot AS own JOIN vote ON vote.number = own.vote",
                    "own.person = :me AND own.state <> 'open'"
                )
            }
        let key = part == .initiated ? "vote.number" : "own.vote"
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM \(source)
                    WHERE \(condition) AND \(key) < :after
                        AND (:text IS NULL OR instr(vote.folded, :text) > 0 OR instr(vote.id, :text) > 0)
                    ORDER BY \(key) DESC LIMIT :limit
                    """),
            arguments: ["me": person, "text": text.map(VoteText.folded), "after": after ?? .max, "limit": limit]
        ) { try VoteEntry($0, for: person) }
    }

    /// The open votes within reach of a place, the last opened first: in the order of their distances they would tell
    /// where their initiators stood.
    static func here(
        _ place: Coordinate, as person: Int64, at now: Timestamp, after: Int64?, limit: Int, in db: Database
    ) throws -> [VoteEntry] {
        let window = ReachWindow(around: place)
        let open = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT number, lat_e7, lon_e7 FROM vote
                    WHERE ended IS NULL AND ends > :now AND lat_e7 BETWEEN :south AND :north
                        AND (:west IS NULL OR lon_e7 BETWEEN :west AND :east) AND number < :after
                    ORDER BY number DESC
                    """),
            arguments: [
                "now": now.milliseconds, "south": window.latitudes.lowerBound, "north": window.latitudes.upperBound,
                "west": window.longitudes?.lowerBound, "east": window.longitudes?.upperBound, "after": after ?? .max,
            ])
        var numbers: [Int64] = []
        while numbers.count < limit, let row = try open.next() {
            guard let there = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]),
                Sphere.distance(from: place, to: there) <= Vote.reach
            else { continue }
            numbers.append(row["number"])
        }
        // What is told of a vote is looked up for those within reach alone.
        let list = JSONText.array { json in for number in numbers { json.integer(number) } }
        return try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM json_each(:numbers) AS asked CROSS JOIN vote ON vote.number = asked.value
                    ORDER BY asked.key
                    """),
            arguments: ["numbers": String(decoding: list.bytes, as: UTF8.self), "me": person]
        ) { try VoteEntry($0, for: person) }
    }
}

/// Latitudes and longitudes, in units of 1e-7 degrees, outside of which nothing is within reach of a place.
struct ReachWindow: Hashable, Sendable {
    let latitudes: ClosedRange<Int64>
    /// Nil for all: near a pole, and where the antimeridian is within reach.
    let longitudes: ClosedRange<Int64>?

    /// The reach in degrees of latitude, which is 0.008993 by the mean radius of the earth, and a little more.
    private static let margin = 0.0091

    init(around place: Coordinate) {
        func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }
        latitudes = units(place.latitude - Self.margin)...units(place.latitude + Self.margin)
        // Of the parallel closest to the pole that is within reach.
        let cosine = cos((abs(place.latitude) + Self.margin) * .pi / 180)
        let margin = Self.margin / max(cosine, 1e-6)
        let isWhole = abs(place.longitude) + margin < 180
        longitudes = isWhole ? units(place.longitude - margin)...units(place.longitude + margin) : nil
    }
}

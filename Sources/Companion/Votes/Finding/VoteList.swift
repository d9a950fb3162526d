import Foundation
import GRDB
import Geodesy
import RPC
import Service
import Store
import TextCoding
import Time

/// A vote in a list, as one person sees it.
struct VoteEntry: Hashable, Sendable {
    var vote: Vote
    /// The state of the person's own ballot; `nil` if the person has not been admitted.
    var ballot: Ballot.State?
    /// Whether the person opened the vote.
    var isOwn: Bool

    /// The columns of a vote as the person with the number `:me` sees it.
    private static let columns = """
        \(Vote.columns), (
            SELECT state FROM vote_ballot WHERE vote_ballot.vote = vote.number AND vote_ballot.person = :me) AS ballot
        """

    private init(_ row: NamedRow, for person: Int64) throws {
        vote = try Vote(row)
        ballot = (row["ballot"] as String?).flatMap(Ballot.State.init)
        isOwn = vote.initiator == person
    }

    /// Creates an entry for a vote as a person sees it.
    init(_ vote: Vote, for person: Int64, in db: Database) throws {
        self.vote = vote
        ballot = try Ballot.find(person, in: vote, in: db)?.state
        isOwn = vote.initiator == person
    }

    /// The part of a person's votes that a list contains.
    enum Part: String, CaseIterable, Sendable {
        /// The votes that the person opened.
        case initiated
        /// The votes in which the person has voted.
        case attended
    }

    /// Returns the votes of a person, most recently opened first.
    ///
    /// - Parameters:
    ///   - text: A text that the subject contains, without regard to case and accents, or that the id contains.
    ///   - after: The number of the last vote of the previous page.
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
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM \(source)
                    WHERE \(condition) AND \(Vote.isKnown) AND \(key) < :after
                        AND (:text IS NULL OR instr(vote.folded, :text) > 0 OR instr(vote.id, :text) > 0)
                    ORDER BY \(key) DESC LIMIT :limit
                    """),
            arguments: [
                "me": person, "text": text.map(VoteText.folded), "after": after ?? .max,
                "limit": StoreDamage.widened(limit),
            ]
        ) { try VoteEntry($0, for: person) }
    }

    /// Returns the open votes within reach of a place, most recently opened first.
    ///
    /// They are not sorted by distance, because that order would reveal where their initiators stood.
    static func here(
        _ place: Coordinate, as person: Int64, at now: Timestamp, after: Int64?, limit: Int, in db: Database
    ) throws -> [VoteEntry] {
        let window = ReachWindow(around: place)
        let open = try NamedRow.soundRows(
            db.cachedStatement(
                sql: """
                    SELECT number, lat_e7, lon_e7 FROM vote
                    WHERE ended IS NULL AND ends > :now AND vote.plan IS NULL AND lat_e7 BETWEEN :south AND :north
                        AND (:west IS NULL OR lon_e7 BETWEEN :west AND :east) AND number < :after
                    ORDER BY number DESC
                    """),
            arguments: [
                "now": now.milliseconds, "south": window.latitudes.lowerBound, "north": window.latitudes.upperBound,
                "west": window.longitudes?.lowerBound, "east": window.longitudes?.upperBound, "after": after ?? .max,
            ])
        var numbers: [Int64] = []
        while numbers.count < StoreDamage.widened(limit), let row = try open.next() {
            guard let there = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]),
                Sphere.distance(from: place, to: there) <= Vote.reach
            else { continue }
            numbers.append(row["number"])
        }
        // Details are read only for the votes within reach.
        let list = JSONText.array { json in for number in numbers { json.integer(number) } }
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM json_each(:numbers) AS asked CROSS JOIN vote ON vote.number = asked.value
                    ORDER BY asked.key
                    """),
            arguments: ["numbers": String(decoding: list.bytes, as: UTF8.self), "me": person]
        ) { try VoteEntry($0, for: person) }
    }
}

/// The bounds of latitude and longitude, in units of 1e-7 degrees, outside of which nothing is within reach of a place.
struct ReachWindow: Hashable, Sendable {
    let latitudes: ClosedRange<Int64>
    /// The bounds of longitude; `nil` for all, near a pole or if the antimeridian is within reach.
    let longitudes: ClosedRange<Int64>?

    /// The reach in degrees of latitude, rounded up.
    ///
    /// With the mean radius of the earth it is 0.008993.
    private static let margin = 0.0091

    init(around place: Coordinate) {
        func units(_ degrees: Double) -> Int64 { Int64((degrees * 1e7).rounded()) }
        latitudes = units(place.latitude - Self.margin)...units(place.latitude + Self.margin)
        // The cosine for the parallel within reach that is closest to the pole.
        let cosine = cos((abs(place.latitude) + Self.margin) * .pi / 180)
        let margin = Self.margin / max(cosine, 1e-6)
        let isWhole = abs(place.longitude) + margin < 180
        longitudes = isWhole ? units(place.longitude - margin)...units(place.longitude + margin) : nil
    }
}

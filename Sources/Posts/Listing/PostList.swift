import Foundation
import GRDB
import Gazetteer
import Geodesy
import Service

/// Which posts are listed, the newest first, as someone sees them.
struct PostList: Sendable {
    /// Whose posts, or of what.
    enum Scope: Hashable, Sendable {
        /// Those of whom the viewer follows, and their own.
        case feed
        /// Those of a person.
        case of(Int64)
        /// Those that show a product.
        case showing(Int64)
        /// Those of these numbers.
        case ones([Int64])
    }

    var scope: Scope
    /// The number of the last post of the page before.
    var after: Int64?
    var limit: Int
    /// As many of the last posts are looked through for those of a feed, which most often have enough.
    var window = 300

    /// Calls `body` with each post of a page, as long as it returns true.
    ///
    /// - Complexity: O(*k*) for a page of *k*; of the feed of somebody who follows *n* people O(*n* log *p* + *k*²) for *p*
    ///   posts at worst, however many posts those people have, and less where they are among the last that were made.
    func forEach(for audience: Audience, in db: Database, _ body: (PostEntry) throws -> Bool) throws {
        var arguments = audience.arguments + ["before": after ?? .max, "limit": limit]
        let pages: String
        switch scope {
        case .feed:
            pages = Self.feed
            arguments += ["window": window]
        case .of(let person):
            pages = Self.page("post.author = :of")
            arguments += ["of": person]
        case .showing(let product):
            pages = Self.page("post.product = :of")
            arguments += ["of": product]
        case .ones(let numbers):
            pages = Self.page("post.number IN (SELECT value FROM json_each(:of))")
            arguments += ["of": NumberList(numbers).text]
        }
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    WITH \(pages)
                    SELECT \(PostEntry.columns) FROM page CROSS JOIN post ON post.number = page.number \(PostEntry.joins)
                    ORDER BY page.number DESC
                    """), arguments: arguments)
        while let row = try rows.next() {
            guard try body(PostEntry(row, for: audience)) else { break }
        }
    }

    /// The numbers of a page of posts for which a condition holds.
    private static func page(_ condition: String) -> String {
        """
        page (number) AS MATERIALIZED (
            SELECT post.number FROM post
            WHERE \(condition) AND post.number < :before AND \(Audience.seesPost())
            ORDER BY post.number DESC LIMIT :limit)
        """
    }

    /// The numbers of a page of the feed.
    ///
    /// `recent` is the page where the last posts have enough. Else it is put together of people: a page of *k* posts is of
    /// at most *k* people, those whose newest posts are the newest, and of each at most *k*. `near` are they, and `least`
    /// the oldest post that a full page of them can have.
    private static let feed = """
        recent (number) AS MATERIALIZED (
            SELECT post.number FROM post
            WHERE post.number < :before
                AND post.number > (SELECT max(last.number) - :window FROM post AS last WHERE last.number < :before)
                AND (post.author = :me OR EXISTS (
                    SELECT 1 FROM follow WHERE follow.person = :me AND follow.other = post.author))
                AND \(Audience.seesInFeed("post"))
            ORDER BY post.number DESC LIMIT :limit),
        source (author) AS (
            SELECT other FROM follow WHERE person = :me AND (SELECT count(*) FROM recent) < :limit
            UNION ALL SELECT :me WHERE (SELECT count(*) FROM recent) < :limit),
        near (author, newest) AS MATERIALIZED (
            SELECT author, newest FROM (
                SELECT author, (
                    SELECT own.number FROM post AS own
                    WHERE own.author = source.author AND own.number < :before AND \(Audience.seesInFeed("own"))
                    ORDER BY own.number DESC LIMIT 1) AS newest
                FROM source)
            WHERE newest IS NOT NULL ORDER BY newest DESC LIMIT :limit),
        least (number) AS MATERIALIZED (
            SELECT CASE WHEN count(*) < :limit THEN 0 ELSE min(newest) END FROM near),
        found (number) AS MATERIALIZED (
            SELECT post.number FROM least CROSS JOIN near CROSS JOIN post
            WHERE post.author = near.author AND post.number <= near.newest
                AND post.number >= max(least.number, coalesce((
                    SELECT own.number FROM post AS own
                    WHERE own.author = near.author AND own.number < :before AND \(Audience.seesInFeed("own"))
                    ORDER BY own.number DESC LIMIT 1 OFFSET :limit - 1), 0))
                AND \(Audience.seesInFeed("post"))
            ORDER BY post.number DESC LIMIT :limit),
        page (number) AS (
            SELECT number FROM found
            UNION ALL SELECT number FROM recent WHERE (SELECT count(*) FROM recent) >= :limit)
        """
}

/// Posts around a place.
struct PostsAround: Sendable {
    var place: Coordinate
    var radius: Distance
    /// The number of the last post of the page before.
    var after: Int64?
    var limit: Int

    /// The numbers of a page of them, the newest first.
    ///
    /// - Complexity: O(*n* log *n*) for *n* posts within the square around.
    func numbers(for audience: Audience, in db: Database) throws -> [Int64] {
        // A little more than is needed, so that none is missed; all longitudes where a pole or the antimeridian is near.
        let margin = radius.meters / 110_000
        let north = abs(place.latitude) + margin
        let width = north < 89 ? margin / cos(north * .pi / 180) : 360
        let isWhole = abs(place.longitude) + width < 180
        let cells = Cell.near(place, within: radius).flatMap { Array($0) }
        let rows = try NamedRow.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT post.number, post.lat_e7, post.lon_e7
                    FROM json_each(:cells) AS cell CROSS JOIN post ON post.cell = cell.value
                    WHERE post.lat_e7 BETWEEN :south AND :north
                        AND (:west IS NULL OR post.lon_e7 BETWEEN :west AND :east)
                        AND post.number < :before AND \(Audience.seesPost())
                    ORDER BY post.number DESC
                    """),
            arguments: audience.arguments + [
                "cells": NumberList(cells).text, "south": (place.latitude - margin) * 1e7,
                "north": (place.latitude + margin) * 1e7,
                "west": isWhole ? (place.longitude - width) * 1e7 : nil,
                "east": isWhole ? (place.longitude + width) * 1e7 : nil, "before": after ?? .max,
            ])
        var numbers: [Int64] = []
        while numbers.count < limit, let row = try rows.next() {
            guard let other = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]),
                Sphere.distance(from: place, to: other) <= radius
            else { continue }
            numbers.append(row["number"])
        }
        return numbers
    }
}

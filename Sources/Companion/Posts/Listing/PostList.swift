import Foundation
import GRDB
import Gazetteer
import Geodesy
import Service
import Store

/// A list of posts, newest first, as a viewer sees them.
struct PostList: Sendable {
    /// The choice of posts.
    enum Scope: Hashable, Sendable {
        /// The posts of the viewer and of the people whom the viewer follows.
        case feed
        /// The posts of a person.
        case of(Int64)
        /// The posts that show a product.
        case showing(Int64)
        /// The posts with these numbers.
        case ones([Int64])
    }

    var scope: Scope
    /// The number of the last post of the previous page.
    var after: Int64?
    var limit: Int
    /// The number of latest posts that are searched for the posts of a feed.
    ///
    /// They usually contain enough.
    var window = 300

    /// Calls `body` with each post of a page, until `body` returns false.
    ///
    /// - Complexity: O(*k*) for a page of *k* posts. For the feed of a viewer who follows *n* people, O(*n* log *p* +
    ///   *k*²) for *p* posts at worst, however many posts those people have, and less if they are among the latest
    ///   posts.
    func forEach(for audience: Audience, in db: Database, _ body: (PostEntry) throws -> Bool) throws {
        var arguments = audience.arguments + ["before": after ?? .max, "limit": StoreDamage.widened(limit)]
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
        let rows = try NamedRow.soundRows(
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

    /// Returns the SQL expression for the numbers of a page of posts for which a condition holds.
    private static func page(_ condition: String) -> String {
        """
        page (number) AS MATERIALIZED (
            SELECT post.number FROM post
            WHERE \(condition) AND post.number < :before AND \(Audience.seesPost())
            ORDER BY post.number DESC LIMIT :limit)
        """
    }

    /// The SQL expressions for the numbers of a page of the feed.
    ///
    /// `recent` is the page if the latest posts contain enough. Otherwise, the page is built from people. A page of *k*
    /// posts has posts of at most *k* people, those whose latest posts are the newest, and at most *k* posts of each.
    /// `near` holds these people, and `least` the oldest post that a full page of them can have.
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

/// A search for posts around a place.
struct PostsAround: Sendable {
    var place: Coordinate
    var radius: Distance
    /// The number of the last post of the previous page.
    var after: Int64?
    var limit: Int

    /// Returns the numbers of a page of posts, newest first.
    ///
    /// - Complexity: O(*n* log *n*) for *n* posts within the surrounding square.
    func numbers(for audience: Audience, in db: Database) throws -> [Int64] {
        // A slightly larger area, so that no post is missed. It has all longitudes near a pole or the antimeridian.
        let margin = radius.meters / 110_000
        let north = abs(place.latitude) + margin
        let width = north < 89 ? margin / cos(north * .pi / 180) : 360
        let isWhole = abs(place.longitude) + width < 180
        let cells = Cell.near(place, within: radius).flatMap { Array($0) }
        let rows = try NamedRow.soundRows(
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
        while numbers.count < StoreDamage.widened(limit), let row = try rows.next() {
            guard let other = Coordinate(latitudeE7: row["lat_e7"], longitudeE7: row["lon_e7"]),
                Sphere.distance(from: place, to: other) <= radius
            else { continue }
            numbers.append(row["number"])
        }
        return numbers
    }
}

import Callers
import GRDB
import RPC
import Service
import Store

/// The sights of a map's window: single ones and groups.
struct SightMap: Answerable, Sendable {
    var count: Int
    var sights: [Sight]
    var clusters: [SightCluster]

    /// The largest number of sights and clusters in one answer: as many as a browser draws without effort.
    static let maximumCount = 500

    static let shape = AnswerShape<SightMap>.object {
        Member("count", .integer, "The number of sights in the window.") { $0.count }
        Member(
            "sights", .array(of: AnswerShape<Sight>.object(Sight.row)),
            "The sights that are shown individually, in the order in which they were added."
        ) { $0.sights }
        Member(
            "clusters", .array(of: SightCluster.shape),
            "The clusters of the other sights, each of which is in exactly one cluster."
        ) { $0.clusters }
    }
}

extension SightCluster: Answerable {
    static let shape = AnswerShape<SightCluster>.object {
        Member("count", .integer, "The number of sights in the cluster, at least 2.") { $0.count }
        Member("lat", .number(.latitude, decimals: 7), "The mean latitude of the sights, in degrees north.") {
            $0.center.latitude
        }
        Member("lon", .number(.longitude, decimals: 7), "The mean longitude, in degrees east.") { $0.center.longitude }
        Member(
            "bbox", .array(of: .number(decimals: 7)),
            "The bounding box of the sights: west, south, east, north in degrees."
        ) { $0.edges }
    }
}

extension SightMethods {
    /// The method `sights.map`.
    var mapping: Method<Principal> {
        .stored(
            "sights.map",
            "Returns the sights in a map's window: individually if there are few, else in clusters of close sights.",
            Parameter<MapWindow>.window,
            Parameter<Int>.optional(
                "limit", .integer(in: 1...Int64(SightMap.maximumCount)), default: SightMap.maximumCount,
                "The maximum number of sights and clusters, 500 by default."),
            answers: SightMap.shape, right: .read
        ) { [points] call, window, limit in
            let viewer = call.viewer
            return try await store.read { db in
                let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).numbers
                let content = try points.points(in: db).content(of: window, atMost: limit, without: hidden)
                return SightMap(
                    count: content.count, sights: try SightStore.rows(numbers: content.singles, in: db),
                    clusters: content.clusters)
            }
        }
    }
}

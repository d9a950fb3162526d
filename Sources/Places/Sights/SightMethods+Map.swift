import EventStream
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
    static let most = 500

    static let shape = Shape<SightMap>.object {
        Member("count", .integer, "How many sights there are in the window.") { $0.count }
        Member(
            "sights", .array(of: Shape<Sight>.object(Sight.row)),
            "Those that are shown by themselves, in the order in which they were added."
        ) { $0.sights }
        Member(
            "clusters", .array(of: SightCluster.shape), "Where more are close together, each sight in one of them."
        ) { $0.clusters }
    }
}

extension SightCluster: Answerable {
    static let shape = Shape<SightCluster>.object {
        Member("count", .integer, "How many there are, at least 2.") { $0.count }
        Member("lat", .number(.latitude, decimals: 7), "Degrees north of their middle.") { $0.center.latitude }
        Member("lon", .number(.longitude, decimals: 7), "Degrees east of it.") { $0.center.longitude }
        Member(
            "bbox", .array(of: .number(decimals: 7)), "What holds them: west, south, east, north in degrees."
        ) { $0.edges }
    }
}

extension SightMethods {
    /// The method `sights.map`.
    var mapping: Method<Principal> {
        .stored(
            "sights.map",
            "The sights of a map's window: all where they are few, else clusters of those that are close together.",
            Parameter<MapWindow>.window,
            Parameter<Int>.optional(
                "limit", .integer(in: 1...Int64(SightMap.most)), default: SightMap.most,
                "How many sights and clusters at most, 500 if left out."),
            answers: SightMap.shape, right: .read
        ) { [points] _, window, limit in
            try await store.read { db in
                let content = try points.points(in: db).content(of: window, atMost: limit)
                return SightMap(
                    count: content.count, sights: try SightStore.rows(numbers: content.singles, in: db),
                    clusters: content.clusters)
            }
        }
    }
}

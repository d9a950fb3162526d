internal import FoundationEssentials
public import Geodesy
public import Positioning

/// A region of the app OwnTracks, of which a file `.otrw` has a list.
public struct OwnTracksRegion: Hashable, Sendable {
    /// The identifier; `nil` in files of older apps.
    public var id: String?
    /// The name.
    public var name: String
    /// The centre.
    public var coordinate: Coordinate
    /// The radius; `nil` for a place that is not watched.
    public var radius: Distance?
}

/// Reads the regions that the app OwnTracks exports and imports (`.otrw`).
public enum OwnTracksRegions {
    /// The most bytes of a text, which is read as a whole.
    public static let maximumLength = 16 * 1024 * 1024

    /// Returns whether a text begins like such a file.
    public static func isBeginning(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self).filter { !$0.isWhitespace }
        return text.contains("\"_type\":\"waypoints\"") || text.contains("\"_type\":\"waypoint\"")
    }

    /// Returns the regions of a text.
    ///
    /// - Throws: ``RecordingError`` that names the region if the text is not such a file, or if a name or a position is
    ///   missing or out of range.
    public static func regions(from bytes: [UInt8]) throws(RecordingError) -> [OwnTracksRegion] {
        guard bytes.count <= maximumLength else {
            throw RecordingError("the text is longer than \(maximumLength / 1_048_576) MiB; split it")
        }
        let list: List
        do {
            list = try JSONDecoder().decode(List.self, from: Data(bytes))
        } catch {
            throw RecordingError(
                "not a list of regions of OwnTracks: a member is missing or of a wrong type, or it is cut off")
        }
        var regions: [OwnTracksRegion] = []
        for (index, entry) in list.waypoints.enumerated() {
            // A name may be followed by the beacon that stands for the place.
            let name = entry.desc.prefix { $0 != ":" }
            guard name.contains(where: { !$0.isWhitespace }) else {
                throw RecordingError("waypoints[\(index)]: it has no \"desc\"")
            }
            guard let latitude = entry.lat, let longitude = entry.lon,
                let place = Coordinate(latitude: latitude, longitude: longitude)
            else { throw RecordingError("waypoints[\(index)]: it has no valid position in \"lat\" and \"lon\"") }
            let radius = entry.rad.flatMap { $0 > 0 ? Distance.meters($0) : nil }
            regions.append(OwnTracksRegion(id: entry.rid, name: String(name), coordinate: place, radius: radius))
        }
        return regions
    }

    private struct List: Decodable {
        var waypoints: [Entry]

        private enum CodingKeys: CodingKey { case waypoints }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            // A single region is the list's element alone.
            waypoints = try values.decodeIfPresent([Entry].self, forKey: .waypoints) ?? [Entry(from: decoder)]
        }
    }

    private struct Entry: Decodable {
        var desc: String
        var lat: Double?
        var lon: Double?
        var rad: Double?
        var rid: String?
    }
}

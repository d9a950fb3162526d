import ArgumentParser
import GPX
import Geodesy
import Interchange
import Places
import TextCoding

/// A format of exported sights.
enum SightExport: String, ExpressibleByArgument, CaseIterable {
    /// CSV with the columns that an import takes.
    case csv
    /// GeoJSON (RFC 7946) with one feature per sight.
    case geojson
    /// GPX 1.1 with one waypoint per sight.
    case gpx

    /// Returns the text of a file with these sights, in UTF-8.
    func bytes(of sights: [Sight]) -> [UInt8] {
        switch self {
        case .csv: Self.csv(sights)
        case .geojson: Self.geoJSON(sights)
        case .gpx: Self.gpx(sights)
        }
    }

    private static func csv(_ sights: [Sight]) -> [UInt8] {
        var bytes: [UInt8] = []
        CSVWriter.append(["id", "title", "lat", "lon", "radius_m", "category", "description"], to: &bytes)
        for sight in sights {
            CSVWriter.append(
                [
                    sight.id, sight.title, DecimalText.string(sight.place.latitude, decimals: 7),
                    DecimalText.string(sight.place.longitude, decimals: 7),
                    DecimalText.string(sight.radius.meters, decimals: 3), sight.category ?? "", sight.information ?? "",
                ], to: &bytes)
        }
        return bytes
    }

    private static func geoJSON(_ sights: [Sight]) -> [UInt8] {
        var writer = GeoJSONWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        for sight in sights {
            var properties = [
                ExportedProperty("title", sight.title), ExportedProperty("radius_m", sight.radius.meters),
            ]
            if let category = sight.category { properties.append(ExportedProperty("category", category)) }
            if let information = sight.information {
                properties.append(ExportedProperty("description", information))
            }
            writer.append(point: sight.place, id: sight.id, properties: properties, to: &bytes)
        }
        writer.end(to: &bytes)
        return bytes
    }

    private static func gpx(_ sights: [Sight]) -> [UInt8] {
        var writer = GPXWriter()
        for sight in sights {
            var point = GPXPoint(sight.place)
            point.name = sight.title
            point.description = sight.information
            point.category = sight.category
            writer.waypoint(point)
        }
        writer.finish()
        return writer.bytes
    }
}

import ArgumentParser
import GPX
import Geodesy
import Interchange
import Shapes
import Sights
import TextCoding

/// A format of exported sights.
enum SightExport: String, ExpressibleByArgument, CaseIterable {
    /// CSV with the columns that an import takes.
    case csv
    /// GeoJSON (RFC 7946) with one feature per sight.
    case geojson
    /// KML 2.2 with one Placemark per sight.
    case kml
    /// GPX 1.1 with one waypoint per sight.
    case gpx

    /// Returns the text of a file with these sights, in UTF-8.
    func bytes(of sights: [Sight]) -> [UInt8] {
        switch self {
        case .csv: Self.csv(sights)
        case .geojson: Self.geoJSON(sights)
        case .kml: Self.kml(sights)
        case .gpx: Self.gpx(sights)
        }
    }

    private static func csv(_ sights: [Sight]) -> [UInt8] {
        var bytes: [UInt8] = []
        // Tables of circles alone stay as other programs know them.
        let hasShapes = sights.contains { $0.outline != nil }
        let columns = ["id", "title", "lat", "lon", "radius_m", "category", "description"]
        CSVWriter.append(columns + (hasShapes ? ["wkt"] : []), to: &bytes)
        for sight in sights {
            let radius = sight.radius > .zero ? DecimalText.string(sight.radius.meters, decimals: 3) : ""
            let fields = [
                sight.id, sight.title, DecimalText.string(sight.place.latitude, decimals: 7),
                DecimalText.string(sight.place.longitude, decimals: 7), radius, sight.category ?? "",
                sight.information ?? "",
            ]
            CSVWriter.append(fields + (hasShapes ? [sight.outlineText ?? ""] : []), to: &bytes)
        }
        return bytes
    }

    private static func data(of sight: Sight, _ names: [(String, String?)]) -> [ExportedProperty] {
        let radius = sight.radius > .zero ? [ExportedProperty("radius_m", sight.radius.meters)] : []
        return radius + names.compactMap { name, text in text.map { ExportedProperty(name, $0) } }
    }

    private static func kml(_ sights: [Sight]) -> [UInt8] {
        var writer = KMLWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        for sight in sights {
            let fields = data(of: sight, [("id", sight.id), ("category", sight.category)])
            if let outline = sight.outline {
                writer.append(
                    shape: outline, name: sight.title, description: sight.information, data: fields, to: &bytes)
            } else {
                writer.append(
                    point: sight.place, name: sight.title, description: sight.information, data: fields, to: &bytes)
            }
        }
        writer.end(to: &bytes)
        return bytes
    }

    private static func geoJSON(_ sights: [Sight]) -> [UInt8] {
        var writer = GeoJSONWriter()
        var bytes: [UInt8] = []
        writer.begin(to: &bytes)
        for sight in sights {
            let properties =
                [ExportedProperty("title", sight.title)]
                + data(of: sight, [("category", sight.category), ("description", sight.information)])
            if let outline = sight.outline {
                writer.append(shape: outline, id: sight.id, properties: properties, to: &bytes)
            } else {
                writer.append(point: sight.place, id: sight.id, properties: properties, to: &bytes)
            }
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

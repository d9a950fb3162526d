import GPX
import Positioning

/// The result of reading some bytes.
struct Reading: Equatable {
    var items: [GPXItem] = []
    var malformed = Tally()
    var failure: RecordingError?

    /// Reads bytes in pieces of the given lengths, and the rest in one.
    init(_ bytes: [UInt8], pieces: [Int] = []) {
        let reader = GPXReader()
        do throws(RecordingError) {
            var at = 0
            for piece in pieces + [bytes.count] {
                let end = min(bytes.count, at + piece)
                try reader.feed(bytes.span.extracting(at..<end), into: &items)
                at = end
            }
            try reader.finish(into: &items)
        } catch {
            failure = error
        }
        malformed = reader.malformed
    }

    init(_ text: String) { self.init(Array(text.utf8)) }

    var points: [GPXPoint] {
        items.compactMap { if case .trackPoint(let point) = $0 { point } else { nil } }
    }

    var waypoints: [GPXPoint] {
        items.compactMap { if case .waypoint(let point) = $0 { point } else { nil } }
    }
}

/// Returns a GPX 1.1 document around some elements.
func document(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="urn:other">\(body)</gpx>
    """
}

/// Returns a GPX 1.1 document of one track with one segment.
func track(_ points: String) -> String { document("<trk><trkseg>\(points)</trkseg></trk>") }

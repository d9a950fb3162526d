import Geodesy
package import Positioning
package import TextCoding

extension JSONWriter {
    /// Writes what is known of a fix besides time and place.
    package mutating func motion(of fix: Fix) {
        member("alt", fix.altitude?.meters, decimals: 1)
        member("speed", fix.speed?.metersPerSecond, decimals: 2)
        member("track", fix.track?.degrees, decimals: 1)
        member("accuracy", fix.accuracy?.meters, decimals: 1)
    }
}

import Geodesy
import TextCoding
import Time

/// A writer of what truly happened on a journey, without the errors of a receiver, as one JSON object.
enum TruthText {
    /// The duration in seconds from which a halt is a stop by the default settings; a shorter one is a pause.
    private static let stop = 180.0

    /// Returns the truth of a recording.
    ///
    /// Lengths are in metres on the WGS 84 ellipsoid: `distance` is the whole way, and `recorded_distance` is the way
    /// without the pause of the recording. `start` is the first movement and `end` the last arrival; both are absent if
    /// nothing moves. `silences` are the periods without a position after the first one.
    static func document(_ recording: SimulatedRecording) -> String {
        let journey = recording.journey
        func time(_ moment: Int) -> String {
            recording.start.advanced(byMilliseconds: Int64(moment) * 1000 / Int64(Journey.momentsPerSecond)).description
        }
        func write(_ halts: [Halt], _ key: String, to json: inout JSONWriter) {
            json.array(key) { json in
                for halt in halts {
                    let place = Coordinate(journey.path.place(at: halt.at))
                    json.object { json in
                        json.member("start", time(halt.moments.lowerBound))
                        json.member("end", time(halt.moments.upperBound))
                        json.member("lat", place.latitude, decimals: 7)
                        json.member("lon", place.longitude, decimals: 7)
                    }
                }
            }
        }
        let moving = journey.moments.indices.filter { journey.moments[$0].speed > 0 }
        let fixes = recording.epochs.filter { $0.fix != nil }
        var json = JSONWriter()
        json.object { json in
            json.member("first_fix", fixes.first?.time.description)
            json.member("last_fix", fixes.last?.time.description)
            json.member("fixes", fixes.count)
            json.member("start", moving.first.map { time($0 - 1) })
            json.member("end", moving.last.map { time($0 + 1) })
            json.member("distance", journey.path.length, decimals: 1)
            json.member("recorded_distance", journey.path.length - recording.unrecorded, decimals: 1)
            write(journey.halts.filter { $0.seconds >= stop }, "stops", to: &json)
            write(journey.halts.filter { $0.seconds > 0 && $0.seconds < stop }, "pauses", to: &json)
            json.array("silences") { json in
                for (before, after) in recording.silences {
                    json.object { json in
                        json.member("last", before.description)
                        json.member("next", after.description)
                    }
                }
            }
            json.array("jumps") { json in
                for disturbance in recording.receiver.disturbances {
                    json.object { json in
                        json.member("start", time(disturbance.seconds.lowerBound * Journey.momentsPerSecond))
                        json.member("end", time(disturbance.seconds.upperBound * Journey.momentsPerSecond))
                        json.member("east", disturbance.east, decimals: 1)
                        json.member("north", disturbance.north, decimals: 1)
                        json.member("hdop", disturbance.hdop, decimals: 2)
                    }
                }
            }
        }
        return json.text + "\n"
    }
}

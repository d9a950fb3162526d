import Geodesy
import Positioning
import Time

/// Pairs the times and the places of a `gx:Track`, which stand apart: the first time belongs to the first place.
///
/// Usually all times come before all places, so either of them waits.
struct KMLTrackPairing {
    /// The most times or places that wait.
    let maximumWaiting: Int

    /// A place with its altitude in metres.
    struct Place {
        var place: PlaceOrReason
        var altitude: Float?
    }

    private var times: [TimeOrReason] = []
    private var places: [Place] = []
    /// The number of times or places that were taken from those that wait.
    private var taken = 0

    /// Creates pairs at the beginning of a document.
    init(maximumWaiting: Int) { self.maximumWaiting = maximumWaiting }

    /// Whether the track may go on.
    var isWithinBounds: Bool { times.count <= maximumWaiting && places.count <= maximumWaiting }

    /// Adds a time, and returns the place that has waited for it.
    mutating func add(_ time: TimeOrReason) -> Place? {
        guard taken < places.count else {
            times.append(time)
            return nil
        }
        defer { pair(places.count) }
        return places[taken]
    }

    /// Adds a place, and returns the time that has waited for it.
    mutating func add(_ place: Place) -> TimeOrReason? {
        guard taken < times.count else {
            places.append(place)
            return nil
        }
        defer { pair(times.count) }
        return times[taken]
    }

    private mutating func pair(_ count: Int) {
        taken += 1
        if taken == count { clear() }
    }

    /// Ends a track, and returns the numbers of times and places that have nothing to pair with.
    mutating func end() -> (times: Int, places: Int) {
        defer { clear() }
        return (max(0, times.count - taken), max(0, places.count - taken))
    }

    private mutating func clear() {
        taken = 0
        times.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}

import Callers
import EventStream
import Geodesy
import Positioning
import Service
import Store
import Time
import Tracking

extension LivePipeline: LiveState {
    func positions() -> [String: Fix] { arrivals.mapValues(\.fix) }

    func openTrips() -> [String: TripSummary] {
        var trips: [String: TripSummary] = [:]
        for device in pipeline.devices { trips[device] = pipeline.tracker(of: device)?.openTrip }
        return trips
    }

    func policy() -> TrackingPolicy { pipeline.policy }

    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) -> [GeofenceIndex.Neighbor] {
        pipeline.index.nearest(to: place, limit: limit, kind: kind)
    }

    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) -> (geofence: Geofence, explanation: Explanation)? {
        guard let tracker = pipeline.tracker(of: device) else { return nil }
        return histories[device]?
            .explain(question, geofence, device: device, in: pipeline.index, policy: tracker.policy)
    }

    func historyBegin(of device: String) -> Timestamp? { histories[device]?.begin }

    func watch(_ changes: [GeofenceChange]) { pipeline.apply(changes) }

    func limitSpeeds(_ limits: [String: Speed?]) { pipeline.limitSpeeds(limits) }

    /// Publishes events that another transaction has committed.
    ///
    /// If a commit is published before them, subscribers read the events in between from the log.
    func publish(_ events: [EventRecord]) {
        hub.publish(events)
        commits.count(events.count)
    }
}

extension LocationDatabase {
    /// Returns the last known state of each receiver.
    func sourceStates() throws -> [String: SourceState] {
        var states: [String: SourceState] = [:]
        for event in try lastSourceEvents() {
            guard let device = event.device else { continue }
            states[device] = SourceState(isOnline: event.type == EventRecord.online, since: event.time)
        }
        return states
    }
}

import EventStream
import Geodesy
import Phones
import Positioning
import Store
import Time
import Tracking

/// What the daemon knows of a device whose fixes come by request, such as a phone.
struct ReportedDevice: Sendable {
    /// The times that it has reported.
    var timeline: ReportedTimeline
    /// The moment of its last request, in seconds of the monotonic clock.
    var lastRequest: Double
    /// The number of fixes that it has sent before.
    var duplicates = 0
    /// The number of fixes that came after later ones.
    var late = 0
    /// The number of fixes that are ahead of the clock.
    var future = 0
    /// What it sent that is no fix, by reason.
    var ignored = Tally()
    /// The regions that it was told to watch.
    var regions = RegionSelection()

    /// The silence, in seconds, after which it is offline, and its stops and trips end by the clock.
    ///
    /// A phone may be without a network for hours and still be driving.
    static let patience = 6.0 * 3600

    /// The age, in seconds, from which its last fix is too old to say where it is.
    ///
    /// At rest, OwnTracks reports every 30 minutes.
    static let idle = 35.0 * 60

    /// Creates a device that has sent nothing since the start.
    init(lastAccepted: Timestamp?, moment: Double) {
        timeline = ReportedTimeline(lastAccepted: lastAccepted)
        lastRequest = moment
    }
}

/// The reason why a report cannot be taken now; the phone sends it again.
struct ReportPostponed: Error {}

extension LivePipeline {
    /// Takes what a device has reported, and returns once it is on the disk.
    ///
    /// - Throws: ``ReportPostponed`` if the store cannot be written now.
    func receive(_ report: PhoneReport, of device: String) async throws(ReportPostponed) {
        guard commits.failure == nil, !commits.isDraining else { throw ReportPostponed() }
        await commits.waitWhileCrowded(isRecording: false)
        let stored = try await storedTimes(in: report, of: device)
        note(device, isOnline: true, reason: nil)
        tickSoon()
        let now = clock.moment()
        let before = pipeline.load
        var state = reportedDevice(device)
        state.lastRequest = now
        for (reason, count) in report.ignored { state.ignored.count(reason.rawValue, times: count) }
        do {
            // Stored before anything waits, because another request of the device may come meanwhile.
            defer { reported[device] = state }
            for phone in report.fixes { try ingest(phone, of: device, &state, stored, now: now) }
        } catch {
            throw ReportPostponed()
        }
        if let current = report.current, hub.hasSubscribers {
            let position = Event(
                kind: .position(current.fix), time: current.time, device: device, place: current.fix.coordinate)
            hub.publish([EventRecord(position)])
        }
        guard !report.fixes.isEmpty else { return }
        pipeline.include(device)
        commits.mark(before, now)
        guard await commits.reachDisk() else { throw ReportPostponed() }
    }

    private func reportedDevice(_ device: String) -> ReportedDevice {
        reported[device]
            ?? ReportedDevice(
                lastAccepted: pipeline.tracker(of: device)?.position?.time, moment: clock.moment())
    }

    /// Returns those of the times in a report, of which only the store can tell, at which it has a fix of the device.
    ///
    /// The store is read on a thread of its own. Meanwhile other requests of the device may come, after which more times
    /// may be older than those in memory.
    ///
    /// - Throws: ``ReportPostponed`` if the store cannot be read.
    private func storedTimes(
        in report: PhoneReport, of device: String
    ) async throws(ReportPostponed) -> Set<Timestamp> {
        var asked: Set<Timestamp> = []
        var stored: Set<Timestamp> = []
        while true {
            let timeline = reportedDevice(device).timeline
            let unknown = report.fixes.map(\.time).filter { timeline.isBeforeMemory($0) && !asked.contains($0) }
            guard !unknown.isEmpty else { return stored }
            asked.formUnion(unknown)
            do {
                stored.formUnion(try await store.read { try ReportedDevices.stored(unknown, of: device, in: $0) })
            } catch {
                throw ReportPostponed()
            }
        }
    }

    private func ingest(
        _ phone: PhoneFix, of device: String, _ state: inout ReportedDevice, _ stored: Set<Timestamp>, now: Double
    ) throws {
        let latest = ReportedTimeline.latest(now: clock.time(), isSynchronised: clock.isSynchronised() != false)
        let order = state.timeline.order(of: phone.time, latest: latest) { stored.contains($0) }
        switch order {
        case .duplicate: state.duplicates += 1
        case .future: state.future += 1
        case .late:
            state.late += 1
            state.timeline.record(phone.time, isAccepted: false)
            pipeline.noteLate(phone.fix, of: device)
            lateFixes.continuation.yield()
        case .new:
            var isAccepted = false
            let received = clock.isSynchronised() == false ? nil : clock.time()
            let positions = try pipeline.change(device, received: received) { tracker, output in
                let accepted = tracker.statistics.accepted
                record(phone.fix, of: device, &tracker, now: now, into: &output)
                isAccepted = tracker.statistics.accepted > accepted
            }
            state.timeline.record(phone.time, isAccepted: isAccepted)
            tell(positions, of: phone.fix, device: device, since: now)
        }
    }

    /// Returns the answer that tells a phone at a place which sights to watch; an empty one if it knows them.
    ///
    /// - Parameter hidden: The ids of sights that the phone is not told of.
    func regions(at place: Coordinate, for device: String, without hidden: Set<String> = []) -> OwnTracksAnswer {
        var answer = OwnTracksAnswer()
        let revision = pipeline.index.revision
        guard var regions = reported[device]?.regions, regions.isDue(at: place, revision: revision) else {
            return answer
        }
        let near = pipeline.index.nearest(to: place, limit: RegionSelection.maximumRegions + hidden.count, kind: .sight)
            .filter { !hidden.contains($0.geofence.identity.id) }
        regions.select(
            from: near.map { OwnTracksAnswer.Region($0.geofence) }, at: place, revision: revision, into: &answer)
        reported[device]?.regions = regions
        return answer
    }

    /// Returns the devices that have sent nothing for some seconds, of those that are given.
    func quiet(for seconds: Double, among devices: [String]) -> [String] {
        let now = clock.moment()
        return devices.filter { device in reported[device].map { now - $0.lastRequest >= seconds } ?? true }
    }
}

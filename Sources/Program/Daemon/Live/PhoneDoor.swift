import Devices
import Phones
import Positioning
import Service
import Store
import Time
import Tracking

#if Companion
import WebServer

/// The way of a phone's report from the web server to the pipeline.
struct PhoneDoor: PhoneReports {
    let pipeline: LivePipeline
    let store: LocationDatabase

    func device(of secret: PhoneSecret) async throws -> String? {
        let digest = [UInt8](Secret.digest(secret.text))
        let name = try await store.read { try ReportedDevices.name(digest: digest, in: $0) }
        if name == nil { await pipeline.noteStranger() }
        return name
    }

    func receive(_ report: PhoneReport, of device: String) async throws -> [UInt8] {
        try await pipeline.receive(report, of: device)
        guard report.client == .owntracks, report.answer == .array, let place = report.fixes.last?.fix.coordinate else {
            return report.answer.body
        }
        // The fixes are on the disk, so the answer is a success even if the store cannot be read now.
        let found = try? await store.read { try PhoneAccess(of: device, in: $0) }
        guard let found, found.hasRegions || !found.devices.isEmpty else { return report.answer.body }
        var answer = OwnTracksAnswer()
        if found.hasRegions { answer = await pipeline.regions(at: place, for: device, without: found.hiddenSights) }
        answer.friends = (try? await friends(among: found)) ?? []
        return answer.body
    }

    /// Returns the last places of the devices that the people on a phone see, those of the latest fixes first.
    private func friends(among seen: PhoneAccess) async throws -> [OwnTracksAnswer.Friend] {
        guard !seen.devices.isEmpty else { return [] }
        let directory = DeviceDirectory(store: store, liveState: pipeline)
        let devices = try await directory.devices(among: Set(seen.devices.keys))
        let latest = devices.sorted { ($0.last?.time?.milliseconds ?? .min) > ($1.last?.time?.milliseconds ?? .min) }
        return latest.compactMap { device in
            guard let fix = device.last, fix.time != nil, let number = seen.devices[device.name] else { return nil }
            // The letter is for people; the number makes it differ from that of any other device.
            let tracker = "\(device.name.first.map(String.init) ?? "")\(String(number, radix: 36))"
            return OwnTracksAnswer.Friend(tracker: tracker, name: device.title ?? device.name, fix: fix)
        }
    }
}
#endif

extension OwnTracksAnswer.Region {
    /// Creates the region of a geofence.
    init(_ geofence: Geofence) {
        let id = "\(geofence.identity.kind.rawValue)/\(geofence.identity.id)"
        // OwnTracks for Android knows a region by a time, which must stay the same and be no other region's. The hash is
        // FNV-1a; 30 bits of it spread ids over 34 years.
        let hash = id.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        self.init(
            id: id, created: Timestamp(milliseconds: Int64(hash >> 2) * 1000), name: geofence.title,
            center: geofence.center, radius: geofence.radius)
    }
}

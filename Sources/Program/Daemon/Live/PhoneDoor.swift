import Phones
import Positioning
import Service
import Store
import Time
import Tracking
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

    func take(_ report: PhoneReport, of device: String) async throws -> [UInt8] {
        try await pipeline.take(report, of: device)
        guard report.client == .owntracks, report.answer == .array, let place = report.fixes.last?.fix.coordinate else {
            return report.answer.body
        }
        // The fixes are on the disk, so the answer is a success even if the store cannot be read now.
        let names = (try? await store.read { try ReportedDevices.namesWithRegions(in: $0) }) ?? []
        guard names.contains(device) else { return report.answer.body }
        return await pipeline.regions(at: place, for: device).body
    }
}

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

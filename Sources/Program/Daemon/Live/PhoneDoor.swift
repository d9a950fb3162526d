import Phones
import Service
import Store
import WebServer

/// The way of a phone's report from the web server to the pipeline.
struct PhoneDoor: PhoneReports {
    let pipeline: LivePipeline
    let store: LocationDatabase

    func device(of secret: PhoneSecret) async throws -> String? {
        let digest = [UInt8](Secret.digest(secret.text))
        return try await store.read { try ReportedDevices.name(digest: digest, in: $0) }
    }

    func take(_ report: PhoneReport, of device: String) async throws -> [UInt8] {
        try await pipeline.take(report, of: device)
        return report.answer.body
    }
}

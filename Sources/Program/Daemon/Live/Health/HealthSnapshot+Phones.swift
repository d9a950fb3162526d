import Callers
import Positioning
import Tracking

extension HealthSnapshot {
    /// What is known of the phones that report.
    struct Phones: Sendable {
        /// The requests since the start whose secret no device has.
        var strangers = 0
        /// The seconds since the last of them; `nil` if there was none.
        var lastStranger: Double?
        /// The devices that have sent nothing but encrypted messages since the start.
        var encrypted: [String] = []
    }

    /// The seconds for which requests with an unknown secret are a finding: a phone that is set up wrongly tries again
    /// within the hour.
    private static let remembered = 3_600.0

    func addPhones(to found: inout [HealthFinding]) {
        if let last = phones.lastStranger, last < Self.remembered {
            found.append(
                finding(
                    "phone-secret", .web, .warning,
                    "\(phones.strangers) requests of phones had a secret that no device has, the last "
                        + "\(Self.words(last)) ago",
                    "make a new secret with \"waymark devices secret NAME\", and set the phone up again; an iPhone loses a "
                        + "place with each try"))
        }
        for device in phones.encrypted {
            found.append(
                finding(
                    "phone-encrypted/\(device)", .receiver, .warning,
                    "\(device) sends only encrypted messages, which Waymark does not read",
                    "remove the encryption key in the settings of OwnTracks; TLS protects the places on their way"))
        }
    }
}

extension LivePipeline {
    /// What is known of the phones that report, for the judgement of the health.
    func phonesHealth(now: Double) -> HealthSnapshot.Phones {
        let encrypted = reported.filter { device, report in
            report.ignored["encrypted"] > 0 && report.duplicates + report.late == 0
                && pipeline.tracker(of: device)?.statistics.accepted ?? 0 == 0
        }
        return HealthSnapshot.Phones(
            strangers: strangers.count, lastStranger: strangers.last.map { now - $0 },
            encrypted: encrypted.keys.sorted())
    }

    /// Notes a request whose secret no device has.
    func noteStranger() {
        strangers.count &+= 1
        strangers.last = clock.moment()
    }
}

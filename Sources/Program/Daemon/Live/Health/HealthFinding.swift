import RPC
import Service
import Store
import TextCoding
import Time
import Tracking

/// Something that is not well with the daemon, its receivers or its machine.
struct HealthFinding: Hashable, Sendable {
    /// How much does not work.
    enum Severity: String, CaseIterable, Hashable, Sendable {
        /// Something does not work now.
        case failure
        /// Something will not work soon, or has not worked.
        case warning
        /// Something is not set up, or not known yet. No event reports it.
        case note
    }

    /// The part of the daemon or of its machine that is not well.
    enum Part: String, CaseIterable, Hashable, Sendable {
        case receiver, store, disk, clock, socket, web, hook, uplink, mqtt, mail, map
    }

    /// The name of the finding, which stays the same while it lasts: `no-fix/van`, `disk`.
    var id: String
    var part: Part
    var severity: Severity
    /// The time since when it is so, by the system's clock.
    var since: Timestamp
    /// The problem, as a clause.
    var text: String
    /// What to do about it, as a clause.
    var remedy: String

    /// Whether an event reports it.
    var isTold: Bool { severity != .note }
}

extension EventRecord {
    /// Creates the event `health.changed`.
    ///
    /// - Parameters:
    ///   - findings: What is not well now; nothing if all is well.
    ///   - time: The system's time.
    init(_ findings: [HealthFinding], at time: Timestamp) {
        var json = JSONWriter()
        json.member("type", Self.healthChanged)
        json.member("time", time.description)
        json.array("findings") { json in
            for finding in findings {
                json.object { json in
                    json.member("id", finding.id)
                    json.member("since", finding.since.description)
                    json.member("text", finding.text)
                }
            }
        }
        self.init(time: time, type: Self.healthChanged, device: nil, subject: nil, members: json.bytes)
    }

    static let healthChanged = "health.changed"
}

#if Companion
import EventHooks
import Uplink

extension Troubles {
    /// Notes an attempt of a hook for events, of which `number` says which in the configuration it is, from 1 on.
    ///
    /// It is behind if more than ``greatestLag`` events wait.
    func noteEventHook(_ number: Int, _ settings: EventHookSettings, _ told: EventHook.Report) {
        let (id, target) = ("event-hook/\(number)", settings.target)
        let waiting = told.behind == 1 ? "1 event waits" : "\(told.behind) events wait"
        if let fault = told.fault {
            report(
                id, .hook, .warning, text: "the hook for events fails: \(target) \(fault); \(waiting)",
                remedy: "fix events.hook in the configuration, or \(target); nothing is lost meanwhile")
        } else if told.behind > Self.greatestLag {
            report(
                id, .hook, .warning, text: "the hook for events is behind: \(waiting) for \(target)",
                remedy: "give the hook fewer types of events, or make \(target) faster")
        } else {
            clear(id)
        }
    }

    /// The most events that may wait for a hook before it is behind.
    private static let greatestLag: Int64 = 1_000

    /// Notes an attempt to send events to the centre.
    func noteUplink(_ place: String, _ told: BoardUplink.Report) {
        if told.lost > 0 {
            report(
                "uplink-gap", .uplink, .warning,
                text: "\(told.lost) events were deleted before \(place) had them, and are missing there",
                remedy: "let the board reach its centre more often, or keep events longer: retention.events")
        }
        guard let fault = told.fault else { return clear("uplink") }
        let waiting = told.behind == 1 ? "1 event waits" : "\(told.behind) events wait"
        report(
            "uplink", .uplink, .warning, text: "no events reach the centre: \(place) \(fault); \(waiting)",
            remedy: "\"waymark uplink status\" shows more; nothing is lost meanwhile")
    }

    /// Notes a message of a board that came over the broker, with the reason if it was refused.
    ///
    /// A refusal is forgotten after an hour, or when the same board sends a good message. Whoever may write there can
    /// think of any number of names, so there is one finding for all.
    func noteBoard(_ name: String, _ refusal: BoardCentre.Refusal?) {
        let plain = UplinkFeature.isName(of: name) ? name : "with a name that no board can have"
        guard let refusal else { return clear("uplink-boards", ifTextBegins: "the board \(plain) ") }
        let (reason, remedy): (String, String) =
            switch refusal {
            case .stranger:
                (
                    "publishes to the broker, and is not known here",
                    "\"waymark uplink board NAME\" makes its secret; if it is none of yours, look at the broker's users"
                )
            case .seal:
                (
                    "publishes to the broker without the seal of its secret",
                    "put the secret that \"waymark uplink board NAME\" prints on the board; if the message is not the "
                        + "board's, look at the broker's users"
                )
            case .length: ("publishes messages to the broker that are too long", "look at the broker's users")
            case .content(let text): ("has sent what was refused: \(text)", "\"waymark uplink status\" shows more")
            case .store(let text):
                (
                    "waits, because its events cannot be written: \(text)",
                    "look at the store's health: \"waymark doctor\""
                )
            }
        report(
            "uplink-boards", .uplink, .warning, text: "the board \(plain) \(reason)", remedy: remedy,
            for: Self.remembered)
    }

    /// The milliseconds for which a refused message is a finding.
    private static let remembered: Int64 = 3_600_000
}
#endif

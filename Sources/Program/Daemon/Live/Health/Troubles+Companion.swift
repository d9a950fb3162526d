#if Companion
import EventHooks
import Uplink
import WebClient

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
    func noteUplink(_ url: WebURL?, _ told: BoardUplink.Report) {
        let place = url.map { "\($0)" } ?? "the centre"
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
}
#endif

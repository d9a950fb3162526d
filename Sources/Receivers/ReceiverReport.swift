public import Positioning

/// What a receiver reports, besides its fixes what became of it.
///
/// A device is called as its receiver, or RECEIVER/BASENAME where one gpsd has several.
public enum ReceiverReport: Hashable, Sendable {
    /// Fixes, in the order in which they came, at least one.
    case fixes([Fix], device: String)
    /// It said something that makes sense, after it had not, with a fix or without; once a change of state.
    case online(device: String)
    /// It is gone or silent, and why, as a clause: `refused`, `silent for 30 s`; once a change of state.
    case offline(device: String, reason: String)
    /// It is offline as before, and the reason is another now.
    case stillOffline(device: String, reason: String)
    /// What was not read since the last such report, by reason.
    case skipped(Tally)
    /// The recording has ended, and with it what it tells of; files only.
    case ended(device: String)
}

/// Why a receiver cannot be read.
public struct ReceiverError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause without a full stop.
    public let description: String

    /// A receiver that cannot be read for this reason.
    init(_ description: String) { self.description = description }
}

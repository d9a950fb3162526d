public import Positioning

/// A report from a receiver: its fixes, or a change of its state.
///
/// A device has its receiver's name, RECEIVER/BASENAME if one gpsd has several, or RECEIVER/ADDRESS if several send
/// datagrams to one port.
public enum ReceiverReport: Hashable, Sendable {
    /// Fixes in the order in which they came, at least one.
    case fixes([Fix], device: String)
    /// The device began to send valid data, with or without a fix.
    ///
    /// It is reported once for each change of state.
    case online(device: String)
    /// The device is gone or silent.
    ///
    /// It is reported once for each change of state.
    ///
    /// The reason is a clause: `refused`, `silent for 30 s`.
    case offline(device: String, reason: String)
    /// The device is still offline, and the reason has changed.
    case stillOffline(device: String, reason: String)
    /// The counts of input skipped since the last such report, by reason.
    case skipped(Tally)
    /// Something about the device that a person may want to know, as a clause.
    case notice(String, device: String)
    /// A recording has ended, and with it the device's travels.
    ///
    /// Only files report this.
    case ended(device: String)
}

/// The reason why a receiver cannot be read.
public struct ReceiverError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a clause without a full stop.
    public let description: String

    init(_ description: String) { self.description = description }
}

public import Positioning
public import Time

/// A fix that a phone reports, with what the app says beside it.
public struct PhoneFix: Hashable, Sendable {
    /// The time of the measurement, which is also that of ``fix``; together with the device it is the fix's key.
    public let time: Timestamp
    /// The place and what is known of its height, speed, course and accuracy.
    public let fix: Fix
    /// The charge of the battery in percent; `nil` if it was not reported.
    public let battery: Double?
    /// The crossing of a region of the phone that this fix comes from; `nil` if it comes from a location.
    public let transition: PhoneTransition?

    /// Whether the fix comes from OwnTracks' crossing of a region.
    public var isFromTransition: Bool { transition != nil }
}

/// The crossing of a region that the phone watches itself.
///
/// It decides nothing, because Waymark's own geofences do.
public struct PhoneTransition: Hashable, Sendable {
    /// The longest text that is kept, in characters; the app says `enter` or `leave`.
    static let maximumLength = 32

    /// What has happened, in the app's word; empty if it says nothing.
    public let event: String
}

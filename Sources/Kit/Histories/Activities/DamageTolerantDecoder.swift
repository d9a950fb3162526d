public import Positioning

/// A decoder that hands on what it read before a damage, instead of refusing the whole history.
///
/// A recorder whose battery ran empty leaves a file without an end, and the way up to there is sound. The user should
/// be told of the damage, because something may be missing or wrong.
public protocol DamageTolerantDecoder: HistoryDecoder {
    /// The first damage that did not prevent reading; `nil` if there was none.
    ///
    /// It is complete after ``HistoryDecoder/finish(into:)``.
    var damage: RecordingError? { get }
}

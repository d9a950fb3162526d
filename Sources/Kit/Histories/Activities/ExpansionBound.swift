import Positioning

/// The bound on how much longer decompressed bytes may be than compressed ones.
///
/// A history shrinks to a tenth or a fiftieth, but deflate can shrink a run of one byte to a thousandth. Without a bound,
/// a small file could keep the reader busy for hours.
struct ExpansionBound {
    /// The length in bytes that is always allowed.
    var freeLength: Int64 = 32 << 20
    /// The greatest ratio beyond that length.
    static let maximumRatio: Int64 = 200

    /// Returns whether compressed bytes may have so many decompressed ones.
    func allows(_ expanded: Int64, from compressed: Int64) -> Bool {
        let (product, isOverflow) = compressed.multipliedReportingOverflow(by: Self.maximumRatio)
        return isOverflow || expanded <= freeLength || expanded - freeLength <= product
    }

    /// The error for more.
    static let error = RecordingError(
        "it decompresses to more than \(maximumRatio) times its length; if that is right, unpack it first")
}

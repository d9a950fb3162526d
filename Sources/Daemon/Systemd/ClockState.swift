import Glibc

/// Whether the system's clock can be trusted.
public enum ClockState {
    /// Whether something, such as NTP, keeps the clock; nil where the system does not tell.
    ///
    /// - SeeAlso: adjtimex(2).
    public static func isSynchronised() -> Bool? {
        // Swift's module of the C library leaves sys/timex.h out, so that the function is asked for by name. It is
        // int adjtimex(struct timex *), for which a raw pointer stands: the structure has 208 bytes, begins with the
        // modes (none are set, so that nothing is changed), and only the result is looked at.
        typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let symbol = unsafe dlsym(nil, "adjtimex") else { return nil }
        let adjtimex = unsafe unsafeBitCast(symbol, to: Function.self)
        var state = [UInt64](repeating: 0, count: 64)
        let result = unsafe state.withUnsafeMutableBytes { memory in
            unsafe memory.baseAddress.map { unsafe adjtimex($0) } ?? -1
        }
        return result < 0 ? nil : result != unsynchronised
    }

    /// `TIME_ERROR`: the clock is not synchronised.
    private static let unsynchronised: Int32 = 5
}

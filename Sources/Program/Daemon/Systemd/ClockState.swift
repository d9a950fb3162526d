import Glibc

/// The state of the system clock.
public enum ClockState {
    /// Whether a service such as NTP keeps the clock synchronised; `nil` if that is unknown.
    ///
    /// - SeeAlso: adjtimex(2).
    public static func isSynchronised() -> Bool? {
        // Swift's module of the C library lacks sys/timex.h, so the function is looked up by name. It is int
        // adjtimex(struct timex *). A raw pointer stands for the parameter: the structure has 208 bytes and begins with
        // the modes. No mode is set, so nothing is changed, and only the result is used.
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

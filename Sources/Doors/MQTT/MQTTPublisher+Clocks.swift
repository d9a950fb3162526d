import Time

extension MQTTPublisher {
    /// The clocks, which tests replace.
    struct Clocks: Sendable {
        /// Seconds of a clock that nobody sets.
        var moment: @Sendable () -> Double = {
            let (seconds, fraction) = (ContinuousClock.now - Clocks.start).components
            return Double(seconds) + Double(fraction) * 1e-18
        }
        /// The system's time.
        var time: @Sendable () -> Timestamp
        /// The pause after some failures in a row: 1, 4, 9 seconds and so on.
        var pause: @Sendable (_ failures: Int) -> Duration = { .seconds(min(60, min($0, 8) * min($0, 8))) }
        /// The pause before a phone's message that cannot be written is tried again.
        var retry = Duration.seconds(1)
        /// The time that a broker has to answer.
        var patience = Duration.seconds(15)

        private static let start = ContinuousClock.now
    }
}

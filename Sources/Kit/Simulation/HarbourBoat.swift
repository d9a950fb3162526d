extension SimulatedRecording {
    /// Returns forty minutes by boat on the IJ: west to the NDSM wharf, moored there, and back east past the station.
    static func harbourBoat() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_503)
        receiver.wander = 2
        receiver.bestHDOP = 0.6
        receiver.spreadHDOP = 0.2
        receiver.altitude = 1.5
        receiver.sway = 2.5
        return SimulatedRecording("harbour-boat", from: "2026-05-03T15:00:00Z", .boat, receiver, route)
    }

    private static let route = [
        Waypoint(52.37915, 4.9138, kmh: 11, halt: 30),
        Waypoint(52.3803, 4.9122, kmh: 14),
        Waypoint(52.3831, 4.9005, kmh: 16),
        Waypoint(52.3856, 4.8953, kmh: 18),
        Waypoint(52.3915, 4.8897, kmh: 18),
        Waypoint(52.3975, 4.8885, kmh: 14),
        Waypoint(52.4004, 4.8907, kmh: 11, halt: 360),
        Waypoint(52.3975, 4.8878, kmh: 16),
        Waypoint(52.3912, 4.889, kmh: 18),
        Waypoint(52.3853, 4.8946, kmh: 18),
        Waypoint(52.3817, 4.9012, kmh: 16),
        Waypoint(52.3812, 4.9125, kmh: 16),
        Waypoint(52.3824, 4.9265, kmh: 18),
        Waypoint(52.3816, 4.942, kmh: 18),
        Waypoint(52.3806, 4.9495, kmh: 14, halt: 30),
    ]
}

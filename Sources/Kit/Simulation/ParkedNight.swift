extension SimulatedRecording {
    /// Returns eight hours of a parked car in a narrow street, whose position drifts and sometimes jumps.
    static func parkedNight() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_504)
        receiver.interval = 10
        receiver.wander = 5
        receiver.correlationTime = 400
        receiver.jitter = 0.8
        receiver.bestHDOP = 1
        receiver.spreadHDOP = 0.5
        // Reflections of one or more fixes each, with the high HDOP that comes with them.
        receiver.disturbances = [
            Disturbance(seconds: 4210..<4240, east: 38, north: 24, hdop: 4.1),
            Disturbance(seconds: 9500..<9510, east: -60, north: 31, hdop: 6.3),
            Disturbance(seconds: 14_860..<14_900, east: 12, north: -54, hdop: 4.8),
            Disturbance(seconds: 20_020..<20_030, east: 71, north: -33, hdop: 8.8),
            Disturbance(seconds: 25_500..<25_530, east: -33, north: -29, hdop: 3.9),
        ]
        let route = [Waypoint(52.3772, 4.8826, kmh: 30, halt: 8 * 3600)]
        return SimulatedRecording("parked-night", from: "2026-05-04T21:00:00Z", .car, receiver, route)
    }
}

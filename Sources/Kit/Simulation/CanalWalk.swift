extension SimulatedRecording {
    /// Returns twenty minutes on foot along the canals, from Brouwersgracht to the Dam, between high houses.
    static func canalWalk() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_502)
        receiver.interval = 2
        receiver.wander = 5
        receiver.jitter = 0.3
        receiver.bestHDOP = 1.1
        receiver.spreadHDOP = 0.5
        receiver.paused = 975..<1051
        return SimulatedRecording("canal-walk", from: "2026-05-02T13:20:00Z", .walker, receiver, route)
    }

    private static let walking = 4.68

    private static let route = [
        // Down the Prinsengracht from the Papeneilandsbrug
        Waypoint(52.38025, 4.88745, kmh: walking),
        Waypoint(52.37925, 4.88685, kmh: walking),
        Waypoint(52.3792, 4.88655, kmh: walking, halt: 60),
        Waypoint(52.37715, 4.88525, kmh: walking),
        Waypoint(52.37525, 4.88425, kmh: walking),
        Waypoint(52.37455, 4.88365, kmh: walking),
        // Around the Westerkerk to a bench by the Keizersgracht
        Waypoint(52.37415, 4.8838, kmh: walking),
        Waypoint(52.37435, 4.88485, kmh: walking, halt: 240),
        // Raadhuisstraat, Singel, Torensluis, round the palace to the Dam
        Waypoint(52.3739, 4.88545, kmh: walking),
        Waypoint(52.37335, 4.8882, kmh: walking),
        Waypoint(52.37365, 4.88925, kmh: walking),
        Waypoint(52.3737, 4.8901, kmh: walking),
        Waypoint(52.37365, 4.8909, kmh: walking),
        Waypoint(52.37345, 4.89255, kmh: walking),
        Waypoint(52.37295, 4.8932, kmh: walking, halt: 20),
    ]
}

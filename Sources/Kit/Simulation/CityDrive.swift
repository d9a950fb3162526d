extension SimulatedRecording {
    /// Returns half an hour through Amsterdam by car, which the manual uses as its example.
    ///
    /// The route follows real street corners, with straight lines between them.
    static func cityDrive() -> SimulatedRecording {
        var receiver = SimulatedReceiver(seed: 20_260_501)
        receiver.coldStart = 8
        // One fix is three kilometres off, with normal speed and a good HDOP.
        receiver.disturbances = [Disturbance(seconds: 395..<396, east: 2600, north: -1500, hdop: 0.9)]
        return SimulatedRecording("city-drive", from: "2026-05-01T10:00:00Z", .car, receiver, route)
    }

    private static let route = [
        // Amsterdam Centraal, Damrak, Dam
        Waypoint(52.37805, 4.90005, kmh: 30, halt: 25),
        Waypoint(52.37745, 4.89865, kmh: 30),
        Waypoint(52.37705, 4.89815, kmh: 40, halt: 18),
        Waypoint(52.37545, 4.89565, kmh: 40),
        Waypoint(52.37375, 4.89375, kmh: 30),
        Waypoint(52.37285, 4.8929, kmh: 30, halt: 12),
        // Behind the palace, Raadhuisstraat, Westermarkt, Rozengracht
        Waypoint(52.37255, 4.8906, kmh: 30),
        Waypoint(52.37305, 4.89025, kmh: 40),
        Waypoint(52.3731, 4.88935, kmh: 40),
        Waypoint(52.37395, 4.88545, kmh: 40),
        Waypoint(52.3742, 4.8838, kmh: 40, halt: 25),
        Waypoint(52.37275, 4.8798, kmh: 45),
        // Marnixstraat, Leidseplein
        Waypoint(52.37195, 4.87695, kmh: 45, halt: 30),
        Waypoint(52.36945, 4.87735, kmh: 45),
        Waypoint(52.36625, 4.8798, kmh: 40),
        Waypoint(52.36425, 4.88115, kmh: 30),
        Waypoint(52.36385, 4.88265, kmh: 30, halt: 20),
        // Weteringschans, Stadhouderskade, Rijksmuseum
        Waypoint(52.36255, 4.88365, kmh: 30),
        Waypoint(52.36125, 4.88655, kmh: 30),
        Waypoint(52.3602, 4.88625, kmh: 40),
        Waypoint(52.3612, 4.8841, kmh: 40, halt: 35),
        // Hobbemastraat, Paulus Potterstraat: five minutes before the Van Gogh Museum
        Waypoint(52.35985, 4.8833, kmh: 30),
        Waypoint(52.35885, 4.8811, kmh: 30, halt: 300),
        Waypoint(52.3578, 4.8786, kmh: 40),
        // Concertgebouw, Johannes Vermeerstraat, Ruysdaelkade, Stadhouderskade
        Waypoint(52.3563, 4.8797, kmh: 40),
        Waypoint(52.3558, 4.8805, kmh: 40),
        Waypoint(52.3564, 4.885, kmh: 40),
        Waypoint(52.35645, 4.8869, kmh: 40),
        Waypoint(52.35895, 4.8875, kmh: 50),
        Waypoint(52.35815, 4.8913, kmh: 50, halt: 40),
        // Weteringcircuit, Vijzelstraat, Muntplein
        Waypoint(52.36015, 4.89085, kmh: 45),
        Waypoint(52.36325, 4.8918, kmh: 40),
        Waypoint(52.36685, 4.8929, kmh: 30, halt: 15),
        // Along the Amstel, Zwanenburgwal, Rembrandthuis
        Waypoint(52.36705, 4.8948, kmh: 30),
        Waypoint(52.3666, 4.8978, kmh: 30),
        Waypoint(52.36725, 4.8997, kmh: 30),
        Waypoint(52.3692, 4.90095, kmh: 30),
        Waypoint(52.3694, 4.9014, kmh: 30),
        // Jodenbreestraat, Visserplein, Hortus, Artis
        Waypoint(52.3679, 4.9045, kmh: 40, halt: 22),
        Waypoint(52.3672, 4.9074, kmh: 40),
        Waypoint(52.3666, 4.9096, kmh: 40),
        Waypoint(52.36625, 4.9121, kmh: 30),
        Waypoint(52.3678, 4.9129, kmh: 30),
        // Kadijksplein, Maritime Museum, Prins Hendrikkade
        Waypoint(52.36985, 4.91285, kmh: 30),
        Waypoint(52.37085, 4.9143, kmh: 40),
        Waypoint(52.3712, 4.9134, kmh: 40),
        Waypoint(52.37195, 4.9116, kmh: 50, halt: 15),
        // The IJtunnel, under NEMO and the IJ
        Waypoint(52.37365, 4.9121, kmh: 50, covered: true),
        Waypoint(52.3792, 4.9139, kmh: 50, covered: true),
        Waypoint(52.3838, 4.91565, kmh: 50),
        // The north side: Johan van Hasseltweg, Van der Pekstraat, Buiksloterweg
        Waypoint(52.3874, 4.91745, kmh: 50),
        Waypoint(52.3889, 4.9185, kmh: 50, halt: 20),
        Waypoint(52.39065, 4.9119, kmh: 50),
        Waypoint(52.38945, 4.90925, kmh: 40),
        Waypoint(52.3862, 4.9066, kmh: 30),
        Waypoint(52.3846, 4.90385, kmh: 30),
        // Parked between the A'DAM Toren and Eye
        Waypoint(52.3842, 4.9016, kmh: 20, halt: 240),
    ]
}

import Geodesy
import TestSupport
import Testing

@Suite struct EllipsoidTests {
    /// Two places and the length of the geodesic between them in metres, on WGS 84.
    ///
    /// The lengths come from GeographicLib's inverse solution (C. Karney, *Algorithms for geodesics*, 2013).
    static let geodesics: [(Double, Double, Double, Double, Double)] = [
        (52.373056, 4.892222, 52.374, 4.9, 540.0347),
        (0, 0, 0, 1, 111319.4908),
        (0, 0, 1, 0, 110574.3886),
        (89, 0, 90, 0, 111693.8649),
        (-90, 0, -89.9999, 77, 11.1694),
        (10, 179.9999, 10, -179.9999, 21.9279),
        (-16.8, 179.95, -16.85, -179.93, 13935.7381),
        (-7.6192714, 21.518059, -7.618423, 21.5179903, 94.1335),
        (1.2546037, 31.4585384, 1.253973, 31.4585622, 69.7898),
        (20.7812352, 105.4716741, 20.7804235, 105.4712809, 98.753),
        (-65.492714, 111.4720324, -65.4923271, 111.4711161, 60.5083),
        (77.1509473, 167.3128012, 77.1512552, 167.3130323, 34.8492),
        (-54.8009448, -174.5997347, -54.800888, -174.6006156, 57.003),
        (-49.566678, -92.9005151, -49.5676178, -92.9005872, 104.6553),
        (-9.5150213, 123.2737663, -9.5149831, 123.2740469, 31.0977),
        (-0.0385641, 58.4818315, -7.2539201, -79.8613561, 15342039.8929),
        (84.6015541, 178.448991, 57.8366434, 74.8114637, 3771880.2795),
        (-31.4028731, -97.3202754, -35.863209, -154.7195402, 5272480.9643),
        (45.2689407, -35.8560702, 58.9192157, -40.8551286, 1555917.0238),
        (77.8672052, 125.0315184, -84.9073607, -104.5017307, 18928877.6425),
        (69.7462278, -10.8045806, 81.66102, -36.9272203, 1480551.0455),
        (-72.5834815, 46.6037684, 47.346846, -82.8807887, 16235238.6344),
        (-70.1854863, -60.2691748, 78.8929568, 92.8945861, 18770557.066),
        (-45.8409985, -86.2280974, -46.6389059, -87.1083106, 111690.8225),
        (35.6425814, -109.5894364, 35.7611717, -109.6945867, 16238.6235),
        (-37.1178702, 78.8440333, -37.855936, 79.1314636, 85769.1067),
        (-46.0190415, -26.9430901, -46.5933101, -27.4035002, 73025.3663),
        (79.9, 20.0, 79.8704272, 20.0499, 3444.0667),
        (-79.9, -100.0, -79.9184608, -99.9501, 2280.8880),
        (60.0, 10.0, 60.0312234, 10.0499, 4454.9853),
        (0.0, 33.0, -0.0302194, 33.0499, 6482.4237),
        (45.0, -7.0, 45.0129418, -6.9501, 4188.6777),
        (52.37, 4.89, 52.360432, 4.9399, 3561.9141),
    ]

    @Test(arguments: geodesics)
    func distancesAreThoseOfTheGeodesic(row: (Double, Double, Double, Double, Double)) {
        let start = Coordinate(latitude: row.0, longitude: row.1).known
        let end = Coordinate(latitude: row.2, longitude: row.3).known
        let length = Ellipsoid.distance(from: start, to: end).meters
        #expect(abs(length - row.4) <= 0.00002 * row.4 + 0.0002)
        #expect(Ellipsoid.distance(from: end, to: start).meters == length)
    }

    @Test func equalPlacesHaveDistanceZero() {
        let place = Coordinate(latitude: 52, longitude: 4).known
        #expect(Ellipsoid.distance(from: place, to: place) == .zero)
    }

    @Test func theDistanceOfAntipodesIsFinite() {
        let length = Ellipsoid.distance(
            from: Coordinate(latitude: 0, longitude: 0).known, to: Coordinate(latitude: 0, longitude: 180).known)
        #expect(abs(length.meters - 20_003_931) < 60_000)
    }
}

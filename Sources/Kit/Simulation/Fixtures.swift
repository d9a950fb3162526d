import Positioning
import Time

/// The generated files of the folder, with name and content, in the order in which they are written.
package enum Fixtures {
    /// A file of the folder.
    package struct File: Sendable {
        package var name: String
        package var bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }

        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    /// Returns all generated files; golden events are not among them, because the product records them.
    package static func files() -> [File] {
        let cityDrive = Recording.cityDrive()
        let canalWalk = Recording.canalWalk()
        let harbourBoat = Recording.harbourBoat()
        let parkedNight = Recording.parkedNight()
        let antimeridianSail = Recording.antimeridianSail()
        let polarWalk = Recording.polarWalk()
        let dateless = Recording.dateless()
        let passBy = Recording.passBy()
        let amsterdam = "amsterdam.sights.csv"
        return [
            File(amsterdam, Sight.csv(Sight.amsterdam)),
            File("antimeridian-sail.sights.csv", Sight.csv(Recording.antimeridianSights)),
            File("polar-walk.sights.csv", Sight.csv(Recording.polarSights)),
            File("pass-by.sights.csv", Sight.csv(Recording.passBySights())),
            nmea(cityDrive, NMEAText(sentences: [.gga, .gsa, .gsv, .rmc, .vtg])),
            gpx(cityDrive),
            gpx(canalWalk),
            nmea(harbourBoat, NMEAText(sentences: [.gga, .gll, .vtg, .gst, .zda], talker: "GN")),
            nmea(parkedNight, NMEAText(sentences: [.rmc, .gga])),
            gpx(antimeridianSail),
            gpx(polarWalk),
            nmea(dateless, NMEAText(sentences: [.gga])),
            gpx(passBy),
            File("damaged.gpx", Damage.cut(GPXText.document(name: "damaged", canalWalk.epochs), afterPoints: 150)),
            File(
                "damaged.nmea",
                Damage.spoil(NMEAText(sentences: [.gga, .rmc]).log(Array(cityDrive.epochs.prefix(240))))),
            options("city-drive", sights: amsterdam),
            options("canal-walk", sights: amsterdam),
            options("harbour-boat", sights: amsterdam),
            options("parked-night", sights: amsterdam),
            options("antimeridian-sail", sights: "antimeridian-sail.sights.csv"),
            options("polar-walk", sights: "polar-walk.sights.csv"),
            options("dateless", sights: amsterdam, more: "--date \(dateless.start.description.prefix(10))"),
            options("pass-by", sights: "pass-by.sights.csv"),
            options("damaged", sights: amsterdam),
        ]
            + [cityDrive, canalWalk, harbourBoat, parkedNight, antimeridianSail, polarWalk, dateless, passBy].map {
                File("\($0.name).truth.json", TruthText.document($0))
            }
    }

    private static func nmea(_ recording: Recording, _ text: NMEAText) -> File {
        File("\(recording.name).nmea", text.log(recording.epochs))
    }

    private static func gpx(_ recording: Recording) -> File {
        File("\(recording.name).gpx", GPXText.document(name: recording.name, recording.epochs))
    }

    /// Returns the options of a replay from the root of the repository, on one line.
    private static func options(_ name: String, sights: String, more: String? = nil) -> File {
        File(
            "\(name).options",
            (["--sights fixtures/\(sights)"] + [more].compactMap(\.self)).joined(separator: " ") + "\n")
    }
}

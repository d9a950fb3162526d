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
        let cityDrive = SimulatedRecording.cityDrive()
        let canalWalk = SimulatedRecording.canalWalk()
        let harbourBoat = SimulatedRecording.harbourBoat()
        let parkedNight = SimulatedRecording.parkedNight()
        let antimeridianSail = SimulatedRecording.antimeridianSail()
        let polarWalk = SimulatedRecording.polarWalk()
        let dateless = SimulatedRecording.dateless()
        let passBy = SimulatedRecording.passBy()
        let amsterdam = "amsterdam.sights.csv"
        return [
            File(amsterdam, SimulatedSight.csv(SimulatedSight.amsterdam)),
            File("antimeridian-sail.sights.csv", SimulatedSight.csv(SimulatedRecording.antimeridianSights)),
            File("polar-walk.sights.csv", SimulatedSight.csv(SimulatedRecording.polarSights)),
            File("pass-by.sights.csv", SimulatedSight.csv(SimulatedRecording.passBySights())),
            nmea(cityDrive, NMEAText(sentences: [.gga, .gsa, .gsv, .rmc, .vtg])),
            gpx(cityDrive),
            gpx(canalWalk),
            nmea(harbourBoat, NMEAText(sentences: [.gga, .gll, .vtg, .gst, .zda], talker: "GN")),
            nmea(parkedNight, NMEAText(sentences: [.rmc, .gga])),
            gpx(antimeridianSail),
            gpx(polarWalk),
            nmea(dateless, NMEAText(sentences: [.gga])),
            gpx(passBy),
            File("damaged.gpx", Damage.cut(SimulatedGPX.document(name: "damaged", canalWalk.epochs), afterPoints: 150)),
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

    private static func nmea(_ recording: SimulatedRecording, _ text: NMEAText) -> File {
        File("\(recording.name).nmea", text.log(recording.epochs))
    }

    private static func gpx(_ recording: SimulatedRecording) -> File {
        File("\(recording.name).gpx", SimulatedGPX.document(name: recording.name, recording.epochs))
    }

    /// Returns the options of a replay from the root of the repository, on one line.
    private static func options(_ name: String, sights: String, more: String? = nil) -> File {
        File(
            "\(name).options",
            (["--sights fixtures/\(sights)"] + [more].compactMap(\.self)).joined(separator: " ") + "\n")
    }
}

#if Fleet
import ArgumentParser
import FleetStore
import Foundation
import Geodesy
import Interchange
import Positioning
import TextCoding
import Time

/// The command `waymark fleet export`, which writes a month of a fleet as tables.
struct FleetExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the points and events of a month as CSV files, two for each partition.",
        discussion: """
            The files are points-MONTH-PARTITION.csv and events-MONTH-PARTITION.csv, each in the order of devices and \
            then of time. Their columns are those of the views "points" and "events" of one Waymark's store. A file \
            that is there is replaced once the new one is complete. Phones report late, so export a month some days \
            after its end, or again.
            """)

    @OptionGroup var servers: FleetDatabaseOption

    @Argument(help: ArgumentHelp("The folder of the files; it is made if it is missing.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("The month, in UTC.", valueName: "YYYY-MM"))
    var month: String

    @Option(
        name: .customLong("partition"),
        help: ArgumentHelp("Only this partition. Repeatable. (default: all)", valueName: "number"))
    var partitions: [Int] = []

    /// Returns the beginning of a month, and of the month after it; `nil` if the text is no month.
    static func span(of month: String) -> (start: Timestamp, end: Timestamp)? {
        guard let first = CalendarDate(argument: "\(month)-01") else { return nil }
        let (year, number, _) = first.components
        let next = CalendarDate(year: number == 12 ? year + 1 : year, month: number % 12 + 1, day: 1)
        return next.map { (Timestamp(first, millisecondsOfDay: 0), Timestamp($0, millisecondsOfDay: 0)) }
    }

    func validate() throws {
        guard Self.span(of: month) != nil else {
            throw ValidationError("--month takes a year and a month, such as 2026-05; \"\(month)\" is none.")
        }
    }

    func run() async throws {
        guard let span = Self.span(of: month) else { return }
        let database = try FleetDatabase(at: servers.databaseAddress(), limit: .seconds(60))
        let all = try database.status().partitions
        if let unknown = partitions.first(where: { number in !all.contains { $0.id == number } }) {
            throw ValidationError("The fleet has the partitions 0 to \(all.count - 1), and no \(unknown).")
        }
        // That of the boards is empty where there are none.
        let usual = all.filter { !$0.isOfBoards || $0.events > 0 }.map(\.id)
        let table = FleetTables(database: database, from: span.start, before: span.end)
        try await Failure.printing { output in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for partition in partitions.isEmpty ? usual : partitions {
                let name = "\(month)-\("00\(partition)".suffix(3)).csv"
                try await OutputFile.write(to: "\(folder)/points-\(name)", or: output) { write in
                    try table.writePoints(of: partition, write)
                }
                try await OutputFile.write(to: "\(folder)/events-\(name)", or: output) { write in
                    try table.writeEvents(of: partition, write)
                }
            }
        }
    }
}

/// Writes rows of a fleet's database as CSV.
private struct FleetTables {
    let database: FleetDatabase
    let start: Timestamp
    let end: Timestamp

    init(database: FleetDatabase, from start: Timestamp, before end: Timestamp) {
        (self.database, self.start, self.end) = (database, start, end)
    }

    /// Calls a function with some devices of a partition after others, until there are no more.
    private func forDevices(of partition: Int, _ body: ([String]) throws -> Void) throws {
        var last: String?
        while case let devices = try database.devices(of: partition, after: last), !devices.isEmpty {
            try body(devices)
            last = devices.last
        }
    }

    func writePoints(of partition: Int, _ write: ([UInt8]) throws -> Void) throws {
        var bytes = Array("device,trip,time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,gap\n".utf8)
        try forDevices(of: partition) { devices in
            try database.forEachPoint(of: devices, from: start, before: end) { point in
                let (fix, place) = (point.fix, point.fix.coordinate)
                CSVWriter.append(
                    [
                        point.device, point.trip, fix.time?.description ?? "", Self.degrees(Int64(place.latitudeE7)),
                        Self.degrees(Int64(place.longitudeE7)), Self.number(fix.altitude?.meters, 1),
                        Self.number(fix.speed?.metersPerSecond, 2), Self.number(fix.track?.degrees, 1),
                        Self.number(fix.accuracy?.meters, 1), point.gap ? "1" : "0",
                    ], to: &bytes)
                try Self.flush(&bytes, write)
            }
        }
        try write(bytes)
    }

    func writeEvents(of partition: Int, _ write: ([UInt8]) throws -> Void) throws {
        let columns =
            "partition,seq,type,time,device,lat,lon,geofence_kind,geofence,geofence_title,travel,inside_s,body\n"
        var bytes = Array(columns.utf8)
        try forDevices(of: partition) { devices in
            try database.forEachEvent(of: devices, from: start, before: end) { event in
                CSVWriter.append(
                    [
                        String(partition), String(event.seq), event.type, event.time.description, event.device,
                        event.latitudeE7.map(Self.degrees) ?? "", event.longitudeE7.map(Self.degrees) ?? "",
                        event.geofenceKind ?? "",
                        event.geofence ?? "", event.geofenceTitle ?? "", event.travel ?? "", event.inside ?? "",
                        event.body,
                    ], to: &bytes)
                try Self.flush(&bytes, write)
            }
        }
        try write(bytes)
    }

    private static func flush(_ bytes: inout [UInt8], _ write: ([UInt8]) throws -> Void) throws {
        guard bytes.count >= 64 * 1024 else { return }
        try write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private static func degrees(_ unscaled: Int64) -> String {
        var bytes: [UInt8] = []
        DecimalText.append(unscaled: unscaled, decimals: 7, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ value: Double?, _ decimals: Int) -> String {
        value.map { DecimalText.string($0, decimals: decimals) } ?? ""
    }
}
#endif

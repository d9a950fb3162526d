import Geodesy
import Places
import Positioning
import RPC

extension Sight {
    /// Reads the sight of an answer; `nil` if its id, title, place or radius is missing.
    init?(_ json: JSONValue) {
        guard let id = json.text("id"), let title = json.text("title"), let place = json.place,
            let radius = json.number("radius")
        else { return nil }
        self.init(
            id: id, title: title, place: place, radius: .meters(radius), category: json.text("category"),
            information: json.text("description"), owner: json.text("added_by"), added: json.time("added"))
    }

    /// The sight as `sights.import` takes it.
    var json: JSONValue {
        .object(
            JSONObject(present: [
                "id": .string(id), "title": .string(title), "lat": .number(place.latitude),
                "lon": .number(place.longitude), "radius": .number(radius.meters),
                "category": category.map { .string($0) }, "description": information.map { .string($0) },
            ]))
    }

    /// The sight as a line of columns.
    var text: String {
        let name = "\(EventLines.padded(title, to: 36))  \(EventLines.padded(id, to: 24))"
        return
            "\(name)  \(EventLines.place(place))  \(EventLines.length(radius))  \(EventLines.printable(category ?? ""))"
    }

    /// The cells of the sight in a table: id, title, place, radius and category.
    var cells: [TextTable.Cell] {
        [
            .key(id), .text(title), .number(EventLines.place(place)), .number(EventLines.length(radius)),
            .text(category ?? ""),
        ]
    }

    /// The column in which the values of ``lines`` begin.
    static let textColumn = 10

    /// The sight as lines of labels and values.
    var lines: [String] {
        var rows = [
            ("sight", id), ("title", title), ("place", EventLines.place(place)), ("radius", EventLines.length(radius)),
        ]
        if let category { rows.append(("category", category)) }
        if let owner { rows.append(("added by", owner)) }
        if let added { rows.append(("added", WallClock.local.minute(added))) }
        let paragraphs = information?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        for (index, paragraph) in paragraphs.enumerated() {
            rows.append((index == 0 ? "says" : "", String(paragraph).replacing("\t", with: "  ")))
        }
        return rows.map { $0 == ("", "") ? "" : "\(EventLines.padded($0.0, to: 9)) \(EventLines.printable($0.1))" }
    }
}

import Geodesy
import Positioning
import RPC
import Sights

extension Sight {
    /// Reads the sight of an answer; `nil` if its id, title, place or radius is missing.
    init?(_ json: JSONValue) {
        guard let id = json.text("id"), let title = json.text("title"), let place = json.place,
            let radius = json.number("radius")
        else { return nil }
        self.init(
            id: id, title: title, place: place, radius: .meters(radius), category: json.text("category"),
            information: json.text("description"), owner: json.text("added_by"), added: json.time("added"))
        rules.speedLimit = json.number("speed_limit").map(Speed.metersPerSecond)
        (rules.active, rules.zone) = (json.text("active"), json.text("zone"))
        rules.isAlarm = json.flag("alarm") ?? false
        rules.devices = json.elements("devices").compactMap { String(json: $0) }
        rules.groups = json.elements("groups").compactMap { String(json: $0) }
        guard let form = json.text("form") else { return }
        setKind(form: form)
        if let shape = json["shape"] { try? setShape(geometry: shape, radius: radius > 0 ? radius : nil) }
    }

    /// The sight as `sights.import` takes it.
    var json: JSONValue {
        .object(
            JSONObject(present: [
                "id": .string(id), "title": .string(title),
                "lat": outline == nil ? .number(place.latitude) : nil,
                "lon": outline == nil ? .number(place.longitude) : nil, "shape": geometry,
                "radius": radius > .zero ? .number(radius.meters) : nil, "category": category.map { .string($0) },
                "description": information.map { .string($0) },
                "speed_limit": rules.speedLimit.map { .number($0.metersPerSecond) },
                "alarm": rules.isAlarm ? .bool(true) : nil, "active": rules.active.map { .string($0) },
                "zone": rules.zone.map { .string($0) },
                "devices": rules.devices.isEmpty ? nil : .array(rules.devices.map { .string($0) }),
                "groups": rules.groups.isEmpty ? nil : .array(rules.groups.map { .string($0) }),
            ]))
    }

    /// The sight as a line of columns.
    var text: String {
        let name = "\(EventFormatter.padded(title, to: 36))  \(EventFormatter.padded(id, to: 24))"
        return
            "\(name)  \(EventFormatter.place(place))  \(extent)  \(EventFormatter.printable(category ?? ""))"
    }

    /// The cells of the sight in a table: id, title, place, radius and category.
    var cells: [TextTable.Cell] {
        [
            .key(id), .text(title), .number(EventFormatter.place(place)), .number(extent),
            .text(category ?? ""),
        ]
    }

    /// The radius of a circle, or what else the sight is.
    private var extent: String {
        guard let form else { return EventFormatter.length(radius) }
        return radius > .zero ? "\(form) \(EventFormatter.length(radius))" : form
    }

    /// The column in which the values of ``lines`` begin.
    static let textColumn = 10

    /// The sight as lines of labels and values.
    var lines: [String] {
        var rows = [
            ("sight", id), ("title", title), ("place", EventFormatter.place(place)),
        ]
        if let form { rows.append(("shape", form)) }
        if radius > .zero { rows.append(("radius", EventFormatter.length(radius))) }
        if let limit = rules.speedLimit { rows.append(("limit", EventFormatter.speed(limit))) }
        if rules.isAlarm { rows.append(("alarm", "when a device leaves")) }
        if let active = rules.active { rows.append(("active", "\(active) \(rules.zone ?? "")")) }
        if !rules.devices.isEmpty { rows.append(("only for", rules.devices.joined(separator: ", "))) }
        if !rules.groups.isEmpty { rows.append(("for group", rules.groups.joined(separator: ", "))) }
        if let category { rows.append(("category", category)) }
        if let owner { rows.append(("added by", owner)) }
        if let added { rows.append(("added", DisplayClock.local.minute(added))) }
        let paragraphs = information?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        for (index, paragraph) in paragraphs.enumerated() {
            rows.append((index == 0 ? "says" : "", String(paragraph).replacing("\t", with: "  ")))
        }
        return rows.map {
            $0 == ("", "") ? "" : "\(EventFormatter.padded($0.0, to: 9)) \(EventFormatter.printable($0.1))"
        }
    }
}

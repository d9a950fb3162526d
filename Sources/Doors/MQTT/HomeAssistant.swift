internal import RPC
internal import TextCoding

/// The description of a device for Home Assistant, from which it makes entities by itself.
///
/// - SeeAlso: <https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery>
struct HomeAssistant: Sendable {
    let topics: Topics
    /// The version of this program.
    let version: String

    /// The oldest event that is passed on, in seconds.
    ///
    /// Home Assistant takes each event as happening now.
    static let oldestEvent = 15.0 * 60

    /// The kinds of events, with their types.
    static let kinds: [(name: String, title: String, types: [String])] = [
        (
            "geofence", "Geofence",
            ["enter", "exit", "dwell", "cross", "approach", "speed"].map { "geofence.\($0)" }
        ), ("trip", "Trip", ["start", "end"].map { "trip.\($0)" }),
    ]

    /// Returns the kind of an event; `nil` if Home Assistant is not told of it.
    static func kind(of type: String) -> String? { kinds.first { $0.types.contains(type) }?.name }

    /// Returns an event as Home Assistant takes it: with its type as `event_type`.
    ///
    /// - Parameter line: A JSON object with at least one member.
    static func occurrence(_ type: String, _ line: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member("event_type", type) }
        return json.bytes.dropLast() + [UInt8(ascii: ",")] + line.dropFirst()
    }

    /// Returns the description of a device.
    func description(of device: DeviceReport) -> [UInt8] {
        let identifier = topics.identifier(of: device.name)
        let state = topics.state(of: device.name)
        var json = JSONWriter()
        json.object { json in
            json.object("dev") { json in
                json.array("ids") { $0.string(identifier) }
                json.member("name", device.title ?? device.name)
                json.member("mf", "Waymark")
                json.member("sw", version)
            }
            json.object("o") { json in
                json.member("name", "Waymark")
                json.member("sw", version)
            }
            json.member("availability_topic", topics.status)
            json.object("cmps") { json in
                // Without a state topic, Home Assistant finds its own zones.
                json.component("position", "device_tracker", identifier, name: nil) { json in
                    json.member("source_type", "gps")
                    json.member("json_attributes_topic", topics.position(of: device.name))
                }
                json.component("speed", "sensor", identifier, name: "Speed") { json in
                    json.member("state_topic", state)
                    json.member("value_template", "{{ value_json.speed }}")
                    json.member("device_class", "speed")
                    json.member("state_class", "measurement")
                    json.member("unit_of_measurement", "m/s")
                }
                json.component("distance_today", "sensor", identifier, name: "Distance today") { json in
                    json.member("state_topic", state)
                    json.member("value_template", "{{ value_json.distance_today }}")
                    json.member("device_class", "distance")
                    // It shrinks a little when a trip ends, which Home Assistant warns of if it may only increase.
                    json.member("state_class", "total")
                    json.member("last_reset_value_template", "{{ value_json.day }}")
                    json.member("unit_of_measurement", "km")
                }
                json.component("moving", "binary_sensor", identifier, name: "Moving") { json in
                    json.member("state_topic", state)
                    json.member("value_template", "{{ 'ON' if value_json.moving else 'OFF' }}")
                    json.member("device_class", "moving")
                }
                for kind in Self.kinds {
                    json.component(kind.name, "event", identifier, name: kind.title) { json in
                        json.member("state_topic", topics.occurrences(kind.name, of: device.name))
                        json.array("event_types") { json in
                            for type in kind.types { json.string(type) }
                        }
                        json.member("qos", 1)
                    }
                }
            }
        }
        return json.bytes
    }
}

extension JSONWriter {
    /// Writes an entity; one without a name is called as its device.
    fileprivate mutating func component(
        _ key: String, _ platform: String, _ device: String, name: String?, _ body: (inout JSONWriter) -> Void
    ) {
        object(key) { json in
            json.member("p", platform)
            json.member("unique_id", "\(device)_\(key)")
            json.key("name")
            if let name { json.string(name) } else { json.null() }
            body(&json)
        }
    }
}

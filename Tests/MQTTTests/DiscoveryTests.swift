import RPC
import Testing

@testable import MQTT

/// The description of a device, by the rules of Home Assistant's documents for MQTT discovery.
@Suite struct DiscoveryTests {
    /// What a member must be.
    private enum Rule {
        case text, texts, textOrNull
        case one(of: Set<String>)
        case number(ClosedRange<Int64>)
    }

    /// What each kind of entity requires and allows besides `p`, `unique_id`, `name` and `qos`.
    private static let platforms: [String: (required: [String: Rule], optional: [String: Rule])] = [
        // A tracker has a state topic, or attributes with latitude and longitude.
        "device_tracker": (
            [
                "json_attributes_topic": .text,
                "source_type": .one(of: ["gps", "router", "bluetooth", "bluetooth_le"]),
            ],
            [:]
        ),
        "sensor": (
            ["state_topic": .text],
            [
                "value_template": .text, "unit_of_measurement": .one(of: ["m/s", "km"]),
                "device_class": .one(of: ["speed", "distance"]),
                "state_class": .one(of: ["measurement", "total", "total_increasing"]),
                "last_reset_value_template": .text,
            ]
        ),
        "binary_sensor": (
            ["state_topic": .text], ["value_template": .text, "device_class": .one(of: ["moving"])]
        ),
        "event": (["state_topic": .text, "event_types": .texts], ["value_template": .text]),
    ]

    private static func isMet(_ rule: Rule, _ value: JSONValue) -> Bool {
        switch (rule, value) {
        case (.text, .string(let text)), (.textOrNull, .string(let text)): !text.isEmpty
        case (.textOrNull, .null): true
        case (.texts, .array(let texts)):
            !texts.isEmpty && texts.allSatisfy { if case .string = $0 { true } else { false } }
        case (.one(let words), .string(let text)): words.contains(text)
        case (.number(let range), .integer(let number)): range.contains(number)
        default: false
        }
    }

    /// Checks a description, and returns its entities by their platforms.
    static func check(_ description: JSONValue) throws -> [String: [JSONValue]] {
        func members(_ value: JSONValue?) throws -> JSONObject {
            guard case .object(let members)? = value else { throw Broker.Failure(description: "no object") }
            return members
        }
        let root = try members(description)
        #expect(Set(root.names) == ["dev", "o", "availability_topic", "cmps"])
        let device = try members(root["dev"])
        #expect(Set(device.names).isSubset(of: ["ids", "name", "mf", "mdl", "sw", "hw", "sn", "cu", "sa"]))
        #expect(Self.isMet(.texts, device["ids"] ?? .null))
        let origin = try members(root["o"])
        #expect(
            Set(origin.names).isSubset(of: ["name", "sw", "url"]) && Self.isMet(.text, origin["name"] ?? .null))
        var ids: Set<String> = []
        var found: [String: [JSONValue]] = [:]
        let components = try members(root["cmps"])
        for name in components.names {
            let entity = try members(components[name])
            guard case .string(let platform)? = entity["p"], let rules = Self.platforms[platform] else {
                throw Broker.Failure(description: "\(name) has no platform")
            }
            let common: [String: Rule] = [
                "p": .text, "unique_id": .text, "name": .textOrNull, "qos": .number(0...2),
            ]
            let known = common.merging(rules.required) { $1 }.merging(rules.optional) { $1 }
            for member in entity.names {
                let rule = try #require(known[member], "\(name) has an unknown member \(member)")
                #expect(Self.isMet(rule, entity[member] ?? .null), "\(name).\(member)")
            }
            for member in rules.required.keys { #expect(entity[member] != nil, "\(name) has no \(member)") }
            guard case .string(let id)? = entity["unique_id"] else {
                throw Broker.Failure(description: "\(name) has no unique id")
            }
            #expect(ids.insert(id).inserted)
            found[platform, default: []].append(.object(entity))
        }
        return found
    }

    @Test func theDescriptionHasTheEntitiesOfADevice() throws {
        let settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://a")))
        let topics = Topics(settings, machine: "van")
        let assistant = HomeAssistant(topics: topics, version: "1")
        let description = try JSONValue(parsing: assistant.description(of: Devices.van).span)
        let entities = try Self.check(description)
        #expect(entities.mapValues(\.count) == ["device_tracker": 1, "sensor": 2, "binary_sensor": 1, "event": 2])
        #expect(description["dev"]?["ids"] == ["waymark_van_gps0"])
        #expect(description["dev"]?["name"] == "Our van")
        #expect(description["availability_topic"] == "waymark/van/status")
        #expect(entities["device_tracker"]?.first?["state_topic"] == nil)
        #expect(entities["device_tracker"]?.first?["json_attributes_topic"] == "waymark/van/device/gps0/position")
        #expect(
            topics.description(of: topics.identifier(of: "gps0"))
                == "homeassistant/device/waymark_van_gps0/config")
    }

    @Test func anOccurrenceIsTheEventWithItsTypeForHomeAssistant() throws {
        let line = Array(#"{"seq":7,"type":"geofence.enter","geofence":{"title":"Home"}}"#.utf8)
        let occurrence = HomeAssistant.occurrence("geofence.enter", line)
        #expect(
            String(decoding: occurrence, as: UTF8.self)
                == #"{"event_type":"geofence.enter","seq":7,"type":"geofence.enter","geofence":{"title":"Home"}}"#)
        #expect(HomeAssistant.kind(of: "geofence.speed") == "geofence")
        #expect(HomeAssistant.kind(of: "trip.revised") == nil)
    }
}

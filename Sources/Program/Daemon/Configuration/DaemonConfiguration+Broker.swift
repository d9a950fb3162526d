import MQTT
import TextCoding

#if Companion
import Uplink
import WebClient
#endif

extension DaemonConfiguration {
    /// Reads the settings of the MQTT broker; all of them, so that the listing knows the origin of each.
    mutating func readBroker(_ text: (ConfigurationKey) -> String) {
        func choice(_ key: ConfigurationKey) -> String? { text(key).isEmpty ? nil : text(key) }
        let url = choice(.mqttURL)
        let (user, password, authority) = (choice(.mqttUser), choice(.mqttPasswordFile), choice(.mqttAuthority))
        let (fingerprint, topic, assistant) = (choice(.mqttFingerprint), choice(.mqttTopic), text(.mqttHomeAssistant))
        let (access, events) = (text(.mqttAccess), ValueForm.hosts(text(.mqttEvents)))
        let (interval, distance) = (DecimalText.parse(text(.mqttInterval)), DecimalText.parse(text(.mqttDistance)))
        let phones = choice(.mqttPhones)
        #if Companion
        let boards = choice(.mqttBoards)
        #endif
        guard let url, url != "off" else { return }
        guard let broker = BrokerAddress(url) else {
            brokerRefusal = SettingRefusal(
                key: ConfigurationKey.mqttURL.rawValue,
                reason: "it must be mqtt://HOST, mqtt://HOST:PORT, mqtts://HOST or mqtts://HOST:PORT, or off")
            return
        }
        var settings = MQTTSettings(broker: broker)
        (settings.user, settings.passwordFile, settings.authority) = (user, password, authority)
        settings.fingerprint = fingerprint.flatMap(MQTTSettings.fingerprint)
        settings.topic = topic
        settings.homeAssistant = assistant == "off" || assistant.isEmpty ? nil : assistant
        settings.seesEverything = access == "admin"
        if !events.isEmpty { settings.events = events }
        settings.interval = interval ?? settings.interval
        settings.distance = distance ?? settings.distance
        settings.phones = phones
        #if Companion
        settings.boards = boards
        #endif
        mqtt = settings
        if fingerprint != nil, settings.fingerprint == nil {
            brokerRefusal = SettingRefusal(
                key: ConfigurationKey.mqttFingerprint.rawValue,
                reason: "it must be the 64 hexadecimal digits of a SHA-256 fingerprint")
        } else {
            brokerRefusal = settings.refusal.map { SettingRefusal(key: $0.key, reason: $0.reason) }
        }
    }

    #if Companion
    /// Lets the events go to the centre over the broker.
    mutating func useBroker(_ secret: SecretFile) {
        func refuse(_ key: ConfigurationKey, _ reason: String) {
            if brokerRefusal == nil { brokerRefusal = SettingRefusal(key: key.rawValue, reason: reason) }
        }
        guard uplink == nil else {
            return refuse(.uplinkMQTT, "uplink.url and uplink.mqtt are two ways to the centre; set one of them")
        }
        uplink = UplinkSettings(overBroker: secret)
        guard let mqtt else {
            return refuse(.uplinkMQTT, "events go over a broker: set mqtt.url")
        }
        if let name = mqtt.topic?.split(separator: "/").last, !UplinkFeature.isName(of: String(name)) {
            refuse(
                .mqttTopic,
                "its last level is the board's name at the centre, at most 32 letters, digits, hyphens and underscores")
        }
    }
    #endif

    /// Keeps the running daemon's settings of the broker, and adds the keys that differ.
    ///
    /// If only one of the two has a broker, that key is `mqtt.url`.
    mutating func keepBroker(of running: DaemonConfiguration, _ waiting: inout [String]) {
        let wanted = mqtt
        mqtt = running.mqtt
        guard let wanted, let kept = running.mqtt else {
            if wanted != running.mqtt { waiting.append(ConfigurationKey.mqttURL.rawValue) }
            return
        }
        let changes: [(ConfigurationKey, Bool)] = [
            (.mqttURL, wanted.broker != kept.broker), (.mqttUser, wanted.user != kept.user),
            (.mqttPasswordFile, wanted.passwordFile != kept.passwordFile),
            (.mqttAuthority, wanted.authority != kept.authority),
            (.mqttFingerprint, wanted.fingerprint != kept.fingerprint), (.mqttTopic, wanted.topic != kept.topic),
            (.mqttHomeAssistant, wanted.homeAssistant != kept.homeAssistant),
            (.mqttAccess, wanted.seesEverything != kept.seesEverything),
            (.mqttEvents, wanted.events != kept.events), (.mqttInterval, wanted.interval != kept.interval),
            (.mqttDistance, wanted.distance != kept.distance), (.mqttPhones, wanted.phones != kept.phones),
            (.mqttBoards, wanted.boards != kept.boards),
        ]
        for (key, isChanged) in changes where isChanged { waiting.append(key.rawValue) }
    }
}

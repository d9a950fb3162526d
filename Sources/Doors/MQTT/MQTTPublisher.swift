internal import Callers
import Deadlines
public import EventStream
import Foundation
internal import RPC
import Synchronization
public import Time

/// The connection of the board to a broker: it publishes places, states and events while there is one.
///
/// The event log is the queue. Without a connection nothing is kept here; after it is back, the events since the last one
/// that the broker acknowledged follow from the log. Events from before the start are not published.
public actor MQTTPublisher {
    /// Receives what is wrong, or `nil` when all is well again.
    public typealias Report = @Sendable (BrokerFault?) -> Void

    let settings: MQTTSettings
    let topics: Topics
    let hub: EventHub
    let homeAssistant: HomeAssistant
    private let fan: EventFanOut
    private let source: any DeviceReports
    let phones: PhoneTopics?
    let receiver: (any PhoneMessages)?
    let boards: BoardTopics?
    let centre: (any BoardMessages)?
    let uplink: (any UplinkMessages)?
    let clocks: Clocks
    private let report: Report
    private nonisolated let known: Mutex<BrokerState>

    /// The version to try first.
    ///
    /// In packets of MQTT 5, libmosquitto ends the process when it meets a property that it does not know. So only a broker
    /// that has proved who it is may send such packets.
    private let newest: BrokerConnection.Version
    private var version: BrokerConnection.Version
    /// The connection that the broker has accepted; `nil` without one.
    private var connection: BrokerConnection?
    var window: DeliveryWindow
    private var openings: [CheckedContinuation<Void, Never>] = []
    private var devices: PublishedDevices
    private var refreshing = Refreshing.idle
    private var lastRefresh: Double?
    /// Whether the devices could not be read the last time.
    private var isBlind = false

    /// What a refresh is doing; a request that comes meanwhile begins another one.
    private enum Refreshing { case idle, running, again(isForced: Bool) }

    /// The failures in a row from which one that may pass by itself is reported.
    private static let failuresToReport = 3

    /// Creates a publisher without a connection.
    ///
    /// - Parameters:
    ///   - receiver: Takes what phones publish; `nil` if nobody does.
    ///   - centre: Takes what boards publish; `nil` if nobody does.
    ///   - uplink: Hands the events of this machine to a centre over the broker; `nil` if nobody does.
    ///   - machine: The name of the machine, for the usual topic.
    ///   - program: The version of this program.
    ///   - time: Returns the system's time.
    public init(
        _ settings: MQTTSettings, hub: EventHub, source: any DeviceReports, receiver: (any PhoneMessages)? = nil,
        centre: (any BoardMessages)? = nil, uplink: (any UplinkMessages)? = nil,
        machine: String, program: String, time: @escaping @Sendable () -> Timestamp, report: @escaping Report
    ) {
        self.init(
            settings, hub: hub, source: source, receiver: receiver, centre: centre, uplink: uplink, machine: machine,
            program: program, clocks: Clocks(time: time), report: report)
    }

    init(
        _ settings: MQTTSettings, hub: EventHub, source: any DeviceReports, receiver: (any PhoneMessages)? = nil,
        centre: (any BoardMessages)? = nil, uplink: (any UplinkMessages)? = nil,
        machine: String, program: String, clocks: Clocks, newest: BrokerConnection.Version? = nil,
        report: @escaping Report
    ) {
        self.settings = settings
        self.hub = hub
        self.source = source
        self.receiver = receiver
        phones = receiver == nil ? nil : settings.phones.flatMap(PhoneTopics.init)
        boards = centre == nil ? nil : settings.boards.flatMap(BoardTopics.init)
        self.centre = centre
        self.uplink = uplink
        self.clocks = clocks
        self.report = report
        self.newest = newest ?? (settings.broker.isSecure ? .mqtt5 : .mqtt311)
        version = self.newest
        topics = Topics(settings, machine: machine)
        homeAssistant = HomeAssistant(topics: topics, version: program)
        fan = EventFanOut(hub)
        window = DeliveryWindow(after: hub.newest)
        devices = PublishedDevices(interval: settings.interval, distance: settings.distance)
        known = Mutex(
            BrokerState(address: settings.broker.description, topic: topics.base, since: clocks.time()))
    }

    /// What is known of the connection.
    public nonisolated var state: BrokerState { known.withLock { $0 } }

    /// The caller whom the broker stands for: everybody, or an administrator.
    private var principal: Principal {
        Principal(number: 0, origin: .address(-2), rights: settings.seesEverything ? [.read, .change] : [.read])
    }

    /// Connects, publishes, and connects again after each end, until the task is cancelled.
    ///
    /// On cancellation the broker is told that the board is offline.
    public func run() async {
        let updates = hub.updates()
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in updates { await self.refresh(isForced: false) } }
            var failures = 0
            while !Task.isCancelled {
                let (fault, success) = await connectOnce()
                guard !Task.isCancelled else { break }
                if success == .none, fault.mayBeOfVersion, version == .mqtt5 {
                    version = .mqtt311
                    continue
                }
                version = newest
                failures = success == .acknowledged ? 1 : failures + 1
                known.withLock { $0.reason = fault.description }
                if !fault.isPassing || failures >= Self.failuresToReport { report(fault) }
                try? await Task.sleep(for: clocks.pause(failures), clock: .deadlines)
            }
            group.cancelAll()
        }
    }

    /// How far a connection came: nowhere, or the broker accepted it, or it also acknowledged a message.
    private enum Success { case none, accepted, acknowledged }

    /// Returns the reason why a connection has ended, and how far it came.
    private func connectOnce() async -> (fault: BrokerFault, success: Success) {
        let link: BrokerConnection
        do {
            link = try BrokerConnection(
                to: settings, as: topics.client, password: try settings.password(),
                will: .init(topic: topics.status, payload: Array("offline".utf8)), version: version,
                longest: centre?.longestMessage ?? 0)
        } catch {
            await uplink?.close("\(error)")
            return (error, .none)
        }
        return await withTaskCancellationHandler {
            link.open()
            let (fault, success) = await follow(link)
            await uplink?.close("\(fault)")
            return (fault, success)
        } onCancel: { [topics] in
            _ = link.publish(Array("offline".utf8), to: topics.status, qos: 0, isRetained: true)
            link.close()
        }
    }

    /// Follows a connection to its end.
    private func follow(_ link: BrokerConnection) async -> (fault: BrokerFault, success: Success) {
        await withTaskGroup(of: Void.self) { group in
            let patience = clocks.patience
            group.addTask {
                try? await Task.sleep(for: patience, clock: .deadlines)
                if !Task.isCancelled { await self.giveUp(link) }
            }
            // The group waits for the pump, which may wait for acknowledgements of this connection.
            defer {
                end(link)
                group.cancelAll()
            }
            var success = Success.none
            var fault: BrokerFault?
            var detail: String?
            for await signal in link.signals {
                switch signal {
                case .accepted(let limit):
                    success = .accepted
                    await begin(link, limit)
                    group.addTask { await self.pump(link) }
                case .refused(let code): fault = .refused(settings.broker, code)
                case .unopened(let end): return (.opening(settings.broker, end, detail: detail), success)
                case .ended(let end):
                    let reason = BrokerFault.ended(
                        settings.broker, end, detail: detail, wasConnected: success != .none)
                    return (fault ?? reason, success)
                case .published(let number, let reason):
                    // A broker that accepts connections and serves none is not well.
                    if success == .accepted, reason < 0x80 { report(nil) }
                    success = .acknowledged
                    acknowledge(number, reason)
                    await uplink?.note(number, reason: reason)
                case .unsendable(let number):
                    leaveOut(number)
                    await uplink?.note(number, reason: -1)
                case .message(let topic, let payload, let isRetained):
                    if let device = phones?.device(of: topic) {
                        guard await receiveFromPhone(payload, of: device) else { return (.postponed, success) }
                    } else if await !receiveForUplink(payload, from: topic, link) {
                        await receive(payload, from: topic, isRetained: isRetained)
                    }
                    link.noteTaken()
                case .said(let text): detail = text
                }
            }
            return (fault ?? .silent(settings.broker), success)
        }
    }

    /// Ends a connection that the broker has not accepted in time.
    private func giveUp(_ link: BrokerConnection) {
        if connection !== link { link.close() }
    }

    private func end(_ link: BrokerConnection) {
        link.close()
        guard connection === link else { return }
        connection = nil
        window.restart()
        wakePump()
        known.withLock { state in
            (state.isConnected, state.since, state.waiting) = (false, clocks.time(), 0)
        }
    }
}

// MARK: Events

extension MQTTPublisher {
    /// Publishes the events of the log that the broker has not acknowledged, then new ones, until the connection ends.
    private func pump(_ link: BrokerConnection) async {
        let filter = EventFilter(ofTypes: settings.events + ["position"])
        while connection === link, !Task.isCancelled {
            let reader = fan.subscribe(principal, to: filter, after: window.reached, last: hub.newest).reader
            defer { fan.remove(reader) }
            do {
                while let messages = try await reader.next() {
                    for message in messages { await publish(message, link) }
                    guard connection === link else { return }
                }
                return
            } catch is SubscriptionReader.Lost {
                window.skip(to: hub.newest)
            } catch {
                // The log cannot be read now, which the daemon's health says.
                try? await Task.sleep(for: .seconds(5), clock: .deadlines)
            }
        }
    }

    private func publish(_ message: SubscriptionState.Message, _ link: BrokerConnection) async {
        switch message {
        case .cursor(let event): if connection === link { window.pass(event) }
        case .event(let line):
            guard let event = try? JSONValue(parsing: line.span), case .string(let type)? = event["type"] else {
                return
            }
            guard case .integer(let number)? = event["seq"] else {
                await refreshIfDue()
                return
            }
            while !window.isOpen, connection === link { await withCheckedContinuation { openings.append($0) } }
            guard connection === link else { return }
            window.begin(number)
            send(line, to: topics.event(type), link)
            if settings.homeAssistant != nil, let kind = HomeAssistant.kind(of: type),
                case .string(let device)? = event["device"], isRecent(event)
            {
                send(HomeAssistant.occurrence(type, line), to: topics.occurrences(kind, of: device), link)
            }
            window.finish()
            noteWaiting()
        }
    }

    private func isRecent(_ event: JSONValue) -> Bool {
        guard case .string(let text)? = event["time"], let time = Timestamp(rfc3339: text) else { return false }
        return clocks.time().seconds(since: time) <= HomeAssistant.oldestEvent
    }

    private func send(_ payload: [UInt8], to topic: String, _ link: BrokerConnection) {
        guard let number = link.publish(payload, to: topic, qos: 1, isRetained: false) else { return }
        window.add(number)
        known.withLock { $0.published += 1 }
    }

    private func acknowledge(_ number: Int32, _ reason: Int32) {
        if reason >= 0x80 {
            known.withLock { $0.refused += 1 }
            report(.forbidden(settings.broker, reason))
        }
        settle(number)
    }

    /// Leaves out a message that cannot be sent to this broker; those after it follow.
    private func leaveOut(_ number: Int32) {
        known.withLock { $0.refused += 1 }
        settle(number)
    }

    private func settle(_ number: Int32) {
        guard window.acknowledge(number) else { return }
        noteWaiting()
        if window.isOpen { wakePump() }
    }

    private func noteWaiting() {
        let waiting = window.waiting
        known.withLock { $0.waiting = waiting }
    }

    private func wakePump() {
        let waiting = openings
        openings = []
        for opening in waiting { opening.resume() }
    }
}

// MARK: Places and states

extension MQTTPublisher {
    /// Publishes what is retained, and asks for what an earlier run left behind.
    private func begin(_ link: BrokerConnection, _ limit: Int) async {
        connection = link
        window.limit = max(1, min(DeliveryWindow.greatestLimit, limit))
        let version = version == .mqtt5 ? "5" : "3.1.1"
        known.withLock { state in
            (state.isConnected, state.version, state.reason) = (true, version, nil)
            state.since = clocks.time()
        }
        // Whoever reads that this is online can rely on it that places reach it, too.
        subscribeToPhones(link)
        await subscribeForUplink(link)
        retain(Array("online".utf8), at: topics.status, qos: 1)
        await refresh(isForced: true)
        guard connection === link else { return }
        for topic in [topics.positions, topics.states, topics.descriptions] {
            link.subscribe(to: topic, onlyRetained: true)
        }
        if settings.homeAssistant != nil { link.subscribe(to: topics.homeAssistantStatus, onlyRetained: false) }
    }

    /// Counts a message of a phone.
    func notePhone(isKnown: Bool) {
        known.withLock { state in
            if isKnown { state.received += 1 } else { state.strangers += 1 }
        }
    }

    /// Counts a message of a board.
    func noteBoard(isTaken: Bool) {
        known.withLock { state in
            if isTaken { state.handed += 1 } else { state.rejected += 1 }
        }
    }

    private func receive(_ payload: [UInt8], from topic: String, isRetained: Bool) async {
        if topic == topics.homeAssistantStatus {
            guard !isRetained, payload == Array("online".utf8) else { return }
            return await refresh(isForced: true)
        }
        guard isRetained, !payload.isEmpty, !devices.topics(topics, settings).contains(topic) else { return }
        let isOurs =
            topic.hasPrefix("\(topics.base)/device/")
            || (try? JSONValue(parsing: payload.span))?["availability_topic"] == .string(topics.status)
        if isOurs { retain([], at: topic, qos: 1) }
    }

    /// Publishes what has changed, if the time between two positions has passed.
    private func refreshIfDue() async {
        if let lastRefresh, clocks.moment() - lastRefresh < settings.interval { return }
        await refresh(isForced: false)
    }

    /// Publishes the places, states and descriptions that are due or have changed; all of them if it is forced.
    private func refresh(isForced: Bool) async {
        guard connection != nil else { return }
        switch refreshing {
        case .idle: refreshing = .running
        case .running: return refreshing = .again(isForced: isForced)
        case .again(let force): return refreshing = .again(isForced: force || isForced)
        }
        var force = isForced || isBlind
        while true {
            do {
                let reports = try await source.reports()
                if isBlind {
                    isBlind = false
                    report(nil)
                }
                if connection != nil { publish(reports, isForced: force) }
            } catch {
                // What cannot be read now is published after the next fix or event.
                isBlind = !Task.isCancelled
                if isBlind { report(.unreadable(devices: error)) }
            }
            guard case .again(let next) = refreshing else { break }
            force = next
            refreshing = .running
        }
        refreshing = .idle
    }

    private func publish(_ reports: [DeviceReport], isForced: Bool) {
        let moment = clocks.moment()
        lastRefresh = moment
        for device in reports {
            if settings.homeAssistant != nil {
                let description = homeAssistant.description(of: device)
                if devices.note(description, of: device.name) || isForced {
                    retain(description, at: topics.description(of: topics.identifier(of: device.name)), qos: 1)
                }
            }
            guard devices.tells(device, at: moment, isForced: isForced) else { continue }
            if let position = device.position { retain(position, at: topics.position(of: device.name), qos: 0) }
            retain(device.state, at: topics.state(of: device.name), qos: 1)
        }
        for topic in devices.removeAll(but: reports, topics, settings) { retain([], at: topic, qos: 1) }
    }

    private func retain(_ payload: [UInt8], at topic: String, qos: Int32) {
        guard connection?.publish(payload, to: topic, qos: qos, isRetained: true) != nil else { return }
        known.withLock { $0.published += 1 }
    }
}

import Callers
import EventStream
import Positioning
import Receivers
import TextCoding
import Time

extension HealthSnapshot {
    /// The seconds that a receiver and the daemon have before silence is a finding.
    ///
    /// Receivers report once a second. A source that reports less often has a longer idle time in its URL.
    static let patience = 30.0
    /// The share of refused fixes in the last minute from which they are a finding, and below which they are none
    /// again.
    private static let refusedShares = (begins: 0.25, ends: 0.1)
    /// The number of refused fixes in the last minute below which they are no finding: a few wild fixes are normal.
    private static let fewRefused = 5
    /// The difference between the fixes' time and the clock from which it is a finding, in seconds.
    ///
    /// No network delays a fix by two minutes.
    private static let greatestClockError = 120.0
    /// The free bytes below which there is hardly any room: a week of one fix a second, at 36 bytes at most per fix.
    static let tooLittleRoom: Int64 = 22_000_000
    /// The free bytes below which there is little room: half a year of such fixes.
    static let littleRoom: Int64 = 570_000_000

    /// Judges what is known: everything that is not well, failures first.
    var findings: [HealthFinding] {
        var found: [HealthFinding] = []
        addStore(to: &found)
        for source in sources { add(source, to: &found) }
        addClock(to: &found)
        addMachine(to: &found)
        addPhones(to: &found)
        let order: [HealthFinding.Severity] = [.failure, .warning, .note]
        return order.flatMap { severity in found.filter { $0.severity == severity } }
    }

    /// Returns a finding; without a time of its own it dates from the judgement that found it first.
    func finding(
        _ id: String, _ part: HealthFinding.Part, _ severity: HealthFinding.Severity, since: Timestamp? = nil,
        _ text: String, _ remedy: String
    ) -> HealthFinding {
        HealthFinding(
            id: id, part: part, severity: severity, since: since ?? before[id] ?? time, text: text, remedy: remedy)
    }

    private func moment(_ secondsAgo: Double) -> Timestamp {
        time.advanced(byMilliseconds: -(Int64(exactly: (secondsAgo * 1000).rounded()) ?? 0))
    }

    // MARK: The store

    private func addStore(to found: inout [HealthFinding]) {
        if let failure {
            found.append(
                finding(
                    "store", .store, .failure, since: failure.since,
                    "it cannot be written: \(failure.text)",
                    failure.isFull
                        ? "free some space on its disk; what waits is then written, and until then no event is emitted"
                        : "fix this; what waits is then written, and until then no event is emitted"))
        } else if let reason = surroundings.readOnly {
            found.append(
                finding(
                    "store", .store, .failure, "it cannot be written: \(reason)",
                    "make its file system and its folder writable; until then nothing is saved"))
        }
        switch damage {
        case .damaged(let problems):
            found.append(
                finding(
                    "damage", .store, .failure, "it is damaged: \(problems.joined(separator: "; "))",
                    "restore a backup, or save what can be read: \"waymark recover \(store ?? "FILE")\""))
        case .failed(let reason):
            found.append(
                finding(
                    "check", .store, .warning, "it could not be checked for damage: \(reason)",
                    "check it yourself: \"waymark doctor --thorough\""))
        case .unchecked, .running, .sound: break
        }
        if droppedPoints > 0 {
            found.append(
                finding(
                    "lost-points", .store, .warning,
                    "it could not be written for a while, and \(droppedPoints) points of traces are lost",
                    "see the daemon's log: journalctl -u waymark; a restart of the daemon ends this warning"))
        }
    }

    // MARK: Receivers

    private func add(_ source: Source, to found: inout [HealthFinding]) {
        guard let address = source.address else { return }
        let device = source.device
        func add(
            _ id: String, _ severity: HealthFinding.Severity, since: Timestamp?, _ text: String, _ remedy: String
        ) {
            found.append(finding("\(id)/\(device)", .receiver, severity, since: since, text, remedy))
        }
        guard let state = source.state, source.isReported || uptime >= Self.patience else {
            guard !address.isFile else { return }
            return add(
                "waiting", .note, since: moment(uptime), "\(device) is configured, and has sent nothing yet",
                "wait half a minute; \(Advice.silence(address))")
        }
        guard state.isOnline else {
            // A recording has an end. Until it is read again, nothing is known of one that an earlier run read.
            guard !address.isFile || state.reason.map({ $0 != Self.endOfRecording }) ?? false else { return }
            // Senders of datagrams come and go, as long as there are others.
            let severity: HealthFinding.Severity = address.hasSenders && source.hasSibling ? .warning : .failure
            let reason = state.reason ?? "it did not answer before the daemon was started"
            return add(
                "offline", severity, since: state.since, "\(device) is offline: \(reason)",
                Advice.offline(reason, address))
        }
        guard !address.isFile else { return }
        let limit = max(Self.patience, address.idle / .seconds(1))
        let blind = min(source.fixAge ?? .infinity, source.online ?? uptime, uptime)
        let minute = source.minute
        if blind >= limit {
            let since = moment(source.fixAge ?? source.online ?? uptime)
            let length = Self.words(time.seconds(since: since))
            // The first fixes after a time without sky are often refused, too.
            let areRefused =
                minute.rejected.total >= Self.fewRefused || source.hasRefusedBefore
                || !minute.rejected.isEmpty && before["refused/\(device)"] != nil
            if areRefused, source.isSending || minute.accepted == 0 {
                return add(
                    "refused", .failure, since: since,
                    "\(device) sends fixes, and all of the last minute are refused: \(Self.list(minute.rejected)); "
                        + "it has had no good fix for \(length)", Advice.refused(minute.rejected, isSynchronised))
            }
            return add(
                "no-fix", .failure, since: since, "\(device) is online, and has had no fix for \(length)",
                Advice.noFix(address))
        }
        let refused = minute.rejected.total
        let share = Double(refused) / Double(max(1, minute.read))
        let isKnown = before["refused/\(device)"] != nil
        if refused >= Self.fewRefused, share >= (isKnown ? Self.refusedShares.ends : Self.refusedShares.begins) {
            add(
                "refused", share >= 0.5 ? .failure : .warning, since: nil,
                "\(refused) of the last \(minute.read) fixes of \(device) were refused: "
                    + Self.list(minute.rejected), Advice.refused(minute.rejected, isSynchronised))
        }
        addDate(source, blind: limit, to: &found)
    }

    /// The reason of a recording that was read to its end.
    static let endOfRecording = "end of file"

    // MARK: The clock

    /// Adds that a receiver's date differs from a clock that is right.
    private func addDate(_ source: Source, blind limit: Double, to found: inout [HealthFinding]) {
        guard isSynchronised == true, let ahead = source.ahead, abs(ahead) > Self.greatestClockError,
            source.fixAge.map({ $0 < limit }) ?? false
        else { return }
        found.append(
            finding(
                "date/\(source.device)", .receiver, .failure,
                "the fixes of \(source.device) are dated \(Self.words(abs(ahead))) \(ahead < 0 ? "behind" : "ahead of") the clock, which is synchronised",
                "give the receiver a view of the sky for 15 min, so that it learns the date; if that does not help, its firmware is too old for the date, or it sends a recording"
            ))
    }

    /// Adds that the clock is wrong: the receivers of two or more devices may not agree, so the one that is nearest to
    /// the clock counts.
    private func addClock(to found: inout [HealthFinding]) {
        guard isSynchronised != true else { return }
        let live = sources.filter { source in
            guard let address = source.address, !address.isFile, source.state?.isOnline == true else { return false }
            return source.fixAge.map { $0 < max(Self.patience, address.idle / .seconds(1)) } ?? false
        }
        let nearest = live.compactMap { source in source.ahead.map { (source.device, $0) } }
            .min { abs($0.1) < abs($1.1) }
        let remedy =
            "set it: \"sudo timedatectl set-ntp true\", or let chrony take the time from gpsd; if the clock is right, the receiver's date is wrong"
        if let (device, ahead) = nearest {
            guard abs(ahead) > Self.greatestClockError else { return }
            found.append(
                finding(
                    "clock", .clock, .failure,
                    "the system's clock is \(Self.words(abs(ahead))) \(ahead < 0 ? "ahead of" : "behind") the fixes of \(device)",
                    remedy))
        } else if time < Self.released {
            found.append(
                finding(
                    "clock", .clock, .failure,
                    "the system's clock says \(time), which is before this program was built",
                    remedy))
        }
    }

    /// The beginning of the day on which the program was built.
    private static let released = Timestamp(ProgramInfo.released, millisecondsOfDay: 0)

    // MARK: The machine

    private func addMachine(to found: inout [HealthFinding]) {
        if receivers == 0 {
            found.append(
                finding(
                    "no-receiver", .receiver, .note, since: moment(uptime), "none is configured",
                    "name one under \"sources\"; \"waymark init\" finds the receivers of this machine"))
        }
        if let free = surroundings.freeBytes, free < Self.littleRoom {
            let isFull = free < Self.tooLittleRoom
            found.append(
                finding(
                    "disk", .disk, isFull ? .failure : .warning,
                    "only \(Self.bytes(free)) are free on the disk of \(store ?? "the store")",
                    "free some space, or set retention in the configuration to remove old records"))
        }
        if surroundings.isSocketGone {
            found.append(
                finding(
                    "socket", .socket, .failure,
                    "the file \(surroundings.socket) is gone, so that no program can connect",
                    "restart the daemon: \"sudo systemctl restart waymark\""))
        }
        for door in surroundings.doors { add(door, to: &found) }
        for trouble in surroundings.troubles {
            var trouble = trouble
            trouble.since = before[trouble.id] ?? trouble.since
            found.append(trouble)
        }
    }

    /// Adds that nobody can come through a door.
    private func add(_ door: Door, to found: inout [HealthFinding]) {
        let callers = door.part == .web ? "browser" : "program"
        let text: String
        switch door.state {
        case .open: return
        case .closed: text = "the daemon does not listen at \(door.address) any more, so that no \(callers) can connect"
        case .hanging(let wait):
            text =
                "the daemon has taken no connection at \(door.address) for \(Self.words(wait / .seconds(1))), although a \(callers) waits"
        }
        found.append(
            finding(
                "\(door.part.rawValue)-door", door.part, .failure, text,
                "restart the daemon: \"sudo systemctl restart waymark\"; its log may say why: journalctl -u waymark"))
    }

    // MARK: Words

    /// Returns a duration in its two largest units.
    static func words(_ seconds: Double) -> String {
        let whole = Int(exactly: min(max(seconds, 0), 1e10).rounded()) ?? 0
        let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "0 s" : shown.joined(separator: " ")
    }

    private static func bytes(_ bytes: Int64) -> String {
        bytes < 1_000_000
            ? "\(max(0, bytes) / 1000) kB" : "\(DecimalText.string(Double(bytes) / 1e6, decimals: 0)) MB"
    }

    private static func list(_ tally: Tally) -> String {
        tally.sorted.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
    }
}

/// The advice for each kind of source.
private enum Advice {
    /// Returns what to do about a source that is silent or has not sent anything.
    static func silence(_ address: ReceiverAddress) -> String {
        switch address.source {
        case .gpsd:
            "see what gpsd receives: \"gpspipe -w -n 5\"; without a device in its answer, plug the receiver in, or name it in DEVICES in /etc/default/gpsd"
        case .serial:
            "check the receiver's cable and power, and that the baud rate in its URL is the receiver's, such as ?baud=4800"
        case .tcp(let host, let port):
            "check that the program at \(host), port \(port), sends NMEA sentences: \"nc \(host) \(port)\" shows them"
        case .udp(let host, let port):
            "check that the sender sends to this machine, port \(port)\(host.map { " at \($0)" } ?? ""), and that no firewall stops it: \"sudo tcpdump -n udp port \(port)\" shows what arrives"
        case .file(let path, _): "check the recording \(path)"
        }
    }

    /// Returns what to do about a source that is offline for a reason.
    static func offline(_ reason: String, _ address: ReceiverAddress) -> String {
        // `contains` of a text would load 2 MB of the executable, while the daemon may be at rest.
        func has(_ words: String...) -> Bool {
            words.contains { word in reason.utf8.indices.contains { reason.utf8[$0...].starts(with: word.utf8) } }
        }
        if has("not configured") { return "name it under \"sources\" again, or leave it" }
        if has("host name", "resolve", "no host called", "looked up") {
            return "check the name in its URL, and the network's name server"
        }
        switch address.source {
        case .gpsd(let host, let port, _):
            if has("plain NMEA") { return "write tcp://\(host):\(port) in its URL, because this is not gpsd" }
            if has("not gpsd", "is it gpsd") { return "check host and port in its URL: another program answers there" }
            if has("refused", "closed the connection") {
                return here(host)
                    ? "start gpsd: \"sudo systemctl start gpsd.socket\""
                    : "start gpsd on \(host), with -G so that it listens on the network"
            }
            if has("no answer", "cannot be reached") {
                return "check the network to \(host), and that it is switched on"
            }
            return silence(address)
        case .serial(let path, _):
            if has("no such device", "unplugged") {
                return "plug it in, or correct its URL; \"ls /dev/serial/by-id\" lists the serial devices"
            }
            if has("permitted") {
                return
                    "add the daemon's user to the group of \(path): \"sudo usermod -aG dialout waymark\"; under systemd also the drop-in serial.conf; then restart the daemon"
            }
            if has("another program") { return "stop the other program; if it is gpsd, read gpsd://localhost instead" }
            if has("not a serial port") { return "name a serial device in its URL, such as nmea:/dev/ttyACM0" }
            if has("no NMEA") {
                return "set the baud rate in its URL, such as ?baud=4800, to that of the receiver"
            }
            return silence(address)
        case .tcp(let host, let port):
            if has("refused") {
                return "start the program that should listen at \(host), port \(port), or correct the port in its URL"
            }
            if has("no answer", "cannot be reached") {
                return "check the network to \(host), and that it is switched on"
            }
            if has("no NMEA") {
                return
                    "check the port in its URL: what \(host) sends there is not NMEA 0183; for a gpsd, write gpsd://\(host)"
            }
            if has("closed", "reset") {
                return "see the log of the program at \(host), port \(port): it ends the connection"
            }
            return silence(address)
        case .udp(_, let port):
            if has("another program") {
                return
                    "stop the other program that listens at port \(port), or use another port: \"sudo ss -lunp\" shows it"
            }
            if has("no such address") {
                return "leave the address in its URL out, as in udp://:\(port), to listen at all"
            }
            if has("no NMEA") { return "check the sender: what it sends to port \(port) is not NMEA 0183" }
            if has("permitted") { return "use a port above 1023 in its URL" }
            return silence(address)
        case .file(let path, _):
            if has("no such file") { return "check the path in its URL: \(path)" }
            if has("cannot be opened") { return "let the daemon's user read \(path)" }
            return "\"waymark inspect \(path)\" shows what the file holds"
        }
    }

    /// Returns what to do about a receiver without a fix.
    static func noFix(_ address: ReceiverAddress) -> String {
        let sky = "give its antenna a view of the sky, and a few minutes; check the antenna's cable"
        return switch address.source {
        case .gpsd: "\(sky); \"cgps\" shows the satellites that it sees"
        case .serial(let path, _):
            "\(sky); \"waymark decode nmea:\(path)\" shows what it says once the daemon is stopped"
        case .tcp, .udp, .file: sky
        }
    }

    /// Returns what to do about refused fixes, by the most frequent reason.
    static func refused(_ tally: Tally, _ isSynchronised: Bool?) -> String {
        let clock =
            isSynchronised == true
            ? "" : " If the system's clock is wrong, set it: \"sudo timedatectl set-ntp true\"."
        let remedy =
            switch tally.sorted.max(by: { $0.count < $1.count })?.reason {
            case "late":
                "they are not later than the last accepted fix: the receiver's date is wrong, or was wrong before, or two receivers send as one device. Give the receiver a view of the sky for 15 min, and each receiver a source of its own; after 100 late fixes in a row the daemon begins anew."
            case "future":
                "they are dated far ahead: give the receiver a view of the sky for 15 min, so that it learns the date; after ten that agree the daemon believes them."
            case "no-time":
                "the receiver does not know the time yet, or sends no RMC, GGA or ZDA sentence with it: give it a view of the sky, or switch these sentences on."
            case "null-island": "the receiver reports 0° N 0° E because it has no fix: give it a view of the sky."
            case "accuracy":
                "they are less accurate than 200 m: give the antenna a view of the sky, and check its cable."
            case "speed":
                "the place jumps faster than anything can move: two receivers send as one device, or signals are reflected. Give each receiver a source of its own."
            default: "\"waymark explain --at now\" shows the last fixes with their reasons."
            }
        return remedy + (["late", "future"].contains { tally[$0] > 0 } ? clock : "")
    }

    private static func here(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}

extension ReceiverAddress {
    /// Whether anybody may send to it, so that its senders come and go.
    fileprivate var hasSenders: Bool {
        if case .udp = source { true } else { false }
    }
}

import Daemon
import Foundation
import RPC
import Store

/// Checks of the daemon.
extension Doctor {
    func checkSocket() -> Finding {
        let path = daemon.path
        let files = FileManager.default
        guard let attributes = try? files.attributesOfItem(atPath: path) else {
            return .fail("socket", "there is no socket at \(path)", Self.starting)
        }
        guard attributes[.type] as? FileAttributeType == .typeSocket else {
            return .fail("socket", "\(path) is not a socket", "name the daemon's socket with --socket")
        }
        guard files.isReadableFile(atPath: path), files.isWritableFile(atPath: path) else {
            let group = attributes[.groupOwnerAccountName] as? String ?? "waymark"
            // Never advise anybody to join the group of root, or another user's own group.
            guard group == "waymark" || group != attributes[.ownerAccountName] as? String else {
                return .fail("socket", "only \(group) may open \(path)", "run this as that user, or with sudo")
            }
            return .fail("socket", "\(path) is open to the group \(group), and you are not in it", Self.joining(group))
        }
        return .ok("socket", "you may open \(path)")
    }

    func checkVersion(_ examination: Examination) -> Finding {
        let info = examination.report.info
        let version = info.text("version") ?? "unknown"
        guard version == ProgramInfo.version else {
            return .warn(
                "daemon", "its version is \(version), and this program's is \(ProgramInfo.version)",
                "restart the daemon: \"sudo systemctl restart waymark\"")
        }
        return .ok("daemon", "\(info.text("name") ?? "it") \(version) answers")
    }

    func checkRights(_ examination: Examination, _ loaded: LoadedConfiguration?) -> Finding {
        guard !examination.mayChange else { return .ok("rights", "you may read and change data") }
        return .warn(
            "rights", "you may read data, but not change it",
            "if you need to: \(Self.joining(loaded?.configuration.adminGroup ?? "waymark-admin"))")
    }

    func checkStore(_ examination: Examination) -> Finding {
        let report = examination.report
        if let error = report.storeError {
            return .fail(
                "store", "it cannot be written: \(error)",
                "fix this; the waiting data is then written, and no events are emitted before")
        }
        if let damage = report.storeDamage {
            return .fail(
                "store", "it is damaged: \(damage)",
                "restore a backup, or save what can be read: \"waymark recover FILE\"")
        }
        let dropped = report.stats["store"]?.integer("dropped_points") ?? 0
        if dropped > 0 {
            return .warn(
                "store",
                "it could not be written for a while, and \(Amounts.count(dropped, "point")) of traces are lost",
                "see the daemon's log: journalctl -u waymark")
        }
        return .ok("store", "\(report.info.text("store") ?? "it") can be written")
    }

    /// The longest time for a check for damage that is not thorough.
    static let briefCheck = Duration.seconds(30)

    /// Checks the store itself for damage, if this user may read it.
    func checkSoundness(of store: String) async -> [Finding] {
        guard FileManager.default.isReadableFile(atPath: store) else { return [] }
        do {
            switch try await StoreCheck.run(
                at: store, isThorough: isThorough, within: isThorough ? nil : Self.briefCheck)
            {
            case .sound: return [.ok("damage", "no damage was found in \(store)")]
            case .damaged(let problems):
                return [
                    .fail(
                        "damage", "\(store): \(problems.joined(separator: "; "))",
                        "restore a backup, or save what can be read: \"waymark recover \(store)\"")
                ]
            case .unfinished:
                return [
                    .warn(
                        "damage", "\(store) is too large to be read in half a minute",
                        "\"waymark doctor --thorough\" reads all of it")
                ]
            }
        } catch {
            return [.warn("damage", "\(store) cannot be checked: \(error)", "run this as its owner, or with sudo")]
        }
    }

    func checkReceivers(_ report: DaemonReport) -> [Finding] {
        report.receivers.compactMap { device in
            switch device.isOnline {
            case nil where device.isAwaited:
                return .warn(
                    "receiver", "\(device.name) is configured, and has sent nothing yet",
                    "wait half a minute, then check that something sends to the address in its URL")
            case nil: return nil
            case true? where device.read == 0:
                return .warn(
                    "receiver", "\(device.name) is online and has no fix yet", "give it a view of the sky, and a minute"
                )
            case true?: return .ok("receiver", "\(device.name) is online")
            case false? where device.reason == "end of file":
                return .ok("receiver", "\(device.name) was a recording, and has ended")
            case false?:
                let reason = device.reason ?? "the reason is unknown"
                return .fail("receiver", "\(device.name) is offline: \(reason)", Self.remedy(for: reason))
            }
        }
    }

    /// Returns the remedy for an offline receiver, chosen by words in the reason.
    private static func remedy(for reason: String) -> String {
        let remedies = [
            ("no such file", "check the path in its URL"),
            (
                "permitted",
                "add the daemon's user to the group of the device: \"sudo usermod -aG dialout waymark\"; under "
                    + "systemd also the drop-in serial.conf; then restart the daemon"
            ),
            (
                "gpsd answers",
                "see what gpsd receives: \"gpspipe -w -n 5\", \"journalctl -u gpsd\"; check the receiver's cable"
            ),
            ("another program", "stop the other program; if it is gpsd, read gpsd://localhost instead"),
            ("no such device", "plug it in; \"ls /dev/serial/by-id\" lists the serial devices"),
            ("unplugged", "plug it in again; \"ls /dev/serial/by-id\" lists the serial devices"),
            ("refused", "start the program that should listen there: for gpsd \"sudo systemctl start gpsd.socket\""),
            ("closed it", "see what gpsd says: \"gpspipe -w -n 5\", \"journalctl -u gpsd\""),
            ("no NMEA", "set the baud rate in its URL, such as ?baud=4800, to that of the receiver"),
            ("silent", "give it a view of the sky; check its antenna, its cable and the baud rate in its URL"),
            ("host", "check the name in its URL, and the network"),
        ]
        return remedies.first { reason.contains($0.0) }?.1
            ?? "see the daemon's log: journalctl -u waymark; \"waymark decode URL\" reads it without the daemon"
    }

    private static func joining(_ group: String) -> String {
        "\"sudo usermod -aG \(group) \(NSUserName())\", then log in again"
    }
}

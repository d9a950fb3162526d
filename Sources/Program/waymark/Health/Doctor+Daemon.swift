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

    /// Returns what the daemon finds about itself, with a line for the store and for each receiver that is well.
    ///
    /// This user's own checks of the disk and the clock follow, so the daemon's are left out.
    func checkHealth(_ examination: Examination) -> [Finding] {
        let report = examination.report
        var findings = report.findings.filter { $0.check != "disk" }
        if !findings.contains(where: { $0.check == "store" }) {
            findings.insert(.ok("store", "\(report.info.text("store") ?? "it") can be written"), at: 0)
        }
        for device in report.receivers where !report.hasFinding(of: device.name) {
            switch device.isOnline {
            case true?: findings.append(.ok("receiver", "\(device.name) is online"))
            case false? where device.reason == "end of file":
                findings.append(.ok("receiver", "\(device.name) was a recording, and has ended"))
            default: break
            }
        }
        if let broker = report.stats["mqtt"], broker.flag("connected") == true, !report.hasFinding(ofPart: "mqtt") {
            findings.append(.ok("mqtt", "\(broker.text("address") ?? "the broker") is connected"))
        }
        return findings
    }

    /// The longest time for a check for damage that is not thorough.
    static let briefCheck = Duration.seconds(2)

    /// Checks the store itself for damage, if this user may read it.
    ///
    /// - Parameter isReported: Whether the daemon has reported the damage already.
    func checkSoundness(of store: String, isReported: Bool = false) async -> [Finding] {
        guard !isReported || isThorough else { return [] }
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
            case .unfinished(let tables):
                let found = "no damage was found in \(Amounts.count(tables, "table")) of \(store)"
                return [.ok("damage", "\(found), read in two seconds; \"waymark doctor --thorough\" reads all of it")]
            }
        } catch {
            return [.warn("damage", "\(store) cannot be checked: \(error)", "run this as its owner, or with sudo")]
        }
    }

    private static func joining(_ group: String) -> String {
        "\"sudo usermod -aG \(group) \(NSUserName())\", then log in again"
    }
}

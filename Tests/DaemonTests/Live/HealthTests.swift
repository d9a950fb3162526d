import Callers
import EventStream
import Positioning
import Receivers
import Service
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// What is found in each situation, and what is said about it.
@Suite struct HealthTests {
    private typealias Source = HealthSnapshot.Source

    /// A situation: its name, what makes it of a well daemon, and the findings as `severity id: text` with a part of the
    /// remedy.
    struct Situation: Sendable, CustomTestStringConvertible {
        var name: String
        var said: [String]
        var advised: [String] = []
        var make: @Sendable (inout HealthSnapshot) throws -> Void

        var testDescription: String { name }
    }

    /// Returns an hour of a daemon whose receiver sends a good fix each second.
    private static func well(_ url: String = "gpsd://localhost") throws -> HealthSnapshot {
        var snapshot = HealthSnapshot(
            time: LiveRig.time(0), uptime: 3_600, isSynchronised: true, store: "/var/lib/waymark/store", receivers: 1)
        snapshot.sources = [
            HealthSnapshot.Source(
                device: "van", address: try ReceiverAddress(url),
                state: SourceState(isOnline: true, since: LiveRig.time(-3_600)), online: 3_600, fixAge: 0.5,
                ahead: -0.2, minute: HealthSnapshot.Counts(read: 60, accepted: 60))
        ]
        return snapshot
    }

    private static func tally(_ counts: [String: Int]) -> Tally {
        var tally = Tally()
        for (reason, count) in counts { tally.count(reason, times: count) }
        return tally
    }

    /// Returns a situation in which a source has been offline for a minute.
    private static func offline(_ url: String, _ reason: String, _ advice: String) -> Situation {
        Situation(
            name: "\(url): \(reason)", said: ["failure offline/van: van is offline: \(reason)"], advised: [advice]
        ) { snapshot in
            snapshot.sources[0].address = try ReceiverAddress(url)
            snapshot.sources[0].state = SourceState(isOnline: false, reason: reason, since: LiveRig.time(-60))
            snapshot.sources[0].online = nil
        }
    }

    static let situations: [Situation] = [
        Situation(name: "all is well", said: []) { _ in },
        Situation(
            name: "a van that stands still, whose receiver sends fixes", said: []
        ) { $0.sources[0].fixAge = 1 },
        Situation(
            name: "a phone with an old secret",
            said: ["warning phone-secret: 12 requests of phones had a secret that no device has, the last 5 s ago"],
            advised: ["waymark devices secret NAME"]
        ) { $0.phones = HealthSnapshot.Phones(strangers: 12, lastStranger: 5) },
        Situation(name: "a phone with an old secret, an hour ago", said: []) {
            $0.phones = HealthSnapshot.Phones(strangers: 12, lastStranger: 3_600)
        },
        Situation(
            name: "a phone that encrypts",
            said: [
                "warning phone-encrypted/anna: anna sends only encrypted messages, which Waymark does not read"
            ], advised: ["remove the encryption key"]
        ) { $0.phones.encrypted = ["anna"] },
        Situation(name: "29 s without a fix", said: []) { $0.sources[0].fixAge = 29 },
        Situation(
            name: "no sky for three minutes",
            said: ["failure no-fix/van: van is online, and has had no fix for 3 min 3 s"],
            advised: ["view of the sky"]
        ) {
            $0.sources[0].fixAge = 183
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(
            name: "never a fix", said: ["failure no-fix/van: van is online, and has had no fix for 2 min"],
            advised: ["cgps"]
        ) {
            ($0.sources[0].fixAge, $0.sources[0].online) = (nil, 120)
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(name: "a receiver that went online 10 s ago, and was blind before", said: []) {
            ($0.sources[0].fixAge, $0.sources[0].online) = (500, 10)
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(name: "a daemon that was started 20 s ago", said: []) {
            $0.uptime = 20
            ($0.sources[0].fixAge, $0.sources[0].online) = (nil, 19)
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(name: "a tracker that reports every five minutes, with its idle time", said: []) {
            $0.sources[0].address = try ReceiverAddress("udp://:10110?idle=600")
            $0.sources[0].fixAge = 290
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(
            name: "that tracker, silent for longer",
            said: ["failure no-fix/van: van is online, and has had no fix for 11 min"]
        ) {
            $0.sources[0].address = try ReceiverAddress("udp://:10110?idle=600")
            $0.sources[0].fixAge = 660
            $0.sources[0].minute = HealthSnapshot.Counts()
        },
        Situation(
            name: "every fix is refused",
            said: [
                "failure refused/van: van sends fixes, and all of the last minute are refused: future 18, late 42; it has had no good fix for 5 min"
            ], advised: ["not later than the last accepted fix"]
        ) {
            $0.sources[0].fixAge = 300
            $0.sources[0].minute = HealthSnapshot.Counts(read: 60, rejected: tally(["late": 42, "future": 18]))
        },
        Situation(
            name: "one refused fix after three minutes without sky",
            said: ["failure no-fix/van: van is online, and has had no fix for 3 min 3 s"]
        ) {
            ($0.sources[0].fixAge, $0.sources[0].isSending) = (183, true)
            $0.sources[0].minute = HealthSnapshot.Counts(read: 1, rejected: tally(["accuracy": 1]))
        },
        Situation(
            name: "a tracker that reports every twenty seconds, whose fixes are refused",
            said: [
                "failure refused/van: van sends fixes, and all of the last minute are refused: late 3; it has had no good fix for 5 min"
            ]
        ) {
            ($0.sources[0].fixAge, $0.sources[0].isSending, $0.sources[0].hasRefusedBefore) = (300, true, true)
            $0.sources[0].minute = HealthSnapshot.Counts(read: 3, rejected: tally(["late": 3]))
        },
        Situation(
            name: "a share is refused",
            said: ["failure refused/van: 44 of the last 58 fixes of van were refused: future 18, late 26"],
            advised: ["each receiver a source of its own"]
        ) {
            $0.sources[0].minute = HealthSnapshot.Counts(
                read: 58, accepted: 14, rejected: tally(["late": 26, "future": 18]))
        },
        Situation(
            name: "a third is refused",
            said: ["warning refused/van: 20 of the last 60 fixes of van were refused: accuracy 20"],
            advised: ["less accurate than 200 m"]
        ) { $0.sources[0].minute = HealthSnapshot.Counts(read: 60, accepted: 40, rejected: tally(["accuracy": 20])) },
        Situation(name: "a few wild fixes in a street between high houses", said: []) {
            $0.sources[0].minute = HealthSnapshot.Counts(read: 60, accepted: 52, rejected: tally(["speed": 8]))
        },
        Situation(
            name: "those, after more of them",
            said: ["warning refused/van: 8 of the last 60 fixes of van were refused: speed 8"]
        ) {
            $0.sources[0].minute = HealthSnapshot.Counts(read: 60, accepted: 52, rejected: tally(["speed": 8]))
            $0.before = ["refused/van": LiveRig.time(-60)]
        },
        offline("gpsd://localhost", "it refused the connection", "systemctl start gpsd.socket"),
        offline("gpsd://boat", "it refused the connection", "start gpsd on boat, with -G"),
        offline("gpsd://localhost", "silent for 30 s", "DEVICES in /etc/default/gpsd"),
        offline("gpsd://localhost", "gpsd answers, but the receiver has sent nothing yet", "gpspipe -w -n 5"),
        offline(
            "gpsd://localhost", "it is not gpsd: it sends plain NMEA sentences; use tcp:// in its address", "tcp://"),
        offline("tcp://plotter:10110", "refused", "start the program that should listen at plotter, port 10110"),
        offline("tcp://plotter:10110", "silent for 30 s", "nc plotter 10110"),
        offline("tcp://plotter:10110", "no NMEA sentence in its data for 30 s", "not NMEA 0183"),
        offline("tcp://plotter:10110", "the host name cannot be resolved", "check the name in its URL"),
        offline("tcp://plotter:10110", "no answer within 10 s", "check the network to plotter"),
        offline("gpsd://bota", "there is no host called bota", "check the name in its URL"),
        offline("udp://:10110", "silent for 30 s", "tcpdump -n udp port 10110"),
        offline("udp://:10110", "another program listens there", "ss -lunp"),
        offline("nmea:/dev/ttyACM0", "there is no such device", "ls /dev/serial/by-id"),
        offline("nmea:/dev/ttyACM0", "unplugged", "plug it in"),
        offline(
            "nmea:/dev/ttyACM0", "not permitted to read it; the user must be in the group of the device",
            "usermod -aG dialout waymark"),
        offline("nmea:/dev/ttyACM0", "silent for 30 s", "baud rate"),
        offline("nmea:/dev/ttyACM0", "another program uses it", "gpsd://localhost"),
        offline("drive.nmea", "drive.nmea: there is no such file", "check the path in its URL: drive.nmea"),
        Situation(name: "a recording that was read to its end", said: []) {
            $0.sources[0].address = try ReceiverAddress("drive.nmea")
            $0.sources[0].state = SourceState(isOnline: false, reason: "end of file", since: LiveRig.time(-800))
            ($0.sources[0].online, $0.sources[0].fixAge, $0.sources[0].ahead) = (nil, 800, -2e7)
        },
        Situation(name: "a recording with a long rest", said: []) {
            $0.sources[0].address = try ReceiverAddress("drive.nmea")
            ($0.sources[0].fixAge, $0.sources[0].ahead) = (800, -2e7)
        },
        Situation(
            name: "one of two senders of datagrams has gone",
            said: ["warning offline/van: van is offline: silent for 30 s"]
        ) {
            $0.sources[0].address = try ReceiverAddress("udp://:10110")
            $0.sources[0].state = SourceState(isOnline: false, reason: "silent for 30 s", since: LiveRig.time(-60))
            $0.sources[0].hasSibling = true
        },
        Situation(
            name: "nothing came since the start 10 s ago",
            said: ["note waiting/van: van is configured, and has sent nothing yet"]
        ) {
            $0.uptime = 10
            $0.sources[0].state = nil
        },
        Situation(name: "a device whose receiver is not configured any more", said: []) {
            $0.sources[0].address = nil
            $0.sources[0].state = SourceState(isOnline: false, since: LiveRig.time(-60))
        },
        Situation(name: "no receiver", said: ["note no-receiver: none is configured"], advised: ["waymark init"]) {
            ($0.sources, $0.receivers) = ([], 0)
        },
        Situation(
            name: "a receiver with a wrong date",
            said: [
                "failure date/van: the fixes of van are dated 3020 d behind the clock, which is synchronised"
            ], advised: ["view of the sky for 15 min"]
        ) { $0.sources[0].ahead = -3_020 * 86_400 },
        Situation(
            name: "a wrong clock", said: ["failure clock: the system's clock is 2 h behind the fixes of van"],
            advised: ["timedatectl set-ntp true"]
        ) {
            $0.isSynchronised = false
            $0.sources[0].ahead = 7_200
        },
        Situation(name: "a clock that nobody synchronises, and that is right", said: []) { $0.isSynchronised = false },
        Situation(
            name: "a board without a battery for its clock, and without a fix",
            said: [
                "failure clock: the system's clock says 1970-01-01T00:00:20.000Z, which is before this program was built"
            ]
        ) {
            $0.time = Timestamp(milliseconds: 20_000)
            ($0.uptime, $0.isSynchronised) = (20, false)
            ($0.sources[0].fixAge, $0.sources[0].online) = (nil, 19)
        },
        Situation(
            name: "a full disk",
            said: [
                "failure store: it cannot be written: /s: the disk is full: nothing was written",
                "failure disk: only 12 kB are free on the disk of /var/lib/waymark/store",
            ], advised: ["free some space on its disk", "set retention"]
        ) {
            $0.failure = (StoreError.full(path: "/s").description, true, LiveRig.time(-9))
            $0.surroundings.freeBytes = 12_000
        },
        Situation(
            name: "a card that became read-only since the last commit",
            said: ["failure store: it cannot be written: Read-only file system"],
            advised: ["make its file system and its folder writable"]
        ) { $0.surroundings.readOnly = "Read-only file system" },
        Situation(
            name: "a disk that fills",
            said: ["warning disk: only 300 MB are free on the disk of /var/lib/waymark/store"]
        ) { $0.surroundings.freeBytes = 300_000_000 },
        Situation(
            name: "a damaged page", said: ["failure damage: it is damaged: 3 pages of the trips cannot be read"],
            advised: ["waymark recover /var/lib/waymark/store"]
        ) { $0.damage = .damaged(["3 pages of the trips cannot be read"]) },
        Situation(
            name: "points were lost",
            said: ["warning lost-points: it could not be written for a while, and 7 points of traces are lost"]
        ) { $0.droppedPoints = 7 },
        Situation(
            name: "somebody removed the socket's file",
            said: ["failure socket: the file /run/w.sock is gone, so that no program can connect"],
            advised: ["restart the daemon"]
        ) { ($0.surroundings.isSocketGone, $0.surroundings.socket) = (true, "/run/w.sock") },
        Situation(name: "two doors that are open", said: []) {
            $0.surroundings.doors = [
                HealthSnapshot.Door(part: .socket, address: "/run/w.sock", state: .open),
                HealthSnapshot.Door(part: .web, address: "http://127.0.0.1:8470/", state: .open),
            ]
        },
        Situation(
            name: "the socket's listener is gone",
            said: [
                "failure socket-door: the daemon does not listen at /run/w.sock any more, so that no program can connect"
            ], advised: ["systemctl restart waymark"]
        ) {
            $0.surroundings.doors = [HealthSnapshot.Door(part: .socket, address: "/run/w.sock", state: .closed)]
        },
        Situation(
            name: "the web server's listener is gone",
            said: [
                "failure web-door: the daemon does not listen at http://127.0.0.1:8470/ any more, so that no browser can connect"
            ], advised: ["systemctl restart waymark"]
        ) {
            $0.surroundings.doors = [HealthSnapshot.Door(part: .web, address: "http://127.0.0.1:8470/", state: .closed)]
        },
        Situation(
            name: "the loops of both doors hang",
            said: [
                "failure socket-door: the daemon has taken no connection at /run/w.sock for 12 s, although a program waits",
                "failure web-door: the daemon has taken no connection at http://127.0.0.1:8470/ for 2 min, although a browser waits",
            ], advised: ["journalctl -u waymark", "journalctl -u waymark"]
        ) {
            $0.surroundings.doors = [
                HealthSnapshot.Door(part: .socket, address: "/run/w.sock", state: .hanging(.seconds(12))),
                HealthSnapshot.Door(part: .web, address: "http://127.0.0.1:8470/", state: .hanging(.seconds(120))),
            ]
        },
        Situation(
            name: "a hook and a mail command that fail",
            said: [
                "failure hook: the notification hook fails: it ended with 3",
                "failure mail: mail cannot be sent: no such host",
            ], advised: ["waymark doctor --hook", "waymark mail list"]
        ) {
            let troubles = Troubles { LiveRig.time(-5) }
            troubles.noteHook("ended with 3")
            troubles.noteMail("no such host")
            $0.surroundings.troubles = troubles.all
        },
    ]

    @Test(arguments: situations)
    func eachSituationIsFoundAndSaid(_ situation: Situation) throws {
        var snapshot = try Self.well()
        try situation.make(&snapshot)
        let findings = snapshot.findings
        #expect(findings.map { "\($0.severity.rawValue) \($0.id): \($0.text)" } == situation.said)
        for (finding, advice) in zip(findings, situation.advised) {
            #expect(finding.remedy.contains(advice), "\(finding.remedy)")
        }
        #expect(findings.allSatisfy { !$0.remedy.isEmpty })
        #expect(Set(findings.map(\.id)).count == findings.count)
    }

    @Test func aFindingKeepsTheTimeAtWhichItBegan() throws {
        var snapshot = try Self.well()
        snapshot.surroundings.freeBytes = 0
        #expect(snapshot.findings.map(\.since) == [LiveRig.time(0)])
        snapshot.before = ["disk": LiveRig.time(-500)]
        #expect(snapshot.findings.map(\.since) == [LiveRig.time(-500)])
        snapshot = try Self.well()
        snapshot.sources[0].fixAge = 183
        #expect(snapshot.findings.map(\.since) == [LiveRig.time(-183)])
    }

    @Test func monitoringSeesAGaugeForEachFindingAndTheTextItsRemedy() throws {
        var snapshot = try Self.well()
        #expect(Metrics.text(of: snapshot.findings) == "waymark_health_failures 0\nwaymark_health_warnings 0\n")
        #expect(snapshot.findings.text == "ok" && !snapshot.findings.hasFailure)
        snapshot.sources[0].fixAge = 60
        #expect(
            Metrics.text(of: snapshot.findings) == """
                waymark_health_failures 1
                waymark_health_warnings 0
                waymark_finding{id="no-fix/van",part="receiver",severity="failure"} 1

                """)
        #expect(snapshot.findings.hasFailure)
        #expect(
            snapshot.findings.text.hasPrefix("failure no-fix/van: van is online, and has had no fix for 1 min\n  give"))
    }
}

/// The health of a live pipeline, and the events about it.
@Suite(.slow, .timeLimit(.minutes(2))) struct LiveHealthTests {
    private let gpsd: [String: ReceiverAddress]

    init() throws { gpsd = ["van": try ReceiverAddress("gpsd://localhost")] }

    /// Returns the findings of each event `health.changed` in the log.
    private func told(_ rig: LiveRig) throws -> [String] {
        try rig.store.events(after: 0, limit: .max).filter { $0.type == "health.changed" }
            .map { String(decoding: $0.line, as: UTF8.self) }
    }

    private func drive(_ rig: LiveRig, _ seconds: Range<Int>) async {
        for second in seconds {
            rig.clock.move(by: 1)
            await rig.receive([LiveRig.fix(Double(second))])
        }
    }

    @Test func oneEventSaysThatThereIsNoFixAndOneThatItIsBack() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        try await rig.run {
            await rig.pipeline.keep(receivers: ["van"], at: gpsd)
            await rig.pipeline.receive([.online(device: "van")], isRecording: false)
            await drive(rig, 1..<100)
            #expect(await rig.pipeline.reviewHealth(.init()).isEmpty)
            for _ in 0..<6 {
                rig.clock.move(by: 10)
                await rig.pipeline.reviewHealth(.init())
                await rig.pipeline.probe()
            }
            let age = try #require(await rig.pipeline.age(of: "van"))
            #expect(age.isOld && age.seconds == 60)
            #expect(
                try told(rig) == [
                    #"{"seq":2,"type":"health.changed","time":"2026-05-01T10:02:09.000Z","findings":["#
                        + #"{"id":"no-fix/van","since":"2026-05-01T10:01:39.000Z","#
                        + #""text":"van is online, and has had no fix for 30 s"}]}"#
                ])
            await drive(rig, 160..<162)
            await rig.pipeline.reviewHealth(.init())
            await rig.pipeline.probe()
            #expect(
                try told(rig).last
                    == #"{"seq":3,"type":"health.changed","time":"2026-05-01T10:02:41.000Z","findings":[]}"#)
            #expect(await rig.pipeline.age(of: "van")?.isOld == false)
        }
    }

    @Test func fixesThatAreAllRefusedAreReportedWithTheirReasons() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        try await rig.run {
            await rig.pipeline.keep(receivers: ["van"], at: gpsd)
            await rig.pipeline.receive([.online(device: "van")], isRecording: false)
            await drive(rig, 1..<60)
            // The receiver begins to send a time that does not pass.
            for _ in 60..<120 {
                rig.clock.move(by: 1)
                await rig.receive([LiveRig.fix(30)])
            }
            let findings = await rig.pipeline.reviewHealth(.init())
            #expect(findings.map(\.id) == ["refused/van"])
            #expect(
                findings.first?.text
                    == "van sends fixes, and all of the last minute are refused: late 60; it has had no good fix for 1 min"
            )
        }
    }

    @Test func aSenderOfDatagramsThatHasGoneIsAWarningWhileAnotherOfItsReceiverIsThere() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        try await rig.run {
            let address = try ReceiverAddress("udp://:10110")
            await rig.pipeline.keep(receivers: ["bus", "van"], at: ["bus": address, "van": address])
            for device in ["bus/1", "bus/2", "van/1"] {
                await rig.pipeline.receive([.online(device: device)], isRecording: false)
            }
            func severities() async -> [String] {
                await rig.pipeline.reviewHealth(.init()).filter { $0.id.hasPrefix("offline/") }
                    .map { "\($0.id) \($0.severity)" }.sorted()
            }
            for device in ["bus/1", "van/1"] {
                await rig.pipeline.receive([.offline(device: device, reason: "silent for 30 s")], isRecording: false)
            }
            #expect(await severities() == ["offline/bus/1 warning", "offline/van/1 failure"])
            await rig.pipeline.receive([.offline(device: "bus/2", reason: "silent for 30 s")], isRecording: false)
            #expect(
                await severities() == ["offline/bus/1 failure", "offline/bus/2 failure", "offline/van/1 failure"])
        }
    }

    @Test func nothingIsToldInTheFirstHalfMinuteAndARestartRepeatsNothing() async throws {
        let store = try Stores.temporary()
        let rig = try await LiveRig(store, isSynchronised: true)
        try await rig.run {
            await rig.pipeline.keep(receivers: ["van"], at: gpsd)
            await rig.pipeline.receive([.offline(device: "van", reason: "refused")], isRecording: false)
            #expect(await rig.pipeline.reviewHealth(.init()).map(\.id) == ["offline/van"])
            await rig.pipeline.probe()
            let early = try told(rig)
            #expect(early.isEmpty)
            rig.clock.move(by: 31)
            await rig.pipeline.reviewHealth(.init())
            await rig.pipeline.probe()
            #expect(try told(rig).count == 1)
        }
        let next = try await LiveRig(store, isSynchronised: true)
        try await next.run {
            await next.pipeline.keep(receivers: ["van"], at: gpsd)
            next.clock.move(by: 31)
            await next.pipeline.receive([.offline(device: "van", reason: "refused")], isRecording: false)
            #expect(await next.pipeline.reviewHealth(.init()).map(\.id) == ["offline/van"])
            await next.pipeline.probe()
            let repeated = try told(next)
            #expect(repeated.count == 1)
            await next.pipeline.receive([.online(device: "van")], isRecording: false)
            await next.pipeline.reviewHealth(.init())
            await next.pipeline.probe()
            #expect(try told(next).last?.hasSuffix(#""findings":[]}"#) == true)
        }
    }

    @Test func aFailingStoreIsAFindingAndItsEventComesWhenItCanBeWrittenAgain() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        try await rig.run {
            rig.clock.move(by: 60)
            try await rig.refuse(true)
            await rig.pipeline.receive([.online(device: "van")], isRecording: false)
            await rig.pipeline.probe()
            #expect(await rig.pipeline.reviewHealth(.init()).map(\.id).contains("store"))
            try await rig.refuse(false)
            rig.clock.move(by: 6)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(await !rig.pipeline.reviewHealth(.init()).map(\.id).contains("store"))
            await rig.pipeline.probe()
            #expect(try told(rig).count == 2)
        }
    }

    @Test func theNextJudgementIsDueWhenSilenceBecomesAFinding() async throws {
        let rig = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        await rig.pipeline.keep(receivers: ["van"], at: gpsd)
        rig.clock.move(by: 100)
        // While no receiver is online, no timer runs.
        #expect(await rig.pipeline.healthSnapshot().nextDeadline == nil)
        await rig.pipeline.receive([.online(device: "van")], isRecording: false)
        rig.clock.move(by: 10)
        #expect(await rig.pipeline.healthSnapshot().nextDeadline == 20.1)
    }
}

import Daemon
import FeatureSupport
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Time

@testable import People
@testable import Service
@testable import SocketServer

@Suite struct MailTests {
    private let core: CoreFixture
    private let folder: TemporaryFolder

    init() throws {
        core = try CoreFixture()
        folder = try TemporaryFolder()
    }

    private func delivery(_ choose: (inout AccountSettings) -> Void) -> MailDelivery {
        var settings = AccountSettings()
        choose(&settings)
        return MailDelivery(core.context, Accounts(settings: settings))
    }

    private func put(_ mail: Mail) async throws {
        let (outbox, now) = (core.features.accounts.outbox, core.clock.time)
        try await core.context.editor.change { db, _ in try outbox.add(mail, at: now, in: db) }
    }

    private func state() async throws -> [String?] {
        try await core.call("mail.list")["mails"].elements.map { $0["state"].text }
    }

    private static let mail = Mail(
        to: "ada@example.org", name: "Ada", subject: "Hello", body: "Dear Ada,\n.\nFrom here.")

    @Test func aMailIsWrittenToTheFileAndItsTextIsDeleted() async throws {
        try await put(Self.mail)
        let path = folder.file("mails")
        let delivery = delivery { $0.mailFile = path }
        try await delivery.deliver()
        try await delivery.deliver()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("From waymark Fri, 01 May 2026 10:00:00 +0000\nDate: Fri, 01 May 2026 10:00:00 +0000\n"))
        #expect(text.contains("\nTo: Ada\n <ada@example.org>\n"))
        #expect(text.hasSuffix("\n\nDear Ada,\n=2E\n=46rom here.\n\n"))
        #expect(text.components(separatedBy: "Message-ID:").count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await state() == ["sent"])
        let bodies = try await core.store.read { try String?.fetchAll($0, sql: "SELECT body FROM mail") }
        #expect(bodies == [nil])
        #expect(try await delivery.nextTry() == nil)
    }

    @Test func withoutADeliveryMethodMailsKeepWaiting() async throws {
        try await put(Self.mail)
        let delivery = delivery { _ in }
        try await delivery.deliver()
        #expect(try await state() == ["waiting"])
        #expect(try await delivery.nextTry() == nil)
    }

    @Test func aCommandReceivesTheMailOnStandardInput() async throws {
        try await put(Self.mail)
        let path = folder.file("sent")
        try await delivery { $0.mailCommand = "/usr/bin/tee \(path)" }.deliver()
        #expect(
            try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\r\n\r\nDear Ada,\r\n=2E\r\n=46rom here.\r\n"))
        #expect(try await state() == ["sent"])
    }

    @Test(.slow, arguments: ["false", "/nonexistent/sendmail -t", "/bin/sh", "relative/sendmail"])
    func failedDeliveriesAreRetriedWithGrowingDelaysAndThenGivenUp(_ command: String) async throws {
        // `/bin/sh` takes the lines of the mail for commands, and fails.
        try await put(Self.mail)
        let begin = core.clock.time.milliseconds
        let delivery = delivery { $0.mailCommand = command }
        var waits: [Int64] = []
        while let next = try await delivery.nextTry() {
            waits.append(next.milliseconds - core.clock.time.milliseconds)
            core.clock.time = next
            try await delivery.deliver()
            guard waits.count < 100 else { break }
        }
        #expect(waits.prefix(4) == [0, 60_000, 120_000, 240_000])
        #expect(waits.max() == MailDelivery.longestWait)
        #expect(core.clock.time.milliseconds - begin == Mail.defaultLifetime)
        let mail = try await core.call("mail.list", ["state": "given-up"])["mails"].elements.first
        #expect(mail?["error"] != nil)
        #expect(mail?["next"] == nil)
        let bodies = try await core.store.read { try String?.fetchAll($0, sql: "SELECT body FROM mail") }
        #expect(bodies == [nil])
    }

    @Test func anExpiredCodeIsNotSent() async throws {
        try await put(.code("123456", to: "ada@example.org", name: "Ada", for: "sign in"))
        core.clock.time = Timestamp(milliseconds: core.clock.time.milliseconds + MailedCode.lifetime)
        let path = folder.file("mails")
        try await delivery { $0.mailFile = path }.deliver()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await state() == ["given-up"])
    }

    @Test func aNewMailIsSentAtOnce() async throws {
        var settings = AccountSettings()
        settings.mailCommand = "false"
        let accounts = Accounts(settings: settings)
        let (reports, reporter) = AsyncStream.makeStream(of: Int64.self)
        let running = Task { await MailDelivery(core.context, accounts).run { number, _ in reporter.yield(number) } }
        var iterator = reports.makeAsyncIterator()
        // The clock stands still, so no retry becomes due by itself.
        for number in 1...3 {
            let now = core.clock.time
            try await core.context.editor.change { db, _ in try accounts.outbox.add(Self.mail, at: now, in: db) }
            #expect(await iterator.next() == Int64(number))
        }
        running.cancel()
        await running.value
    }

    @Test func mailsAreListedInPagesWithoutTheirTexts() async throws {
        for number in 0..<5 {
            var mail = Self.mail
            mail.subject = "Mail \(number)"
            try await put(mail)
        }
        let pages = try await core.pages("mail.list", ["limit": 2], of: "mails")
        #expect(
            pages.map { $0.map { $0["subject"].text } } == [["Mail 4", "Mail 3"], ["Mail 2", "Mail 1"], ["Mail 0"]])
        #expect(!pages.joined().contains { "\($0)".contains("Dear Ada") })
        #expect(try await core.error("mail.list", [:], isGuest: true)?.code == .notAllowed)
    }

    @Test func lineBreaksInAMailCannotAddHeaders() {
        let mail = Mail(
            to: "ada@example.org>\r\nBcc: <all@example.org", name: "Ada\r\nBcc: all@example.org",
            subject: "Hello\r\n\r\nBcc: all@example.org", body: "Body\r\nBcc: nobody\r\n")
        let text = MailText(mail, from: "waymark@example.org\r\nBcc: all", date: moment(0), name: "1").text
        let header = text.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
        let names = header.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "Date", "From", "To", "Message-ID", "Subject", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding", "Auto-Submitted",
            ])
        #expect(header.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test func nonASCIITextIsEncodedAndDecodesUnchanged() throws {
        let name = "Zoë 🚲 " + String(repeating: "é", count: 60)
        let mail = Mail(to: "zoe@example.org", name: name, subject: name, body: "Grüße, 1 = alles \n" + name)
        let text = MailText(mail, from: "waymark@example.org", date: moment(0), name: "1").text
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 78 })
        let subject = try #require(
            text.components(separatedBy: "Subject: ").last?.components(separatedBy: "\r\nMIME").first)
        let decoded = subject.components(separatedBy: "\r\n ").map { word in
            String(decoding: Data(base64Encoded: String(word.dropFirst(10).dropLast(2))) ?? Data(), as: UTF8.self)
        }
        #expect(decoded.joined() == name)
        let body = try #require(text.components(separatedBy: "\r\n\r\n").last)
        let bytes = body.replacing("=\r\n", with: "").replacing("\r\n", with: "\n")
        #expect(bytes.replacing("=", with: "%").removingPercentEncoding == mail.body + "\n")
    }
}

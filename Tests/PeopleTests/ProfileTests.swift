import FeatureSupport
import GRDB
import RPC
import Store
import Testing

@testable import People
@testable import Service
@testable import SocketServer

@Suite struct ProfileTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai")
    }

    private func befriend(_ one: String, _ other: String) async throws {
        try await core.call(as: one, "friends.request", ["person": .string(other)])
        try await core.call(as: other, "friends.confirm", ["person": .string(one)])
    }

    @Test func aChangedProfileIsReadBack() async throws {
        let details: JSONObject = [
            "phone": "+31 (0)20 555-0100", "gender": "other", "born": "2004-02-29",
            "website": "https://example.org/ada",
        ]
        var before = try await core.call(as: "ada", "people.profile")
        #expect(before["missing"].elements == ["phone", "gender", "born", "website"])
        before = try await core.call(as: "ada", "people.update", details)
        let profile = try await core.call(as: "ada", "people.profile")
        #expect(profile == before)
        for name in details.names { #expect(profile[name] == details[name]) }
        #expect(profile["complete"] == true)
        #expect(profile["missing"].elements.isEmpty)
        try await core.call(as: "ada", "people.update", ["phone": "", "last_name": ""])
        let shorter = try await core.call(as: "ada", "people.profile")
        #expect(shorter["phone"] == nil)
        #expect(shorter["gender"] == "other")
        #expect(shorter["name"] == "Ada")
        #expect(shorter["missing"].elements == ["phone"])
    }

    /// The recipe for a field: whatever is declared is written, read, shown to those who may see it, and cleared.
    @Test(arguments: ProfileField.allCases)
    func aFieldFollowsFromItsDeclaration(_ field: ProfileField) async throws {
        let text =
            switch field {
            case .phone: "+31 20 555 0100"
            case .gender: "female"
            case .born: "1990-02-28"
            case .website: "https://example.org"
            }
        let value = JSONValue.string(text)
        try await befriend("ada", "bob")
        let written = try await core.call(as: "ada", "people.update", [field.name: value])
        #expect(written[field.name] == value)
        #expect(!written["missing"].elements.contains(.string(field.name)))
        for viewer in ["bob", "cai"] {
            let seen = try await core.call(as: viewer, "people.get", ["person": "ada"])
            #expect(seen[field.name] == (field.isPublic ? value : JSONValue?.none))
        }
        let error = try await core.error(as: "ada", "people.update", [field.name: "\u{7}"])
        #expect(error?.data?["field"].text == field.name)
        let cleared = try await core.call(as: "ada", "people.update", [field.name: ""])
        #expect(cleared[field.name] == nil && cleared["missing"].elements.contains(.string(field.name)))
    }

    @Test(arguments: ["2001-02-29", "2026-05-02", "1800-01-01", "01.05.2000", "2000-1-1", "2000-13-01", "0000-00-00"])
    func anImpossibleBirthdayIsRefused(_ day: String) async throws {
        let error = try await core.error(as: "ada", "people.update", ["born": .string(day), "phone": "12345"])
        #expect(error?.code == .invalidValue)
        #expect(error?.data?["field"].text == "born")
        // The whole update is refused.
        #expect(try await core.call(as: "ada", "people.profile")["phone"] == nil)
    }

    @Test(arguments: ["example.org", "ftp://example.org", "https://", "https://a b", "http://x\u{7}", "https://<b>"])
    func anInvalidWebsiteIsRefused(_ website: String) async throws {
        let error = try await core.error(as: "ada", "people.update", ["website": .string(website)])
        #expect(error?.data?["field"].text == "website")
    }

    @Test func countsInTheProfileEqualTheLists() async throws {
        try core.record("gps0", at: 0)
        try core.record("gps0", at: 100)
        try core.record("gps1", at: 0)
        try await core.store.write { db in
            try db.execute(sql: "INSERT INTO carried SELECT 'gps0', number FROM person WHERE id = 'ada'")
        }
        try await core.call(as: "bob", "friends.request", ["person": "ada"])
        let counts = try await core.call(as: "ada", "people.profile")["counts"]
        let trips = try await core.call("trips.list", ["device": "gps0"])["trips"].elements
        #expect(counts?["trips"].number == Double(trips.count))
        #expect(trips.count == 2)
        #expect(counts?["new_notifications"] == 1)
        #expect(counts?["photos"] == 0)
    }

    @Test func visibleProfileFieldsDependOnTheViewer() async throws {
        try await core.call(
            as: "ada", "people.update", ["phone": "12345", "born": "1990-01-01", "website": "https://example.org"])
        try await befriend("ada", "bob")
        let own = ["phone", "born", "missing", "complete"]
        let stranger = try await core.call(as: "cai", "people.get", ["person": "ada"])
        let friend = try await core.call(as: "bob", "people.get", ["person": "ada"])
        let guest = try await core.call("people.get", ["person": "ada"], isGuest: true)
        let admin = try await core.call("people.get", ["person": "ada"])
        let oneself = try await core.call(as: "ada", "people.get", ["person": "ADA"])
        for view in [stranger, friend, guest, admin] {
            for field in own { #expect(view[field] == nil, "\(field)") }
            #expect(view["counts"]?["new_notifications"] == nil)
            #expect(view["website"].text == "https://example.org")
        }
        for field in own { #expect(oneself[field] != nil, "\(field)") }
        for view in [stranger, guest, admin] {
            #expect(view["email"] == nil)
            #expect(view["counts"]?["friends"] == nil)
        }
        #expect(friend["email"].text == "ada@example.org")
        #expect(friend["counts"]?["friends"] == 1)
        #expect(guest["following"] == nil)
        #expect(stranger["following"] == false)
        for view in [stranger, friend, guest] { #expect(view["joined"] == nil) }
        #expect(admin["joined"] != nil && admin["proven"] != nil)
        #expect(try await core.error(as: "cai", "friends.list", ["person": "ada"])?.code == .notFound)
        #expect(try await core.call(as: "bob", "friends.list", ["person": "ada"])["count"] == 1)
    }

    @Test func aNewAddressIsUsedOnceItIsProven() async throws {
        try await core.call(as: "ada", "people.changeEmail", ["email": "new@example.org"])
        #expect(try await core.call(as: "ada", "people.profile")["email"].text == "ada@example.org")
        let wrong = try core.wrongCode(to: "new@example.org")
        let right = try core.code(to: "new@example.org")
        #expect(try await core.error(as: "ada", "people.proveEmail", ["code": .string(wrong)])?.code == .notAllowed)
        #expect(try await core.error(as: "bob", "people.proveEmail", ["code": .string(right)])?.code == .notAllowed)
        try await core.call(as: "ada", "people.proveEmail", ["code": .string(right)])
        #expect(try await core.call(as: "ada", "people.profile")["email"].text == "new@example.org")
    }

    @Test func aPersonIsASubjectThatTheyOwn() async throws {
        let subject = try await core.store.read { db in
            try core.context.subjects.find("person/ada", for: Viewer(person: "bob"), in: db)
        }
        #expect(subject.owner == "ada")
        #expect(subject.title == "Ada Test")
    }
}

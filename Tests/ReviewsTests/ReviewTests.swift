import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import TestSupport
import Testing

@testable import People
@testable import Reviews
@testable import Service
@testable import Sights

@Suite(.slow) struct ReviewTests {
    private let core: CoreFixture

    init() async throws {
        core = try CoreFixture(kinds: [SecretKind(), UnratedKind()])
        try core.people("ada", "bob", "cai", "dan", "eve", "fay", "gus")
        _ = try core.store.importSights([
            Sight(id: "mill", title: "Mill", place: fix(0).coordinate),
            Sight(id: "lock", title: "Lock", place: fix(0).coordinate),
        ])
        try await core.store.write { db in
            try db.execute(sql: "UPDATE sight SET owner = (SELECT number FROM person WHERE id = 'ada')")
        }
    }

    private static let mill: JSONObject = ["subject": "sight/mill"]

    private func put(
        _ person: String, _ rating: Int, _ text: String? = nil, of subject: String = "sight/mill"
    ) async throws -> JSONValue {
        var parameters: JSONObject = ["subject": .string(subject), "rating": .integer(Int64(rating))]
        parameters["text"] = text.map { .string($0) }
        return try #require(try await core.call(as: person, "reviews.put", parameters)["id"])
    }

    private func authors(_ order: String, as person: String? = nil) async throws -> [String] {
        let list = try await core.call(
            "reviews.list", ["subject": "sight/mill", "order": .string(order)],
            from: CoreFixture.connection(as: person))
        return list["reviews"].elements.compactMap { $0["author"]?["id"].text }
    }

    private func summary(_ subject: String = "sight/mill") async throws -> JSONValue {
        try await core.call("reviews.summary", ["subject": .string(subject)], isGuest: true)
    }

    @Test func aSecondRatingReplacesTheFirstInMeanAndCount() async throws {
        #expect(try await summary() == ["count": 0, "score": 3, "histogram": [0, 0, 0, 0, 0]])
        let first = try await put("bob", 5, " Lovely.\n")
        // Five times the prior mean, which is 5, and the one rating.
        #expect(try await summary() == ["count": 1, "mean": 5, "score": 5, "histogram": [0, 0, 0, 0, 1]])
        _ = try await put("cai", 2)
        #expect(try await summary() == ["count": 2, "mean": 3.5, "score": 3.5, "histogram": [0, 1, 0, 0, 1]])
        _ = try await put("cai", 2, of: "sight/lock")
        // The prior mean is now 3: (15 + 7) / 7.
        #expect(try await summary()["score"] == 3.143)
        let second = try await put("bob", 3)
        #expect(second == first)
        #expect(try await summary()["histogram"] == [0, 1, 1, 0, 0])
        let own = try await core.call(as: "bob", "reviews.summary", Self.mill)["own"]
        #expect(own == first)
        let review = try await core.call("reviews.get", ["review": first], isGuest: true)
        #expect(
            review == [
                "id": first, "subject": "sight/mill", "author": ["id": "bob", "name": "Bob Test"], "rating": 3,
                "time": "2026-05-01T10:00:00.000Z", "agrees": 0,
            ])
    }

    @Test func ownSubjectsAndUnratedKindsCannotBeRated() async throws {
        #expect(
            try await core.error(as: "ada", "reviews.put", ["subject": "sight/mill", "rating": 5])?.code == .notAllowed)
        let error = try await core.error(as: "ada", "reviews.put", ["subject": "fact/1", "rating": 5])
        #expect(error?.data?["field"] == "subject")
        #expect(try await summary()["count"] == 0)
    }

    @Test(arguments: [" \n\t", ""]) func aBlankTextCountsAsNoText(_ text: String) async throws {
        let id = try await put("bob", 4, text)
        #expect(try await core.call("reviews.get", ["review": id])["text"] == nil)
    }

    @Test func textsAreTrimmedAndLimitedInLength() async throws {
        let longest = String(repeating: "é", count: Review.longestText / 2)
        let id = try await put("bob", 4, longest)
        #expect(try await core.call("reviews.get", ["review": id])["text"].text == longest)
        for bad in [longest + "e", "a\u{7}b", "a\u{0}"] {
            let error = try await core.error(
                as: "bob", "reviews.put", ["subject": "sight/mill", "rating": 1, "text": .string(bad)])
            #expect(error?.data?["field"] == "text")
        }
        #expect(try await put("bob", 4, "\n one\n\ttwo ") == id)
        #expect(try await core.call("reviews.get", ["review": id])["text"] == "one\n\ttwo")
    }

    @Test func listsAreSortedByTimeOrAgreementInPages() async throws {
        for (index, person) in ["bob", "cai", "dan", "eve"].enumerated() {
            core.clock.time = moment(Double(index))
            _ = try await put(person, 3)
        }
        #expect(try await authors("newest") == ["eve", "dan", "cai", "bob"])
        // A changed review counts as new.
        core.clock.time = moment(10)
        let cai = try await put("cai", 4)
        #expect(try await authors("newest") == ["cai", "eve", "dan", "bob"])
        let bob = try await put("bob", 3)
        #expect(try await authors("newest") == ["cai", "eve", "dan", "bob"])
        for person in ["dan", "eve"] {
            _ = try await core.call(as: person, "reviews.agree", ["review": bob, "agree": true])
        }
        _ = try await core.call(as: "dan", "reviews.agree", ["review": cai, "agree": true])
        #expect(try await authors("agreed") == ["bob", "cai", "eve", "dan"])
        for order in ["newest", "agreed"] {
            for limit: Int64 in 1...4 {
                let pages = try await core.pages(
                    "reviews.list", ["subject": "sight/mill", "order": .string(order), "limit": .integer(limit)],
                    of: "reviews")
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
                let paged = pages.flatMap { $0 }.compactMap { $0["author"]?["id"].text }
                #expect(try await authors(order) == paged)
            }
        }
    }

    @Test func agreementCountsOncePerPersonAndIsResetByANewText() async throws {
        let id = try await put("bob", 4, "Nice.")
        #expect(try await core.error(as: "bob", "reviews.agree", ["review": id, "agree": true])?.code == .notAllowed)
        for _ in 0..<2 {
            let review = try await core.call(as: "cai", "reviews.agree", ["review": id, "agree": true])
            #expect(review["agrees"] == 1 && review["agreed"] == true)
        }
        // The owner of the subject may agree, too.
        #expect(try await core.call(as: "ada", "reviews.agree", ["review": id, "agree": true])["agrees"] == 2)
        #expect(try await core.call(as: "dan", "reviews.agree", ["review": id, "agree": false])["agrees"] == 2)
        #expect(try await core.call(as: "cai", "reviews.agree", ["review": id, "agree": false])["agrees"] == 1)
        _ = try await put("bob", 4, "Nice.")
        #expect(try await core.call(as: "ada", "reviews.get", ["review": id])["agreed"] == true)
        _ = try await put("bob", 4, "Nicer.")
        #expect(try await core.call(as: "ada", "reviews.get", ["review": id])["agrees"] == 0)
    }

    /// Flags a review as each of these people.
    private func flag(_ id: JSONValue, as people: String...) async throws {
        for person in people {
            #expect(try await core.call(as: person, "reviews.flag", ["review": id]) == ["id": id, "flagged": true])
        }
    }

    @Test func aReviewWithEnoughFlagsIsHiddenUntilItIsCleared() async throws {
        let id = try await put("bob", 1, "Rubbish!")
        _ = try await put("cai", 5)
        #expect(try await core.error(as: "bob", "reviews.flag", ["review": id])?.code == .notAllowed)
        try await flag(id, as: "ada", "ada", "ada", "cai")
        #expect(try await authors("newest") == ["cai", "bob"])
        #expect(try await core.call(as: "cai", "reviews.get", ["review": id])["flagged"] == true)
        #expect(try await core.call(as: "cai", "reviews.get", ["review": id])["flags"] == nil)
        try await flag(id, as: "dan")
        for person in [nil, "ada", "cai", "dan", "eve"] {
            let connection = CoreFixture.connection(as: person)
            #expect(try await authors("newest", as: person) == ["cai"])
            #expect(try await core.error("reviews.get", ["review": id], from: connection)?.code == .notFound)
            #expect(
                try await core.call("reviews.summary", Self.mill, from: connection)["histogram"] == [0, 0, 0, 0, 1])
        }
        for method in ["agree", "flag", "remove"] {
            var parameters: JSONObject = ["review": id]
            if method == "agree" { parameters["agree"] = true }
            #expect(try await core.error(as: "eve", "reviews.\(method)", parameters)?.code == .notFound)
        }
        // The author still sees it, marked as hidden, and rewriting it does not show it again.
        #expect(try await authors("newest", as: "bob") == ["cai", "bob"])
        #expect(try await core.call(as: "bob", "reviews.get", ["review": id])["hidden"] == true)
        _ = try await put("bob", 1, "Trash!")
        #expect(try await summary()["count"] == 1)
        #expect(try await core.call(as: "bob", "reviews.summary", Self.mill)["own"] == id)

        let flagged = try await core.call("reviews.flagged")["reviews"].elements
        #expect(flagged.ids == [String(json: id)].compactMap { $0 })
        #expect(flagged.first?["flags"] == 3 && flagged.first?["hidden"] == true)
        let cleared = try await core.call("reviews.clear", ["review": id])
        #expect(cleared["hidden"] == nil && cleared["flags"] == 0)
        #expect(try await core.call("reviews.flagged") == ["reviews": []])
        #expect(try await summary()["count"] == 2)
        // The same flags do not hide it again, but as many new ones do.
        try await flag(id, as: "ada", "cai", "dan", "eve", "fay")
        #expect(try await summary()["count"] == 2)
        try await flag(id, as: "gus")
        #expect(try await summary()["count"] == 1)
        // The new text has not been decided on, so everybody may flag it again.
        _ = try await core.call("reviews.clear", ["review": id])
        _ = try await put("bob", 1, "Bah!")
        try await flag(id, as: "ada", "cai", "dan")
        #expect(try await summary()["count"] == 1)
    }

    @Test func anAdministratorMayHideAReviewWithoutFlags() async throws {
        let id = try await put("bob", 1)
        #expect(try await core.call("reviews.hide", ["review": id])["hidden"] == true)
        #expect(try await summary()["count"] == 0)
        #expect(try await core.call("reviews.flagged") == ["reviews": []])
        #expect(try await core.call("reviews.flagged", ["hidden": true])["reviews"].elements.count == 1)
        _ = try await put("bob", 5)
        #expect(try await summary()["count"] == 0)
        _ = try await core.call("reviews.clear", ["review": id])
        #expect(try await summary() == ["count": 1, "mean": 5, "score": 5, "histogram": [0, 0, 0, 0, 1]])
    }

    @Test func flaggedReviewsAreListedOldestFirstInPages() async throws {
        var ids: [JSONValue] = []
        for person in ["bob", "cai", "dan"] {
            ids.append(try await put(person, 1))
            try await flag(try #require(ids.last), as: "ada")
        }
        for limit: Int64 in 1...3 {
            let pages = try await core.pages("reviews.flagged", ["limit": .integer(limit)], of: "reviews")
            #expect(pages.flatMap { $0 }.compactMap { $0["id"] } == ids)
        }
    }

    @Test func aReviewIsRemovedByItsAuthorOrAnAdministrator() async throws {
        let (one, other) = (try await put("bob", 1), try await put("cai", 1))
        #expect(try await core.error(as: "cai", "reviews.remove", ["review": one])?.code == .notAllowed)
        #expect(try await core.call(as: "bob", "reviews.remove", ["review": one]) == ["id": one])
        #expect(try await core.error(as: "bob", "reviews.remove", ["review": one])?.code == .notFound)
        #expect(try await core.call("reviews.remove", ["review": other]) == ["id": other])
        #expect(try await summary()["count"] == 0)
        // Ids are not reused.
        #expect(try await put("dan", 1) != other)
    }

    @Test func reviewsOfInvisibleSubjectsAreNotFound() async throws {
        let id = try await put("bob", 4, of: "secret/1")
        #expect(try await core.call(as: "ada", "reviews.get", ["review": id])["rating"] == 4)
        for person in [nil, "cai"] {
            let connection = CoreFixture.connection(as: person)
            for method in ["reviews.list", "reviews.summary"] {
                let error = try await core.error(method, ["subject": "secret/1"], from: connection)
                #expect(error == RPCError(.notFound, "There is no secret 1."))
            }
            let error = try await core.error("reviews.get", ["review": id], from: connection)
            #expect(error?.code == .notFound)
        }
        #expect(
            try await core.error(as: "cai", "reviews.put", ["subject": "secret/1", "rating": 1])?.code == .notFound)
        #expect(try await core.error(as: "cai", "reviews.flag", ["review": id])?.code == .notFound)
        #expect(try await core.error(as: "cai", "reviews.agree", ["review": id, "agree": true])?.code == .notFound)
        // An administrator does not see it either, because the kind hides it from them.
        try await flag(id, as: "ada")
        #expect(try await core.call("reviews.flagged") == ["reviews": []])
    }

    @Test func agreeAndFlagCountsEqualTheRowsAfterRandomChanges() async throws {
        var random = SeededGenerator(seed: 7)
        var ids: [String] = []
        for person in ["bob", "cai", "dan"] { ids.append(try await put(person, 3).text ?? "") }
        let people = ["ada", "bob", "cai", "dan", "eve", "fay", "gus"]
        var open: [String: Set<String>] = [:]
        var settled: [String: Set<String>] = [:]
        var hidden: Set<String> = []
        for _ in 0..<300 {
            let (id, person) = (ids.randomElement(using: &random) ?? "", people.randomElement(using: &random) ?? "")
            let dice = Int.random(in: 0..<20, using: &random)
            try await core.store.write { [core] db in
                let admin = try ReviewReader(Viewer(person: nil, isAdmin: true), of: core.context.subjects, in: db)
                let review = try admin.review(id, in: db)
                let number = try People.get(person, in: db).number
                switch dice {
                case ..<6: try Reviews.setAgree(dice < 4, with: review, by: number, in: db)
                case ..<17: try Reviews.flag(review, by: number, in: db)
                default: try Reviews.decide(review, isHidden: dice == 19, in: db)
                }
            }
            if dice >= 17 {
                settled[id, default: []].formUnion(open.removeValue(forKey: id) ?? [])
                if dice == 19 { hidden.insert(id) } else { hidden.remove(id) }
            } else if dice >= 6, settled[id]?.contains(person) != true {
                open[id, default: []].insert(person)
                if open[id]?.count ?? 0 >= Reviews.flagsThatHide { hidden.insert(id) }
            }
            for id in ids {
                let review = try await core.call("reviews.get", ["review": .string(id)])
                #expect(review["flags"] == .integer(Int64(open[id]?.count ?? 0)))
                #expect((review["hidden"] == true) == hidden.contains(id))
            }
            let visible = Int64(ids.count - hidden.count)
            #expect(try await summary()["count"] == .integer(visible))
        }
        let wrong = try await core.store.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM review
                    WHERE agrees <> (SELECT count(*) FROM review_agree WHERE review = number)
                        OR flags <> (SELECT count(*) FROM review_flag WHERE review = number AND settled = 0)
                    """)
        }
        #expect(wrong == 0)
    }
}

extension JSONValue {
    fileprivate var text: String? { String(json: self) }
}

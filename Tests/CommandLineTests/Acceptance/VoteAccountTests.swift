#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// Vote's accounts: rows VO-1 to VO-4 of its acceptance.
@Suite(.slow) struct VoteAccountTests {
    @Test("VO-1 sign up with name and e-mail twice: a code is mailed; a mismatch or an empty name is refused")
    func signUp() async throws {
        try await Town.play { town in
            let ada = try town.traveller()
            var form: JSONObject = [
                "first_name": "Ada", "last_name": "Test", "email": "ada@example.org",
                "email_again": "ada@example.com", "terms": true, "form": "code",
            ]
            #expect(try ada.refusal("people.signUp", form)?.field == "email_again")
            form["email_again"] = form["email"]
            for name in ["", "  "] {
                form["first_name"] = .string(name)
                let refusal = try ada.refusal("people.signUp", form)
                #expect(refusal?.code == 4)
                #expect(refusal?.field == "first_name")
            }
            form["first_name"] = "Ada"
            var once = form
            once["email_again"] = nil
            #expect(try ada.refusal("people.signUp", once)?.field == "email_again")
            #expect(try town.mail(to: "ada@example.org") == [])
            try ada.call("people.signUp", form)
            #expect(try town.mail(to: "ada@example.org").count == 1)
            #expect(try town.code(for: "ada").count == 6)
        }
    }

    @Test("VO-2 prove or correct the address, resend the code: the right code admits; others do not")
    func prove() async throws {
        try await Town.play { town in
            let (ada, bob) = (try town.traveller(), try town.traveller())
            var form = Town.form("ada")
            form["email"] = "adda@example.org"
            form["email_again"] = form["email"]
            let ticket = try ada.call("people.signUp", form)["ticket"].known
            let first = try town.code(for: "adda")
            #expect(try ada.code("people.signIn", ["account": "ada", "password": "correct horse"]) != 0)
            #expect(try ada.code("people.profile") == 2)

            try ada.call("people.correct", ["ticket": ticket, "email": "ada@example.org"])
            let second = try town.code(for: "ada")
            try ada.call("people.resend", ["ticket": ticket])
            let third = try town.code(for: "ada")
            let other = try bob.call("people.signUp", Town.form("bob"))["ticket"].known
            let foreign = try town.code(for: "bob")
            for code in [first, second, foreign, "000000"] where code != third {
                #expect(try ada.code("people.prove", ["ticket": ticket, "code": .string(code)]) == 2)
            }
            #expect(try ada.code("people.profile") == 2)
            try ada.call("people.prove", ["ticket": ticket, "code": .string(third)])
            #expect(try ada.call("people.profile")["email"]?.text == "ada@example.org")
            #expect(try bob.code("people.prove", ["ticket": other, "code": .string(foreign)]) == 0)
        }
    }

    @Test("VO-3 sign in by password or by a mailed code; an unknown address is reported as unknown")
    func signIn() async throws {
        try await Town.play { town in
            _ = try town.resident("ada")
            let ada = try town.traveller()
            try ada.call("people.signIn", ["account": "ada@example.org", "password": "correct horse"])
            #expect(try ada.call("people.whoami")["person"]?["id"]?.text == "ada")
            let again = try town.traveller()
            try again.call("people.sendCode", ["account": "ada"])
            try again.call("people.signIn", ["account": "ada", "code": .string(town.code(for: "ada"))])
            #expect(try again.call("people.whoami")["person"]?["id"]?.text == "ada")
            let refusal = try again.refusal("people.signIn", ["account": "eve@example.org", "password": "x2345678"])
            #expect(refusal?.code == 1)
            #expect(refusal?.message.contains("eve@example.org") == true)
        }
    }

    @Test("VO-4 the first password needs no other, the next one the current one; signing out needs a password")
    func password() async throws {
        try await Town.play { town in
            let ada = try town.traveller()
            var form = Town.form("ada")
            (form["password"], form["password_again"]) = (nil, nil)
            let ticket = try ada.call("people.signUp", form)["ticket"].known
            try ada.call("people.prove", ["ticket": ticket, "code": .string(town.code(for: "ada"))])
            #expect(try ada.code("people.signOut") == 3)
            try ada.call("people.setPassword", ["new": "first horse", "again": "first horse"])
            let second: JSONObject = ["new": "second horse", "again": "second horse"]
            #expect(try ada.code("people.setPassword", second) == 2)
            var wrong = second
            wrong["current"] = "no horse at all"
            #expect(try ada.code("people.setPassword", wrong) == 2)
            var right = second
            right["current"] = "first horse"
            #expect(try ada.code("people.setPassword", right) == 0)
            #expect(try ada.code("people.signOut") == 0)
            #expect(try ada.code("people.signIn", ["account": "ada", "password": "second horse"]) == 0)

            let bob = try town.traveller()
            form = Town.form("bob")
            (form["password"], form["password_again"]) = (nil, nil)
            let other = try bob.call("people.signUp", form)["ticket"].known
            try bob.call("people.prove", ["ticket": other, "code": .string(town.code(for: "bob"))])
            let before = try town.mail(to: "bob@example.org").count
            try bob.call("people.signOut", ["generate": true])
            #expect(try town.mail(to: "bob@example.org").count == before + 1)
        }
    }
}
#endif

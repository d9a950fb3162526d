package import GRDB
import Positioning
package import RPC
package import Service
import TextCoding

extension Person {
    /// How many there are of what a person has; each as many as the list of it.
    package struct Numbers: Hashable, Sendable {
        /// The trips of the devices that carry them, as `trips.list` lists those.
        package var trips: Int
        /// The photos they have taken in.
        package var photos: Int
        /// The notifications they have not been shown.
        var newNotifications: Int
    }

    /// How many there are of what the person has.
    func numbers(in db: Database) throws -> Numbers {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT
                        (SELECT count(*) FROM trip WHERE hidden = 0 AND device IN (
                            SELECT device.number FROM carried JOIN device ON name = carried.device
                            WHERE carried.person = ?1)),
                        (SELECT count(*) FROM photo WHERE person = ?1),
                        (SELECT count(*) FROM notification WHERE person = ?1 AND state = 'new')
                    """),
            arguments: [number])
        return Numbers(
            trips: row?[0] ?? 0, photos: row?[1] ?? 0, newNotifications: row?[2] ?? 0)
    }

    /// What someone may see of the person.
    ///
    /// - Complexity: O(log *n* + *f*) for *n* people and *f* who follow them or whom they follow.
    package func profile(for viewer: Viewer, in db: Database) throws -> JSONText {
        let visible = try visibility(for: viewer, in: db)
        let row = try rowMembers(for: viewer, in: db)
        let counts = try Follows.counts(of: number, in: db)
        let friends = visible.hasFriends ? try PeopleList(scope: .friends(number)).count(in: db) : nil
        let numbers = visible.hasDetails ? try numbers(in: db) : nil
        return .object { json in
            PersonRow.members.write(row, to: &json)
            json.member("first_name", firstName)
            json.member("last_name", lastName)
            json.member("website", details.website)
            json.object("counts") { json in
                json.member("following", counts.following)
                json.member("followers", counts.followers)
                json.member("friends", friends)
                json.member("trips", numbers?.trips)
                json.member("photos", numbers?.photos)
                json.member("new_notifications", numbers?.newNotifications)
            }
            if visible.hasEmail { json.member("email", email) }
            if visible.hasDetails {
                json.member("phone", details.phone)
                json.member("gender", details.gender)
                json.member("born", details.born)
                json.member("complete", missing.isEmpty)
                json.array("missing") { json in
                    for field in missing { json.string(field) }
                }
            }
            if visible.hasDates {
                json.member("joined", joined.description)
                json.member("proven", proven.description)
            }
        }
    }

    /// The declaration of a profile.
    package static let profile = Schema.object(
        row + [
            .required("first_name", .string, "The first name."),
            .required("last_name", .string, "The last name; empty for who has but one name."),
            .optional("website", .string, "The address of a website."),
            .required(
                "counts",
                .object([
                    .required("following", .integer, "How many they follow."),
                    .required("followers", .integer, "How many follow them."),
                    .optional("friends", .integer, "How many friends they have; for themselves and friends."),
                    .optional("trips", .integer, "How many trips their devices have made; for themselves."),
                    .optional("photos", .integer, "How many photos they have taken in; for themselves."),
                    .optional("new_notifications", .integer, "How many notifications are new; for themselves."),
                ]), "How many there are."),
            .optional("email", .string, "The mail address; for themselves and friends."),
            .optional("phone", .string, "The telephone number; for themselves."),
            .optional("gender", .choice(PersonalText.genders), "The gender; for themselves."),
            .optional("born", .string(length: 10...10, format: "date"), "The day of birth; for themselves."),
            .optional("complete", .boolean, "Whether nothing is missing; for themselves."),
            .optional("missing", .array(of: .string), "The fields that are missing; for themselves."),
            .optional("joined", Schema.time, "When the account was made; for themselves and the machine's admins."),
            .optional(
                "proven", Schema.time, "When the mail address was proven; for themselves and the machine's admins."),
        ])
}

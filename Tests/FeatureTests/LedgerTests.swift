import Crypto
import Foundation
import GRDB
import Notifications
import People
import Photos
import Plans
import Posts
import Reports
import Reviews
import Schemas
import Service
import Testing
import Uplink
import Votes

@testable import Daemon
@testable import Store

/// The ledger of migrations: released migrations never change, and no migration is inserted before them.
@Suite struct LedgerTests {
    /// The name of each migration, and the first digits of the SHA-256 of the schema that it leaves.
    private static let ledger: [(name: String, schema: String)] = [
        ("store.log.1", "ea2dad3e"),
        ("store.travels.1", "1b7474e7"),
        ("store.traces.1", "cb51b07b"),
        ("store.devices.2", "77c54666"),
        ("store.log.2", "5ce51e02"),
        ("store.travels.2", "13b225c1"),
        ("store.travels.3", "61e4e959"),
        ("store.log.3", "3ee4f24c"),
        ("store.travels.4", "08c2531e"),
        ("companion.sights.1", "0b9a6ab2"),
        ("companion.people.1", "eb1e2ae5"),
        ("companion.sights.2", "31bd1504"),
        ("companion.subjects.1", "2f309fb1"),
        ("companion.notifications.1", "82325caa"),
        ("companion.following.1", "6a3a0f5d"),
        ("companion.reviews.1", "1d8bed84"),
        ("companion.reactions.1", "ddcd6482"),
        ("companion.suggestions.1", "c646c778"),
        ("companion.sights.3", "8d219e1d"),
        ("companion.visits.1", "e66b821b"),
        ("companion.photos.1", "a8cbd6a3"),
        ("companion.mail.1", "f3a2a515"),
        ("companion.sights.4", "f3a2a515"),
        ("companion.photos.2", "b99d9957"),
        ("companion.photos.3", "b5e610e8"),
        ("companion.budget.1", "cb01e20c"),
        ("companion.notifications.2", "bb3a9411"),
        ("companion.mail.2", "bb3a9411"),
        ("store.log.4", "6594e383"),
        ("store.traces.2", "3db9fc4c"),
        ("companion.people.2", "a8547d63"),
        ("plans.plans.1", "e59a8bad"),
        ("plans.money.1", "7d571d5d"),
        ("plans.links.1", "e209cf16"),
        ("companion.ranking.1", "16e31124"),
        ("plans.trips.1", "55f450e5"),
        ("gazetteer.places.1", "33f2b045"),
        ("votes.votes.1", "d7e9bd96"),
        ("plans.watching.1", "fc299e48"),
        ("companion.flags.1", "19909732"),
        ("posts.posts.1", "b228b9cd"),
        ("companion.invitations.1", "27864fed"),
        ("companion.administrators.1", "f1ae9c7a"),
        ("companion.sights.5", "a95004f0"),
        ("store.views.1", "0eae5ce1"),
        ("places.views.1", "33b6cace"),
        ("store.reported.1", "4c5c51b4"),
        ("store.log.5", "252500fa"),
        ("store.reported.2", "0752495a"),
        ("gazetteer.names.1", "a6721168"),
        ("store.sums.1", "8d94ec7d"),
        ("reports.places.1", "dbc39a71"),
        ("reports.speeding.1", "422443f8"),
        ("companion.sights.6", "ef239860"),
        ("companion.sights.7", "2577e084"),
        ("store.devices.3", "7fb76eb8"),
        ("places.anchors.1", "437a840f"),
        ("companion.groups.1", "8f6c6a45"),
        ("places.following.1", "399fabc9"),
        ("store.kinds.1", "b4607f3f"),
        ("store.heat.1", "2fc659c5"),
        ("plans.bin.1", "2723d5ef"),
        ("store.log.6", "ced5cdb2"),
        ("store.travels.5", "ba849acf"),
        ("companion.notifications.3", "160b01fb"),
        ("companion.people.3", "450f75ba"),
        ("plans.sums.1", "9ea1b54a"),
        ("companion.notifications.4", "57bca29a"),
        ("plans.history.1", "006f75c6"),
        ("companion.people.4", "ab5f2fd8"),
        ("hooks.places.1", "37829a10"),
        ("uplink.places.1", "1728f7bc"),
        ("uplink.boards.1", "69781590"),
        ("uplink.places.2", "063257a6"),
        ("uplink.boards.2", "f4dfa15d"),
        ("plans.checklists.1", "f928d4db"),
        ("votes.plans.1", "7c0616e5"),
        ("companion.calls.1", "06d318ef"),
        ("push.subscriptions.1", "2a9bb8de"),
        ("companion.invitations.2", "05b7b801"),
        ("store.travels.6", "169625e1"),
    ]

    @Test func everyMigrationKeepsItsPlaceAndItsSchema() throws {
        let schema = StoreSchema(adding: FeatureList.standard.migrations)
        #expect(schema.migrations.map(\.place) == Array(1...schema.migrations.count))
        let store = try DatabaseQueue()
        let found = try schema.migrations.map { step in
            try schema.migrator.migrate(store, upTo: step.name)
            let text = try store.read { db in
                try String.fetchAll(
                    db,
                    sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%' ORDER BY name")
            }
            let digest = SHA256.hash(data: Data(text.joined(separator: "\n").utf8))
            return (name: step.name, schema: digest.prefix(4).map { String(format: "%02x", $0) }.joined())
        }
        let lines = { (steps: [(name: String, schema: String)]) in steps.map { #"("\#($0.name)", "\#($0.schema)"),"# } }
        #expect(lines(found) == lines(Self.ledger))
    }

    /// The engine alone makes the tables of the features that it leaves out, so that each build opens every store.
    @Test func theEngineHasAllStepsOfTheFeaturesThatItLeavesOut() {
        let leftOut: [Feature] = [
            ReviewsFeature.feature, Media.feature(nil), PlansFeature.feature(nil), VotesFeature.feature(Accounts()),
            PostsFeature.feature(Accounts()), ReportsFeature.feature, UplinkFeature.feature,
            NotificationsFeature.feature,
        ]
        let known = Set(Schemas.migrations.map(\.name))
        #expect(leftOut.flatMap(\.migrations).map(\.name).filter { !known.contains($0) } == [])
        #expect(known.count == Schemas.migrations.count)
        #expect(known.isSubset(of: FeatureList.standard.migrations.map(\.name)))
    }
}

import FeatureSupport
import RPC
import TestSupport
import Testing

@testable import Service

/// Every method of the table: a case that succeeds, and one for each error that the method declares.
@Suite(.slow) struct MethodCaseTests {
    /// The cases of all methods.
    static let all: [MethodCase] =
        MethodCase.people + MethodCase.sights + MethodCase.devices + MethodCase.trips + MethodCase.reviews
        + MethodCase.reactions + MethodCase.suggestions + MethodCase.uploads + MethodCase.photos
        + MethodCase.notifications + MethodCase.backups + MethodCase.plans + MethodCase.places
        + MethodCase.votes + MethodCase.asked + MethodCase.posts + MethodCase.maps + MethodCase.reports
        + MethodCase.uplink + MethodCase.push

    @Test(arguments: all) func callsHaveTheirExpectedOutcome(_ one: MethodCase) async throws {
        let outcome = try await one.run()
        #expect(outcome == one.outcome)
    }

    @Test func everyMethodHasCasesForItsSuccessAndEachDeclaredError() async throws {
        for method in try CoreFixture().table.methods where method.name != "rpc.discover" {
            let outcomes = Self.all.filter { $0.method == method.name }.map(\.outcome)
            #expect(outcomes.contains(.answer), "\(method.name) has no good case")
            // Code 5 may come from every method that needs the store, while the store is full or busy.
            for code in Set(method.errors).subtracting([.unavailable]).map(RPCError.Code.init) {
                let isTested = outcomes.contains { if case .error(code.rawValue, _) = $0 { true } else { false } }
                #expect(isTested, "\(method.name) has no case for the code \(code.rawValue), which it declares")
            }
        }
    }

    @Test func aCallWithoutTheRequiredRightIsRefused() async throws {
        let core = try await MethodCase.world()
        for method in core.table.methods where method.right != .read {
            let error = try await core.error(method.name, [:], from: CoreFixture.connection())
            #expect(error?.code == .notAllowed, "\(method.name)")
            guard method.right == .person else { continue }
            let admin = try await core.error(method.name, [:], from: CoreFixture.connection([.read, .change]))
            #expect(admin?.code == .notAllowed, "\(method.name) as nobody, an administrator")
        }
    }

    @Test func missingFieldsAndFieldsOfAWrongTypeAreNamed() async throws {
        let core = try await MethodCase.world()
        for method in core.table.methods where method.name != "rpc.discover" {
            // A caller who may call every method, so that only the parameters can be wrong.
            let caller = CoreFixture.connection([.read, .change], as: "ada")
            for field in method.parameters {
                let wrong = try await core.error(
                    method.name, [field.name: .object(["wrong": .array([.bool(true)])])], from: caller)
                let nonsense: JSONValue = .object(["wrong": .array([.bool(true)])])
                #expect(field.schema.fault(in: nonsense) != nil, "\(method.name) declares \(field.name) as anything")
                let isAbout = wrong?.code == .invalidValue
                #expect(isAbout, "\(method.name) takes an object of nonsense as \(field.name)")
            }
            guard let first = method.parameters.first, first.isRequired else { continue }
            let missing = try await core.error(method.name, [:], from: caller)
            #expect(missing?.code == .invalidValue, "\(method.name) without \(first.name)")
            #expect(missing?.data?["field"].text == first.name)
        }
    }
}

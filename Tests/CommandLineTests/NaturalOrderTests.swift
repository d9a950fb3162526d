import Testing

@testable import waymark

@Suite struct NaturalOrderTests {
    @Test func numbersInNamesCountAsNumbers() {
        let names = ["bus10", "bus2", "bus1", "bus01", "bus", "van/ttyACM10", "van/ttyACM9", "van", "10", "9", ""]
        #expect(
            names.sorted(by: NaturalOrder.precedes)
                == ["", "9", "10", "bus", "bus01", "bus1", "bus2", "bus10", "van", "van/ttyACM9", "van/ttyACM10"])
    }
}

#if Fleet
import Broker
import Testing

/// Addresses of brokers.
@Suite struct BrokerAddressTests {
    @Test func anAddressIsReadAsItIsWritten() {
        for address in [
            BrokerAddress(host: "localhost"),
            BrokerAddress(host: "::1", port: 1, virtualHost: "a/b é", user: "u:@/", password: "p%@:/?"),
            BrokerAddress(host: "queue.example.org", port: 65_535, virtualHost: "/", user: "", password: ""),
        ] { #expect(BrokerAddress(url: address.url) == address) }
    }

    @Test func theNodesOfAClusterAreReadAsTheyAreWritten() {
        var address = BrokerAddress(host: "a", virtualHost: "fleet", user: "me", password: "p,q")
        address.others = [BrokerAddress.Node(host: "b", port: 5673), BrokerAddress.Node(host: "::1")]
        #expect(BrokerAddress(url: address.url) == address)
        #expect(BrokerAddress(url: "amqp://me:p%2cq@a,b:5673,[::1]/fleet") == address)
        #expect("\(address)" == "a:5672,b:5673,::1:5672/fleet")
    }

    @Test(arguments: [
        "", "amqp://", "amqps://localhost", "amqp://localhost:0", "amqp://localhost:65536", "amqp://u%2@localhost",
        "amqp://u%00@localhost", "http://localhost", "amqp://a,", "amqp://,a", "amqp://a,b:0",
    ])
    func anotherTextIsNoAddress(text: String) { #expect(BrokerAddress(url: text) == nil) }

    @Test func anAddressIsShownWithoutItsAccount() {
        #expect("\(BrokerAddress(host: "a", virtualHost: "b", user: "me", password: "secret"))" == "a:5672/b")
    }
}
#endif

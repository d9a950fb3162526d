#if Fleet
import Broker
import Testing

/// Addresses of brokers.
@Suite struct RabbitMQAddressTests {
    @Test func anAddressIsReadAsItIsWritten() {
        for address in [
            RabbitMQAddress(host: "localhost"),
            RabbitMQAddress(host: "::1", port: 1, virtualHost: "a/b é", user: "u:@/", password: "p%@:/?"),
            RabbitMQAddress(host: "queue.example.org", port: 65_535, virtualHost: "/", user: "", password: ""),
        ] { #expect(RabbitMQAddress(url: address.url) == address) }
    }

    @Test func theNodesOfAClusterAreReadAsTheyAreWritten() {
        var address = RabbitMQAddress(host: "a", virtualHost: "fleet", user: "me", password: "p,q")
        address.others = [RabbitMQAddress.Node(host: "b", port: 5673), RabbitMQAddress.Node(host: "::1")]
        #expect(RabbitMQAddress(url: address.url) == address)
        #expect(RabbitMQAddress(url: "amqp://me:p%2cq@a,b:5673,[::1]/fleet") == address)
        #expect("\(address)" == "a:5672,b:5673,::1:5672/fleet")
    }

    @Test(arguments: [
        "", "amqp://", "amqps://localhost", "amqp://localhost:0", "amqp://localhost:65536", "amqp://u%2@localhost",
        "amqp://u%00@localhost", "http://localhost", "amqp://a,", "amqp://,a", "amqp://a,b:0",
    ])
    func anotherTextIsNoAddress(text: String) { #expect(RabbitMQAddress(url: text) == nil) }

    @Test func anAddressIsShownWithoutItsAccount() {
        #expect("\(RabbitMQAddress(host: "a", virtualHost: "b", user: "me", password: "secret"))" == "a:5672/b")
    }
}
#endif

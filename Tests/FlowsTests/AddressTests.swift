import SIP
import Testing

@testable import Flows

@Suite("Addresses")
struct AddressTests {
    @Test(
        "a listen address is read",
        arguments: [
            ("tcp://127.0.0.1:5060", ["127.0.0.1:5060"], "tcp://127.0.0.1:5060"),
            ("TCP://[::1]:0", ["[::1]:0"], "tcp://[::1]:0"), ("tcp://0.0.0.0", ["0.0.0.0:5060"], "tcp://0.0.0.0:5060"),
            ("tcp://[2001:db8::1]", ["[2001:db8::1]:5060"], "tcp://[2001:db8::1]:5060"),
            ("tcp://*:65535", ["0.0.0.0:65535", "[::]:65535"], "tcp://*:65535"),
            ("tcp://*", ["0.0.0.0:5060", "[::]:5060"], "tcp://*:5060"),
        ]
    )
    func listenAddress(text: String, addresses: [String], description: String) throws {
        let address = try ListenAddress(text)
        #expect(address.transport == .tcp)
        #expect(address.addresses.map(\.description) == addresses)
        #expect(address.description == description)
    }

    @Test(
        "a listen address that is wrong is told with its mend",
        arguments: [
            ("127.0.0.1:5060", "write tcp://127.0.0.1:5060"), ("", "write tcp://127.0.0.1:5060"),
            ("udp://127.0.0.1:5060", "udp is not served here, tcp is"), ("tls://*", "tls is not served here, tcp is"),
            ("://*", "an empty scheme is not served"), ("tcp://localhost:5060", "'localhost' is no IP address"),
            ("tcp://::1", "in brackets such as [::1]"), ("tcp://[::1", "in brackets"),
            ("tcp://[::1]x:1", "in brackets"),
            ("tcp://[127.0.0.1]:5060", "in brackets"), ("tcp://", "is no IP address"),
            ("tcp://:5060", "is no IP address"),
            ("tcp://127.0.0.1:", "'' is no port"), ("tcp://127.0.0.1:65536", "'65536' is no port"),
            ("tcp://127.0.0.1:-1", "'-1' is no port"), ("tcp://127.0.0.1:+1", "'+1' is no port"),
            ("tcp://127.0.0.1:5060/", "'5060/' is no port"), ("tcp://127.0.0.256:1", "is no IP address"),
        ]
    )
    func listenAddressErrors(text: String, mend: String) {
        let error = #expect(throws: ListenAddressError.self) { try ListenAddress(text) }
        #expect(error?.description.contains(mend) == true, "\(String(describing: error))")
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test(
        "a block of addresses holds what lies in it",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/8", "10.9.9.9", true),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "192.0.2.1", true),
            ("0.0.0.0/0", "::1", false), ("::1/128", "::1", true), ("::1/128", "::2", false), ("::1", "::1", true),
            ("2001:db8::/32", "2001:db8:ffff::9", true), ("2001:db8::/32", "2001:db9::", false),
            ("2001:db8::/65", "2001:db8:0:0:7fff::", true), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
            ("::/0", "192.0.2.1", true), ("::/0", "2001:db8::1", true), ("192.0.2.128/25", "192.0.2.127", false),
        ]
    )
    func block(text: String, host: String, isInside: Bool) throws {
        let block = try CIDR(text)
        let address = try #require(SocketAddress(host: host, port: 9))
        #expect(block.contains(address) == isInside)
        #expect(try CIDR(block.description) == block)
    }

    @Test(
        "a block of addresses that is wrong is told with its mend",
        arguments: [
            ("", "write 10.0.0.0/8"), ("10.0.0.0/33", "0 to 32"), ("10.0.0/8", "write 10.0.0.0/8"),
            ("::/129", "0 to 128"),
            ("::1/", "0 to 128"), ("10.0.0.0/+8", "0 to 32"), ("10.0.0.0/8/8", "0 to 32"),
            ("[::1]/128", "write 10.0.0.0/8"),
            ("example.test", "write 10.0.0.0/8"), ("10.0.0.0/99999999999999999999", "0 to 32"),
        ]
    )
    func blockErrors(text: String, mend: String) {
        let error = #expect(throws: CIDRError.self) { try CIDR(text) }
        #expect(error?.description.contains(mend) == true)
    }
}

import SIP
import TestSupport
import Testing

@testable import Signaling

@Suite("Values by address-of-record")
struct AddressTableTests {
    private static func address(_ number: Int) throws -> AddressOfRecord {
        try #require(AddressOfRecord(ByteString("u\(number)@example.test")))
    }

    @Test(
        "whatever is put in, changed and taken out, it holds what a dictionary would",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func sameAsDictionary(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var table = AddressTable<Int>()
        var model: [AddressOfRecord: Int] = [:]
        let addresses = try (0..<200).map(Self.address)
        for step in 0..<4000 {
            let address = random.pick(addresses)
            // It grows at first and then shrinks.
            let value = random.below(4000) > step ? step : nil
            table.update(address) { known in
                #expect(known == model[address])
                known = value
            }
            model[address] = value
            if random.once(in: 1000) {
                table.removeAll()
                model = [:]
            }
        }
        #expect(table.count == model.count)
        for address in addresses { #expect(table[address] == model[address], "seed \(seed): \(address)") }
    }
}

import Testing

@testable import Storage

@Suite("Accounts")
struct AccountDatabaseTests {
    let scratch = Scratch()

    func account(_ address: String, seed: UInt8 = 0x61, digest: String? = nil) throws -> Account {
        Account(
            address: try AccountAddress(address),
            credentials: AccountCredentials(
                ha1MD5: [UInt8](repeating: seed, count: 32),
                ha1SHA256: [UInt8](repeating: seed, count: 64),
                digest: digest
            )
        )
    }

    @Test("an account is found again, its domain in any case, its user in one")
    func lookUp() throws {
        let accounts = try AccountDatabase(try scratch.directory())
        try accounts.add(try account("Alice@EXAMPLE.test", digest: "MD5"), now: 5)
        let found = try accounts.lookUp(Array("Alice@Example.Test".utf8))
        #expect(found == (try account("a@b", digest: "MD5").credentials))
        #expect(try accounts.lookUp(Array("alice@example.test".utf8)) == nil)
        #expect(try accounts.lookUp([]) == nil)
        #expect(try accounts.lookUp([0xff, 0x00, 0x40, 0xfe]) == nil)
        #expect(try accounts.list() == [AccountSummary(address: "Alice@example.test", digest: "MD5", created: 5)])
    }

    @Test("an account that exists is only replaced when asked, and keeps its age")
    func replacing() throws {
        let accounts = try AccountDatabase(try scratch.directory())
        try accounts.add(try account("a@x"), now: 1)
        #expect(kindThrown { try accounts.add(try account("a@X", seed: 0x62), now: 2) } == .exists)
        try accounts.add(try account("a@x", seed: 0x62), now: 3, replacing: true)
        #expect(try accounts.lookUp(Array("a@x".utf8))?.ha1MD5.first == 0x62)
        #expect(try accounts.list().first?.created == 1)
        #expect(try accounts.remove(try AccountAddress("a@x")))
        #expect(try !accounts.remove(try AccountAddress("a@x")))
        #expect(try accounts.count() == 0)
    }

    @Test("lists are sorted, and cut by prefix and limit")
    func listing() throws {
        let accounts = try AccountDatabase(try scratch.directory())
        let names = ["bob@x", "al%@x", "alice@x", "al_x@x", "Al@x"]
        #expect(try accounts.add(all: names.map { try account($0) }, now: 0) == 5)
        func addresses(_ prefix: String, _ limit: Int?) throws -> [String] {
            try accounts.list(prefix: prefix, limit: limit).map(\.address)
        }
        #expect(try addresses("", nil) == ["Al@x", "al%@x", "al_x@x", "alice@x", "bob@x"])
        #expect(try addresses("al", nil) == ["al%@x", "al_x@x", "alice@x"])
        #expect(try addresses("al", 1) == ["al%@x"])
        #expect(try addresses("z", nil) == [])
    }

    @Test("an import is all or nothing")
    func importing() throws {
        let accounts = try AccountDatabase(try scratch.directory())
        try accounts.add(try account("u50@x"), now: 0)
        let all = try (0..<100).map { try account("u\($0)@x") }
        var seen = 0
        #expect(kindThrown { _ = try accounts.add(all: all, now: 0) { seen = $0 } } == .exists)
        #expect(seen == 50)
        #expect(try accounts.count() == 1)
        #expect(try accounts.add(all: all, now: 0, replacing: true) == 100)
        #expect(try accounts.count() == 100)
    }

    @Test("two handles see each other's changes, and notice them")
    func twoHandles() throws {
        let first = try AccountDatabase(try scratch.directory())
        let second = try AccountDatabase(try scratch.directory())
        let mark = try first.changeMark()
        #expect(try first.changeMark() == mark)
        try second.add(try account("a@x", digest: "SHA-256,MD5"), now: 0)
        #expect(try first.changeMark() != mark)
        #expect(try first.exceptions() == [AccountException(account: Array("a@x".utf8), digest: "SHA-256,MD5")])
        #expect(try first.count() == 1)
    }

    @Test(
        "what is no address is refused",
        arguments: ["", "alice", "@x", "a@", "a@b@c", "sip:a@b", "a b@c", "a\n@c", "a;x=1@c", "<a@c>"]
    )
    func addresses(text: String) {
        #expect(kindThrown { _ = try AccountAddress(text) } == .invalidAddress)
    }

    @Test("files can be read by their owner alone")
    func privacy() throws {
        _ = try AccountDatabase(DataDirectory(path: scratch.file("deep/er")))
        for path in ["deep/er/accounts.db", "deep/er", "deep"] {
            #expect(mode(scratch.file(path)) & 0o077 == 0)
        }
    }
}

import CPlatform
public import SIP

extension RandomSource {
    /// The kernel's random bits.
    public static var kernel: RandomSource {
        RandomSource { words in
            let result = words.withUnsafeMutableBytes { wl_random($0.baseAddress, $0.count) }
            // Tags and nonces that can be guessed would be worse than no server.
            guard result == 0 else { fatalError("the kernel gives no random bytes") }
        }
    }
}

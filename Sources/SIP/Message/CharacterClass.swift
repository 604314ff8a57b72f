/// A set of ASCII characters as 128 bits: the classes of RFC 3261 section 25.1.
///
/// They are computed, so that the bits stand in the code that tests them.
struct CharacterClass {
    private let low: UInt64
    private let high: UInt64

    /// Whether a byte belongs to the class.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte & 64 == 0 ? low : high
        return byte < 128 && word >> UInt64(byte & 63) & 1 != 0
    }

    /// `token`: names of methods, header fields, parameters.
    static var token: CharacterClass { CharacterClass(low: 0x03ff_6ca2_0000_0000, high: 0x47ff_ffff_87ff_fffe) }

    /// The user part of a URI, escapes included.
    static var user: CharacterClass { CharacterClass(low: 0xabff_fff2_0000_0000, high: 0x47ff_fffe_87ff_fffe) }

    /// `paramchar`: names and values of URI parameters, escapes included.
    static var parameter: CharacterClass { CharacterClass(low: 0x07ff_eff2_0000_0000, high: 0x47ff_fffe_afff_fffe) }

    /// Host names and IPv4 addresses.
    static var host: CharacterClass { CharacterClass(low: 0x03ff_6000_0000_0000, high: 0x07ff_fffe_87ff_fffe) }

    /// Hexadecimal digits.
    static var hexadecimal: CharacterClass { CharacterClass(low: 0x03ff_0000_0000_0000, high: 0x0000_007e_0000_007e) }

    /// Decimal digits.
    static var digit: CharacterClass { CharacterClass(low: 0x03ff_0000_0000_0000, high: 0x0000_0000_0000_0000) }

    /// Names of parameters, in header values and in URIs.
    static var parameterName: CharacterClass { CharacterClass(low: 0x07ff_eff2_0000_0000, high: 0x47ff_ffff_afff_fffe) }

    /// What can't stand in a URI: white space, controls, quotes and angle brackets.
    static var notInURI: CharacterClass { CharacterClass(low: 0x5000_0005_ffff_ffff, high: 0x8000_0000_0000_0000) }

    /// What ends a display name, or the URI of a value without brackets: `"`, `;` and `<`.
    static var nameEnd: CharacterClass { CharacterClass(low: 0x1800_0004_0000_0000, high: 0) }

    /// `word`: Call-IDs.
    static var word: CharacterClass { CharacterClass(low: 0xd7ff_efa6_0000_0000, high: 0x6fff_ffff_bfff_fffe) }
}

extension UInt8 {
    @inline(__always)
    func isIn(_ set: CharacterClass) -> Bool { set.contains(self) }

    /// SP, HTAB, and the CR and LF that the parser lets stand only in folded lines.
    @inline(__always)
    var isLWS: Bool { self == 0x20 || self == 0x09 || self == 0x0d || self == 0x0a }

    /// Lower case for ASCII letters; other bytes stay.
    @inline(__always)
    var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

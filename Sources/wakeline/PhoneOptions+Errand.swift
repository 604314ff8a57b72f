import SIP
import Softphone
import WakelineServer

/// What the phone is to do.
extension PhoneOptionReader {
    func errand(in domain: ByteString) throws(PhoneOptionError) -> PhoneErrand {
        var errand = PhoneErrand()
        errand.call = try uri("--call", in: domain)
        errand.options = try uri("--options", in: domain)
        errand.count = try number("--count", 1...1_000_000)
        errand.duration = try seconds("--duration", 0...86_400)
        errand.ring = try seconds("--ring", 0...3600) ?? .zero
        try readMessage(in: domain, &errand)
        try readAnswer(&errand)
        return errand
    }

    private func readMessage(in domain: ByteString, _ errand: inout PhoneErrand) throws(PhoneOptionError) {
        let to = try uri("--to", in: domain)
        switch (arguments.value("--message"), to) {
        case (let text?, let to?):
            // An empty body would be sent without its type, and says nothing.
            guard !text.isEmpty else { throw PhoneOptionError("--message is empty; say something") }
            errand.message = (text, to)
        case (nil, nil): break
        case (_?, nil): throw PhoneOptionError("--message is for nobody; add --to sip:bob@\(domain)")
        case (nil, _?): throw PhoneOptionError("--to has nothing to send; add --message TEXT")
        }
    }

    private func readAnswer(_ errand: inout PhoneErrand) throws(PhoneOptionError) {
        if let status = try number("--reject", 400...699 as ClosedRange<UInt16>) { errand.answer = .reject(status) }
        if arguments.has("--auto-answer") {
            guard errand.answer == .ring else { throw PhoneOptionError("--auto-answer and --reject: give one") }
            errand.answer = .accept
        }
        if errand.answer == .ring, arguments.has("--ring") {
            throw PhoneOptionError("--ring says when to answer or refuse; add --auto-answer or --reject STATUS")
        }
        if arguments.has("--once") {
            guard errand.call == nil else {
                throw PhoneOptionError("--once is for calls that come in; with --call, give --count 1")
            }
            guard errand.count ?? 1 == 1 else { throw PhoneOptionError("--once and --count: give one") }
            errand.count = 1
        }
    }

    /// A URI, or `bob` for somebody of the phone's own domain.
    private func uri(_ option: String, in domain: ByteString) throws(PhoneOptionError) -> ByteString? {
        guard let text = arguments.value(option) else { return nil }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        var whole = ["sip", "sips", "tel"].contains(scheme) && text.contains(":") ? text : "sip:\(text)"
        if scheme == "tel", text.utf8.count > 4,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"<>\"".utf8.contains($0) })
        {
            return ByteString(text)
        }
        if !whole.contains("@") { whole += "@\(domain)" }
        let bytes = ByteString(whole)
        guard SIPURI.fault(bytes.bytes, bytes.bytes.indices) == nil else {
            throw PhoneOptionError("\(option) \(text) is no URI; write sip:bob@\(domain)")
        }
        return bytes
    }
}

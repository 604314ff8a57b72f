import Flows
import SIP

extension Configuration {
    /// What a configuration is read for.
    public enum Purpose: Sendable {
        /// To serve: there must be a domain and a place to listen.
        case serving
        /// To look after accounts and other files.
        case administration
    }

    /// Something wrong that only several keys together show; the key to change first is first.
    struct Finding {
        var keys: [String]
        var fault: ValueFault
    }

    /// All that is wrong with the whole.
    func findings(for purpose: Purpose) -> [Finding] {
        var findings: [Finding] = []
        func expect(_ holds: Bool, _ keys: [String], _ what: String, mend: String) {
            if !holds { findings.append(Finding(keys: keys, fault: ValueFault(what, mend: mend))) }
        }
        if purpose == .serving {
            expect(
                !domains.isEmpty,
                ["domains"],
                "no domain is given",
                mend: "write domains: [example.com], or use --domain"
            )
            expect(
                !listen.isEmpty,
                ["listen"],
                "there is no place to listen",
                mend: "write listen: [tcp://0.0.0.0:5060]"
            )
        }
        expect(!digest.algorithms.isEmpty, ["digest.algorithms"], "the list is empty", mend: "write [SHA-256, MD5]")
        for rule in digest.userAgents {
            expect(
                !rule.algorithms.isEmpty && !rule.prefix.isEmpty,
                ["digest.user-agents"],
                "\"\(rule.prefix)\" needs a name and an algorithm",
                mend: "write {\"name 1.\": [MD5]}"
            )
        }
        let fixed = listen.flatMap(\.addresses).filter { $0.port != 0 }
        expect(
            Set(fixed).count == fixed.count,
            ["listen"],
            "an address is there twice",
            mend: "keep one of each"
        )
        ordered(
            &findings,
            "registrar.min-expires",
            registrar.minExpires,
            "registrar.default-expires",
            registrar.defaultExpires
        )
        ordered(
            &findings,
            "registrar.default-expires",
            registrar.defaultExpires,
            "registrar.max-expires",
            registrar.maxExpires
        )
        ordered(&findings, "proxy.t1", proxy.t1, "proxy.t2", proxy.t2)
        ordered(&findings, "flow.first-message", flow.firstMessage, "flow.authentication", flow.authentication)
        expect(
            flow.writeMark <= flow.writeBound,
            ["flow.write-mark", "flow.write-bound"],
            "\(Units.text(size: flow.writeMark)) is over write-bound, \(Units.text(size: flow.writeBound))",
            mend: "lower it, or raise write-bound"
        )
        expect(
            limits.startLine <= limits.headerSection,
            ["limits.start-line", "limits.header-section"],
            "\(Units.text(size: limits.startLine)) is over header-section, \(Units.text(size: limits.headerSection))",
            mend: "lower it, or raise header-section"
        )
        return findings
    }

    private func ordered(
        _ findings: inout [Finding],
        _ lowKey: String,
        _ low: Interval,
        _ highKey: String,
        _ high: Interval
    ) {
        guard low > high else { return }
        let what = "\(Units.text(low)) is over \(highKey), \(Units.text(high))"
        findings.append(
            Finding(keys: [lowKey, highKey], fault: ValueFault(what, mend: "lower it, or raise \(highKey)"))
        )
    }
}

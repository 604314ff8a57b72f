import Flows
import Reactor
import SIP
import Signaling
import Storage

/// Runs the rules' errands: to the store and back, and to the report.
final class ErrandRunner {
    private let core: Core
    private let store: Store
    private let report: CallReport
    /// Tickets of appends on their way, oldest first from `head`.
    private var appends: [UInt64] = []
    private var head = 0
    private var batch: [Errand] = []
    private var lookUps: [UInt64: AddressOfRecord] = [:]
    /// Answers of the store that the rules have not had yet, from `place`.
    private var answers: [StoreAnswer] = []
    private var place = 0
    private let timer: DeadlineTimer?
    /// Steps of calls that are not reported yet.
    private var steps: [JournalStep] = []
    private let reporting: DeadlineTimer
    private var isReporting = false
    private let loop: EventLoop

    /// Answers that the rules get in one turn: each makes them send something, and calls are not to wait for thousands.
    private static let answersPerTurn = 256
    /// How long a step may wait to be reported with others, in milliseconds: what writes them is in no near cache, and one
    /// step after the other costs a tenth of a call.
    private static let reportWithin: Int64 = 20
    /// Steps that are reported at once, however young.
    private static let stepsAtOnce = 256

    init(core: Core, store: Store, report: CallReport, loop: EventLoop) {
        self.core = core
        self.store = store
        self.report = report
        var wake: (() -> Void)?
        timer = DeadlineTimer(loop: loop) { wake?() }
        var write: (() -> Void)?
        reporting = DeadlineTimer(loop: loop) { write?() }
        self.loop = loop
        wake = { [unowned self, unowned loop] in self.bring(now: loop.time) }
        write = { [unowned self] in self.finish() }
    }

    /// Takes what the rules want done.
    func run() {
        guard !core.errands.isEmpty else { return }
        core.takeErrands(into: &batch)
        for errand in batch {
            switch errand {
            case .persist(let ticket, let key, let value):
                appends.append(ticket)
                store.append(ticket: ticket, key: key.bytes, value: value)
            case .lookUp(let ticket, let address):
                lookUps[ticket] = address
                store.lookUp(ticket: ticket, account: address.text.bytes)
            case .record(let step): steps.append(step)
            case .registration(let change): report.take(change)
            case .foreignDomain(let asked): report.take(asked, served: core.settings.domains)
            }
        }
        batch.removeAll(keepingCapacity: batch.capacity <= 1 << 14)
        report.flush()
        if steps.count >= Self.stepsAtOnce {
            finish()
        } else if !steps.isEmpty, !isReporting {
            isReporting = true
            reporting.schedule(at: loop.now.monotonic + Self.reportWithin)
        }
    }

    /// Reports what waits to be reported.
    func finish() {
        isReporting = false
        for step in steps { report.take(step) }
        steps.removeAll(keepingCapacity: steps.capacity <= 1 << 12)
        report.flush()
    }

    /// Brings the store's answers to the rules.
    func take(_ more: [StoreAnswer], now: Now) {
        answers.append(contentsOf: more)
        bring(now: now)
    }

    /// Brings as many answers as a turn may, and sees to it that the next turn goes on at once.
    private func bring(now: Now) {
        var left = Self.answersPerTurn
        while left > 0, place < answers.count {
            left -= 1
            switch answers[place] {
            case .committed(let last):
                while left > 0, head < appends.count, appends[head] <= last {
                    core.persisted(appends[head], now: now)
                    head += 1
                    left -= 1
                }
                if head < appends.count, appends[head] <= last { continue }
            case .failed(let tickets, _):
                for ticket in tickets { core.persistFailed(ticket, now: now) }
            case .account(let ticket, let credentials):
                if let address = lookUps.removeValue(forKey: ticket) {
                    let account = credentials.flatMap { Account(ha1MD5: $0.ha1MD5, ha1SHA256: $0.ha1SHA256) }
                    core.account(ticket, address, account, now: now)
                }
            case .lookUpFailed(let ticket, _):
                lookUps[ticket] = nil
                core.accountFailed(ticket, now: now)
            case .accountsChanged(let exceptions):
                core.accountsChanged(Self.algorithms(exceptions), now: now)
            }
            place += 1
        }
        if place == answers.count {
            answers.removeAll(keepingCapacity: answers.capacity <= 1 << 12)
            place = 0
        } else {
            timer?.schedule(at: now.monotonic.milliseconds)
        }
        if head == appends.count || head > 4096 {
            appends.removeFirst(head)
            head = 0
        }
    }

    private static func algorithms(_ exceptions: [AccountException]) -> [AddressOfRecord: [DigestAlgorithm]] {
        var lists: [AddressOfRecord: [DigestAlgorithm]] = [:]
        for exception in exceptions {
            guard let address = AddressOfRecord(ByteString(exception.account)),
                let list = DigestAlgorithm.list(exception.digest)
            else { continue }
            lists[address] = list
        }
        return lists
    }
}

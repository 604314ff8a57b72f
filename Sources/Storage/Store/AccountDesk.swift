import Observability

/// Answers questions about accounts, and notices when another process changed them.
struct AccountDesk {
    private let database: AccountDatabase
    private let interval: Int64
    private let logger: Logger
    private var mark: Int64?
    private var nextCheck: Int64 = .min
    private var isFailing = false

    /// - Parameters:
    ///   - database: the accounts.
    ///   - interval: between two checks, in milliseconds.
    ///   - logger: hears of failures.
    init(_ database: AccountDatabase, interval: Int64, logger: Logger) {
        self.database = database
        self.interval = interval
        self.logger = logger
    }

    /// Looks whether the file changed, when it is time; the first time counts as a change.
    mutating func checkForChanges(at now: Int64, _ answers: inout [StoreAnswer]) {
        guard now >= nextCheck else { return }
        nextCheck = now + interval
        do throws(StorageError) {
            let found = try database.changeMark()
            if isFailing, found == mark { isFailing = false }
            guard found != mark else { return }
            // In this order a change in between is seen again at the next check.
            answers.append(.accountsChanged(exceptions: try database.exceptions()))
            mark = found
            isFailing = false
        } catch {
            if !isFailing { logger.error("can't read the accounts", [LogField("error", error)]) }
            isFailing = true
        }
    }

    /// Answers look-ups.
    func lookUp(_ asked: [(ticket: UInt64, account: [UInt8])], _ answers: inout [StoreAnswer]) {
        guard asked.count > 1 else {
            if let only = asked.first { answers.append(lookUp(ticket: only.ticket, only.account)) }
            return
        }
        database.together {
            for one in asked { answers.append(lookUp(ticket: one.ticket, one.account)) }
        }
    }

    private func lookUp(ticket: UInt64, _ account: [UInt8]) -> StoreAnswer {
        do throws(StorageError) {
            return .account(ticket: ticket, try database.lookUp(account))
        } catch {
            return .lookUpFailed(ticket: ticket, error)
        }
    }
}

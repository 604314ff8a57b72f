import Observability

/// Prints what happened to one call, step by step, with the time since its first step.
public func trace(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    guard let configuration = ConfigurationOptions.load(arguments, for: .administration, terminal) else {
        return .configuration
    }
    let callID = arguments[0]
    do throws(SystemError) {
        let entries = try JournalReader(directory: configuration.data).entries(callID: callID)
        guard let first = entries.first else {
            terminal.report("the journal in \(configuration.data) has no call \(callID); it may be too old")
            return .usage
        }
        terminal.print("\(callID)  \(Timestamp.text(first.wall))")
        for line in JournalReader.timeline(of: entries) { terminal.print(line) }
        return .success
    } catch {
        terminal.report("\(error); check --data")
        return .configuration
    }
}

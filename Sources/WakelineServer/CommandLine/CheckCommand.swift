/// Shows what a configuration comes to, or all that is wrong with it.
public func checkConfiguration(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    if arguments.has("--reference") {
        terminal.output(Configuration.reference)
        return .success
    }
    if arguments.has("--example") {
        terminal.output(Configuration.example)
        return .success
    }
    guard let configuration = ConfigurationOptions.load(arguments, for: .serving, terminal) else {
        return .configuration
    }
    terminal.output(configuration.yaml)
    terminal.report("configuration ok")
    return .success
}

/// Runs a server until it is told to stop.
///
/// - Parameter configuration: checked as a whole.
/// - Returns: the exit code of the process.
public func runServer(_ configuration: Configuration) -> Int32 {
    ExitCode.failure.rawValue
}

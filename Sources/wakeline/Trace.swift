import WakelineServer

extension Command {
    /// Traces a call.
    static let trace = Command(
        "trace",
        summary: "Tell what happened to a call, step by step.",
        arguments: [Argument("CALL-ID", "the whole Call-ID")],
        options: ConfigurationOptions.data,
        run: WakelineServer.trace
    )
}

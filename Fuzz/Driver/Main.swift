import Glibc

/// libFuzzer's own entry, for a program that has a `main` already.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ run: @convention(c) (UnsafePointer<UInt8>, Int) -> Int32
) -> Int32

/// The target, once it is known.
nonisolated(unsafe) private var chosen = FuzzTarget.message  // Written once, before the only thread reads it.

/// Feeds the target named by `FUZZ_TARGET` with what libFuzzer comes up with; all arguments are libFuzzer's.
@main
enum Fuzz {
    static func main() {
        guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
            print(FuzzTarget.allCases.map(\.rawValue).joined(separator: "\n"))
            return
        }
        chosen = target
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { bytes, length in
                chosen.run(Array(UnsafeBufferPointer(start: bytes, count: length)))
                return 0
            }
        )
    }
}

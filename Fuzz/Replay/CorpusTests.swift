import Glibc
import Testing

@Suite("The corpus of the fuzzers")
struct CorpusTests {
    @Test("every input that fuzzing found worth keeping is taken", arguments: FuzzTarget.allCases)
    func replay(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs { target.run(input) }
    }

    @Test("nothing at all is taken", arguments: FuzzTarget.allCases)
    func empty(_ target: FuzzTarget) { target.run([]) }

    struct Unreadable: Error { var path: String }

    private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let root = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let folder = "/\(root)/Corpus/\(target.rawValue)"
        guard let directory = opendir(folder) else { throw Unreadable(path: folder) }
        defer { closedir(directory) }
        var inputs: [[UInt8]] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            guard let file = fopen("\(folder)/\(name)", "rb") else { throw Unreadable(path: "\(folder)/\(name)") }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
            inputs.append(bytes)
        }
        return inputs
    }
}

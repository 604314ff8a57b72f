import Glibc

/// Where the parts of a configuration come from; each overrides the one before it.
public struct ConfigurationSources: Sendable {
    /// The file, or nil for the one that `WAKELINE_CONFIG` names, or none.
    public var file: String?
    /// The environment.
    public var environment: [String: String]
    /// Values given as flags, in order.
    public var flags: [Flag]

    /// A value given on the command line.
    public struct Flag: Sendable, Equatable {
        /// As it was written: `--listen`.
        public var name: String
        /// The key it sets: `listen`.
        public var key: String
        /// Its values; more than one for a list.
        public var values: [String]

        /// Makes a flag's value.
        public init(name: String, key: String, values: [String]) {
            self.name = name
            self.key = key
            self.values = values
        }
    }

    /// Names the sources.
    public init(file: String? = nil, environment: [String: String] = [:], flags: [Flag] = []) {
        self.file = file
        self.environment = environment
        self.flags = flags
    }

    /// The variables of this process that begin with `WAKELINE_`.
    public static func processEnvironment() -> [String: String] {
        var found: [String: String] = [:]
        for name in ConfigurationKey.all.map(\.variable) + ["WAKELINE_CONFIG"] {
            if let value = getenv(name) { found[name] = String(cString: value) }
        }
        // The others matter only as misspellings; without /proc they go unnoticed.
        guard case .success(let bytes) = readWholeFile("/proc/self/environ") else { return found }
        for entry in bytes.split(separator: 0) {
            let text = String(decoding: entry, as: UTF8.self)
            guard text.hasPrefix("WAKELINE_"), let equals = text.firstIndex(of: "=") else { continue }
            let name = String(text[..<equals])
            if found[name] == nil { found[name] = String(text[text.index(after: equals)...]) }
        }
        return found
    }
}

/// A file that can't be read, with the system's words.
public struct FileFault: Error {
    /// What the system says.
    public var reason: String
}

/// Reads a whole file, of 256 MB at most.
public func readWholeFile(_ path: String) -> Result<[UInt8], FileFault> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(FileFault(reason: String(cString: strerror(errno)))) }
    defer { close(descriptor) }
    return readAll(descriptor)
}

/// Reads a descriptor to its end, 256 MB at most.
func readAll(_ descriptor: Int32) -> Result<[UInt8], FileFault> {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return .failure(FileFault(reason: String(cString: strerror(errno)))) }
        guard count > 0 else { return .success(all) }
        all.append(contentsOf: buffer[..<count])
        guard all.count <= 256 << 20 else { return .failure(FileFault(reason: "it is over 256 MB")) }
    }
}

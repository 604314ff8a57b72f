/// A time in which bindings can't be written, from the first failure to the next success, with pauses between tries.
struct WriteEpisode {
    private let first: Int64
    private let longest: Int64
    private var pause: Int64 = 0
    private var nextTry: Int64 = 0
    private var error: StorageError?

    /// - Parameters:
    ///   - first: the first pause, in milliseconds; each failure doubles it.
    ///   - longest: the longest pause.
    init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
    }

    /// Whether the last try failed.
    var isOpen: Bool { error != nil }

    /// Throws the error of the last try for as long as its pause lasts.
    func allowsTry(at now: Int64) throws(StorageError) {
        if let error, now < nextTry { throw error }
    }

    /// Takes note of a failure, or of a refusal within a pause; returns whether it begins an episode.
    mutating func record(_ failure: StorageError, at now: Int64) -> Bool {
        let isNew = error == nil
        guard isNew || now >= nextTry else { return false }
        pause = isNew ? first : min(pause * 2, longest)
        nextTry = now + pause
        error = failure
        return isNew
    }

    /// Takes note of a success; returns whether it ends an episode.
    mutating func close() -> Bool {
        defer { error = nil }
        return error != nil
    }
}

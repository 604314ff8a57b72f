import Glibc

/// A piece of what a flow is owed this turn.
struct Owed {
    /// Where it begins in the outbox's arena, or `pong`.
    var start: Int
    var count: Int
    /// The flow's next piece, as an index of the carrier's list; negative at the end.
    var next: Int32 = -1

    /// In place of a start: line ends, which answer pings.
    static var pong: Int { -1 }
}

/// The line ends that answer pings, and the vectors of a gathered write, used again and again.
struct WriteVectors: ~Copyable {
    /// The most the kernel takes in one call (IOV_MAX).
    static var most: Int { 1024 }
    /// Bytes of line ends that one piece may have.
    static var pongs: Int { 4096 }

    private let lineEnds = UnsafeMutableRawBufferPointer.allocate(byteCount: WriteVectors.pongs, alignment: 8)
    private let vectors = UnsafeMutablePointer<iovec>.allocate(capacity: WriteVectors.most)
    private var count = 0

    init() {
        for index in lineEnds.indices { lineEnds[index] = index % 2 == 0 ? 0x0d : 0x0a }
        vectors.initialize(repeating: iovec(), count: Self.most)
    }

    deinit {
        lineEnds.deallocate()
        vectors.deallocate()
    }

    /// The bytes of a piece; nothing where the piece is not of this arena.
    func bytes(of piece: Owed, in arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let source = piece.start == Owed.pong ? UnsafeRawBufferPointer(lineEnds) : arena
        let start = max(piece.start, 0)
        guard piece.count >= 0, start <= source.count, piece.count <= source.count - start else {
            assertionFailure("a piece lies outside of its arena")
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: source[start..<start + piece.count])
    }

    mutating func removeAll() { count = 0 }

    /// Adds bytes to the write; false when it is full.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard count < Self.most else { return false }
        vectors[count] = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        count += 1
        return true
    }

    /// Writes all that was added, in one call that raises no signal.
    ///
    /// - Returns: how many bytes the kernel took, or -1 with `errno`.
    func send(to descriptor: Int32) -> Int {
        if count == 1 { return Glibc.send(descriptor, vectors[0].iov_base, vectors[0].iov_len, Int32(MSG_NOSIGNAL)) }
        var message = msghdr()
        message.msg_iov = vectors
        message.msg_iovlen = count
        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
    }
}

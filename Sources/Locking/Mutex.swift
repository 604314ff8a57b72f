#if THREAD_SANITIZER
import Glibc

/// A lock that the thread sanitizer knows: the standard library's is not built for it, so that what it guards looks like a race.
///
/// It takes the place of `Synchronization.Mutex` in builds with the sanitizer, and in no others.
public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Guards a value.
    public init(_ initial: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs a closure with the value, which nobody else has meanwhile.
    ///
    /// - Parameter body: may change the value.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
#else
// Elsewhere it is the standard library's, members and all: what a target sees is the same in both kinds of builds.
@_exported public import Synchronization
#endif

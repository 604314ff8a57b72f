import CPlatform
import Glibc
import Locking

/// One thread of the operating system, named so that `top -H` and a debugger tell who is busy.
///
/// It blocks all signals: they belong to the thread that runs the event loop.
package final class NamedThread: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: 15 characters at most.
    ///   - body: what it does; the thread ends with it.
    /// - Throws: the system's refusal.
    package init(_ name: String, _ body: sending @escaping () -> Void) throws(SystemError) {
        // The box keeps the body alive until the new thread has taken it over, or until it turned out there is none.
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        var created = pthread_t()
        let code = pthread_create(&created, nil, runThread, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", subject: name, code: code)
        }
        thread = Mutex(created)
    }

    deinit {
        thread.withLock { if let running = $0 { pthread_detach(running) } }
    }

    /// Waits until the body has returned; once, later calls return at once.
    package func join() {
        let running = thread.withLock { state in
            defer { state = nil }
            return state
        }
        if let running { pthread_join(running, nil) }
    }
}

/// What a new thread is given.
private final class ThreadStart {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    wl_name_thread(start.name)
    start.body()
    return nil
}

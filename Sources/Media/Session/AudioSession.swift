import Locking
import Observability
public import SIP

/// The sound of one call: its own socket from the beginning, its own thread while it runs.
///
/// The socket comes first, since its port stands in the offer. Once both ends agree, a tone is sent and the other end's
/// tone is listened for; `stop` says what was heard. Any thread may use it.
public final class AudioSession: Sendable {
    /// Where sound is received.
    public let local: SocketAddress

    private struct State {
        /// Open until the session is stopped.
        var socket: MediaSocket?
        var thread: NamedThread?
        var share: AudioShare?
        /// The tone that is wanted, where it is another one than at the beginning.
        var tone: Double?
    }

    private let settings: AudioSettings
    private let state: Mutex<State>

    /// Takes a port.
    ///
    /// - Parameters:
    ///   - host: an address of this machine; its port does not count.
    ///   - settings: ports, traffic class and tones.
    /// - Throws: why there is no socket.
    public init(on host: SocketAddress, settings: AudioSettings = AudioSettings()) throws(MediaError) {
        let socket = try MediaSocket(on: host, settings)
        local = socket.local
        self.settings = settings
        state = Mutex(State(socket: socket))
    }

    deinit { _ = stop() }

    /// Begins to send and to listen; when it has begun already, goes on as is now agreed upon (a re-INVITE).
    ///
    /// - Throws: when there can be no thread, or the session has been stopped.
    public func run(_ agreement: AudioAgreement) throws(MediaError) {
        let settings = settings
        let result = state.withLock { state -> Result<Void, MediaError> in
            if let share = state.share, state.socket != nil {
                share.state.withLock { $0.agreement = agreement }
                return .success(())
            }
            guard let socket = state.socket else { return .failure(.stopped) }
            let share = AudioShare(agreement, tone: state.tone ?? settings.tone)
            do throws(SystemError) {
                state.thread = try NamedThread("wl-audio") {
                    var worker = AudioWorker(socket, share, settings)
                    worker.run()
                }
            } catch {
                return .failure(.system(error))
            }
            state.share = share
            return .success(())
        }
        try result.get()
    }

    /// Sends another tone from the next packet on.
    ///
    /// - Parameter tone: in Hz, up to 4000.
    public func play(_ tone: Double) {
        state.withLock { state in
            state.tone = tone
            state.share?.state.withLock { $0.tone = tone }
        }
    }

    /// What has happened so far.
    public var report: AudioReport {
        let share = state.withLock { $0.share }
        return share?.state.withLock { $0.report } ?? AudioReport()
    }

    /// Ends the thread, which takes 20 ms at most, and gives the port back.
    ///
    /// - Returns: what has happened in all; later calls say the same.
    @discardableResult
    public func stop() -> AudioReport {
        let (thread, share) = state.withLock { state in
            state.socket = nil
            defer { state.thread = nil }
            return (state.thread, state.share)
        }
        share?.state.withLock { $0.isStopped = true }
        thread?.join()
        return report
    }
}

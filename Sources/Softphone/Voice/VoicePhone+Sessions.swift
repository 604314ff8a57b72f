import Flows
public import Media
import PhoneKit
import Reactor
public import SIP

/// Offers and answers (RFC 3264), and the sound that follows from them.
extension VoicePhone {
    /// Calls somebody.
    ///
    /// - Parameter uri: whom.
    /// - Returns: the call's number, which ends with `ended`.
    /// - Throws: why there can be no call.
    @discardableResult
    public func call(_ uri: ByteString) throws(VoiceError) -> Int {
        guard isRegistered else { throw .notRegistered }
        let (audio, address) = try makeAudio(tone: CallTone.caller)
        let sessionID = UInt64.random(in: 1...UInt64(Int64.max))
        let offer = SessionDescription.audioOffer(
            receivingAt: address,
            origin: .init(sessionID: sessionID, version: 1, address: .init(address)),
            direction: settings.hasAudio ? .sendrecv : .inactive
        )
        let (handle, callID) = perform { phone, now in
            let handle = phone.call(uri, session: offer.bytes, now: now)
            return (handle, phone.callID(of: handle) ?? ByteString())
        }
        let call = VoiceCall(
            number: newCallNumber(),
            handle: handle,
            isIncoming: false,
            peer: uri,
            callID: callID,
            sessionID: sessionID,
            at: loop.time.monotonic
        )
        call.audio = audio
        call.offer = offer
        calls.append(call)
        tell(.calling(call: call.number, to: uri, callID: callID))
        return call.number
    }

    /// Answers a call; where its sound is none that can be had, it is refused with 488.
    public func answer(_ number: Int) {
        guard let call = call(number), call.isIncoming, call.answeredAt == nil else { return }
        do throws(VoiceError) {
            let session = try call.early.isEmpty ? offer(in: call) : answer(call.early, in: call)
            call.answeredAt = loop.time.monotonic
            tell(.answered(call: number, after: loop.time.monotonic - call.began, isIncoming: true))
            perform { $0.answer(call.handle, session: session, now: $1) }
        } catch {
            tell(.trouble(call: number, error.description))
            reject(number, status: 488)
        }
    }

    /// Puts a call on hold, or takes it back (RFC 3264 section 8.4).
    ///
    /// - Returns: whether the other side was asked, and answers by `changed`.
    @discardableResult
    public func hold(_ number: Int, _ isHeld: Bool) -> Bool {
        guard let call = call(number), call.answeredAt != nil, call.offer == nil else { return false }
        guard let session = try? offer(in: call, direction: isHeld ? .sendonly : .sendrecv) else { return false }
        let isAsked = perform { $0.offer(session, in: call.handle, now: $1) }
        if !isAsked { call.offer = nil }
        return isAsked
    }

    /// The other side answers what was offered.
    func takeAnswer(_ session: [UInt8], _ call: VoiceCall) {
        guard let offer = call.offer else { return }
        call.offer = nil
        do {
            try run(try AudioAgreement(offer: offer, answer: SessionDescription(session)), call)
        } catch {
            // Without sound a call is of no use (RFC 3261 section 13.2.2.4).
            tell(.trouble(call: call.number, "\(error)"))
            hangUp(call.number)
        }
    }

    /// The other side offers something within a call; without a description it wants our offer.
    func takeOffer(_ session: [UInt8], _ call: VoiceCall) {
        do throws(VoiceError) {
            let answer = try session.isEmpty ? offer(in: call) : answer(session, in: call)
            perform { $0.accept(offerIn: call.handle, session: answer, now: $1) }
        } catch {
            tell(.trouble(call: call.number, error.description))
            perform { $0.refuse(offerIn: call.handle, status: 488, now: $1) }
        }
    }

    /// Writes an offer, and notes it.
    private func offer(in call: VoiceCall, direction: MediaDirection = .sendrecv) throws(VoiceError) -> [UInt8] {
        let address = try audioAddress(of: call)
        let offer = SessionDescription.audioOffer(
            receivingAt: address,
            origin: call.nextOrigin(address),
            direction: settings.hasAudio ? direction : .inactive
        )
        call.offer = offer
        return offer.bytes
    }

    /// Answers an offer, and begins or changes the sound.
    private func answer(_ session: [UInt8], in call: VoiceCall) throws(VoiceError) -> [UInt8] {
        do {
            let address = try audioAddress(of: call)
            let (answer, agreement) = try SessionDescription(session).audioAnswer(
                receivingAt: address,
                origin: call.nextOrigin(address),
                direction: settings.hasAudio ? .sendrecv : .inactive
            )
            try run(agreement, call)
            return answer.bytes
        } catch let error as VoiceError {
            throw error
        } catch {
            throw .noSession("\(error)")
        }
    }

    private func run(_ agreement: AudioAgreement, _ call: VoiceCall) throws(MediaError) {
        guard let audio = call.audio else { return }
        try audio.run(agreement)
        // The other side sends nothing any more, or again.
        let isHeld = !agreement.direction.sends
        if isHeld != call.isHeldByPeer {
            call.isHeldByPeer = isHeld
            tell(.held(call: call.number, isHeld))
        }
        listen()
    }

    /// Where the sound of a call is received; a call's first need of it takes a port.
    private func audioAddress(of call: VoiceCall) throws(VoiceError) -> SocketAddress {
        if let audio = call.audio { return audio.local }
        let (audio, address) = try makeAudio(tone: CallTone.calleeAlone)
        call.audio = audio
        return address
    }

    /// Takes a port for sound on the address that the server is reached from.
    private func makeAudio(tone: Double) throws(VoiceError) -> (AudioSession?, SocketAddress) {
        let infos = driver.flows(of: number).compactMap { carrier.info(of: $0) }
        guard let local = infos.first?.local else { throw .notRegistered }
        // Port 9 takes what is sent, and does nothing with it (RFC 863).
        guard settings.hasAudio else { return (nil, SocketAddress(high: local.high, low: local.low, port: 9)) }
        var audio = settings.audio
        audio.tone = tone
        audio.tones = CallTone.all
        do throws(MediaError) {
            let session = try AudioSession(on: local, settings: audio)
            return (session, session.local)
        } catch {
            throw .noAudio(error)
        }
    }
}

/// Why there can be no call.
public enum VoiceError: Error, Sendable, CustomStringConvertible {
    /// There is no way to the server.
    case notRegistered
    /// There is no port or thread for its sound.
    case noAudio(MediaError)
    /// What the other side offers can't be answered.
    case noSession(String)

    /// A sentence with the mend.
    public var description: String {
        switch self {
        case .notRegistered: "the phone is not registered; wait until it is"
        case .noAudio(let error): "there can be no sound: \(error)"
        case .noSession(let reason): reason
        }
    }
}

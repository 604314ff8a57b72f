import SIP

@testable import Signaling

/// What a row of a table of RFC 3261 section 17 expects, written short.
func effects(
    deliver: Bool = false,
    resend: Bool = false,
    acknowledge: Bool = false,
    timedOut: Bool = false,
    retransmission: TransactionEffects.TimerChange = .keep,
    lifetime: TransactionEffects.TimerChange = .keep,
    terminated: Bool = false
) -> TransactionEffects {
    var effects = TransactionEffects()
    effects.deliver = deliver
    effects.resend = resend
    effects.acknowledge = acknowledge
    effects.timedOut = timedOut
    effects.retransmission = terminated && retransmission == .keep ? .cancel : retransmission
    effects.lifetime = terminated && lifetime == .keep ? .cancel : lifetime
    effects.isTerminated = terminated
    return effects
}

let halfSecond = TransactionEffects.TimerChange.arm(.milliseconds(500))
let oneSecond = TransactionEffects.TimerChange.arm(.seconds(1))
let thirtyTwo = TransactionEffects.TimerChange.arm(.seconds(32))
let t4 = TransactionEffects.TimerChange.arm(.seconds(5))

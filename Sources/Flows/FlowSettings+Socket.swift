import Glibc
import SIP

extension FlowSettings {
    /// Sets what every socket that carries signaling needs, be it for a flow or a listener.
    ///
    /// - Returns: false with `errno` when the kernel refuses.
    func apply(to descriptor: Int32, family: Int32) -> Bool {
        let trafficClass = Int32(dscp & 63) << 2
        let timeout = Int32(clamping: max(userTimeout.milliseconds, 0))
        return setOption(descriptor, Int(IPPROTO_TCP), TCP_NODELAY, 1)
            && setOption(descriptor, Int(IPPROTO_TCP), TCP_USER_TIMEOUT, timeout)
            && (family == AF_INET6
                ? setOption(descriptor, Int(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
                : setOption(descriptor, Int(IPPROTO_IP), IP_TOS, trafficClass))
    }
}

/// Sets a socket option that is a number.
///
/// - Returns: false with `errno` when the kernel refuses.
func setOption(_ descriptor: Int32, _ level: Int, _ option: Int32, _ value: Int32) -> Bool {
    var value = value
    return setsockopt(descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
}

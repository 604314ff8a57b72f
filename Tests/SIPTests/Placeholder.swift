import Testing

@testable import SIP

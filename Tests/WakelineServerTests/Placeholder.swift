import Testing

@testable import WakelineServer

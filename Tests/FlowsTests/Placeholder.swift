import Testing

@testable import Flows

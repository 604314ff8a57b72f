import SIP
import TestSupport

/// Reads all of a message, and writes it again.
func runMessage(_ input: [UInt8]) {
    let message = Message(input)
    let reader = MessageReader(message)
    promise(reader.strays.isEmpty, "\(reader.strays)")
    var written: [UInt8] = []
    MessageEdits().apply(to: message, &written)
    promise(written == Array(message.bytes[..<message.body.upperBound]), "writing changed what was read")
    let again = Message(written)
    promise(again.fault == message.fault && again.method == message.method, "reading again gave something else")
    promise(
        again.fields.map(\.value) == message.fields.map(\.value) && again.body == message.body,
        "reading again gave other fields"
    )
}

/// Why a value can't be taken, and what would be.
struct ValueFault: Error, Equatable {
    var what: String
    var mend: String

    init(_ what: String, mend: String) {
        self.what = what
        self.mend = mend
    }
}

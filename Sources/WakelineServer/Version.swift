/// The version of this program.
public enum Version {
    /// As `wakeline --version` prints it.
    public static let current = "0.1.0"
}

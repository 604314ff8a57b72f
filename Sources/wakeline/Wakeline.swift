@main
enum Wakeline {
    static func main() {}
}

import Testing

@testable import LoadGenerator

@Suite("The page of a load") struct PageTests {
    /// The names of the tags of a page, each closed as it should be; nil where one is not.
    private func elements(_ page: String) -> [String]? {
        var open: [String] = []
        var all: [String] = []
        var rest = page[...]
        while let begin = rest.firstIndex(of: "<") {
            guard let end = rest[begin...].firstIndex(of: ">") else { return nil }
            let inside = rest[rest.index(after: begin)..<end]
            rest = rest[rest.index(after: end)...]
            let name = String(inside.prefix { $0 != " " && $0 != "/" || inside.first == "/" }.filter { $0 != "/" })
            if inside.first == "!" || name == "meta" || inside.last == "/" { continue }
            if inside.first == "/" {
                guard open.popLast() == name else { return nil }
            } else {
                open.append(name)
                all.append(name)
            }
        }
        return open.isEmpty && !rest.contains(">") ? all : nil
    }

    @Test("is well-formed, and shows what failed and which level was missed")
    func page() throws {
        let levels = [try ServiceLevel("registered=100%"), try ServiceLevel("call.p99<1s")]
        let page = LoadPage(FiguresTests.figures(), LoadPlan(), levels).html
        let tags = try #require(elements(page))
        #expect(tags.count { $0 == "svg" } == 4)
        #expect(page.contains("a &lt;strange&gt; &amp; "))
        #expect(page.contains("registered=100%: missed, it was 90 of 100"))
        #expect(page.contains("call.p99&lt;1s: reached"))
    }

    @Test("is well-formed without a single figure")
    func empty() {
        let page = LoadPage(LoadFigures(), LoadPlan(), []).html
        #expect(elements(page) != nil)
        #expect(!page.contains("nan") && !page.contains("inf"))
    }
}

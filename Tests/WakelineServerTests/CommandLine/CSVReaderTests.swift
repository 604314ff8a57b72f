import SIP
import Storage
import Testing

@testable import WakelineServer

@Suite("Comma-separated values")
struct CSVReaderTests {
    func rows(_ text: String) -> [String] {
        CSVReader(Array(text.utf8)).map { row in
            let fields = row.fields.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
            return "\(row.line):\(fields)" + (row.fault == nil ? "" : "!")
        }
    }

    @Test(
        "rows are read as RFC 4180 has them",
        arguments: [
            ("", []),
            ("\n\r\n\n", []),
            ("a,b", ["1:a|b"]),
            ("a,b\n", ["1:a|b"]),
            ("a,b\r\nc,d\r\n", ["1:a|b", "2:c|d"]),
            ("\u{feff}a\nb", ["1:a", "2:b"]),
            (",\n,,", ["1:|", "2:||"]),
            ("\"a,b\",\"c \"\"d\"\"\"", ["1:a,b|c \"d\""]),
            ("\"two\nlines\",x\ny,z", ["1:two\nlines|x", "3:y|z"]),
            ("\"\",x", ["1:|x"]),
            ("a\"b,c", ["1:a\"b|c"]),
            ("\"a\"b,c\nd,e", ["1:ab|c!", "2:d|e"]),
            ("\"\"b,c", ["1:b|c!"]),
            ("a,\"open\nb,c\n", ["1:a|open\nb,c\n!"]),
            ("a\rb,c", ["1:a\rb|c"]),
            ("a,b\r", ["1:a|b"]),
        ]
    )
    func reading(text: String, expected: [String]) {
        #expect(rows(text) == expected)
    }

    func problems(_ text: String) -> [String] {
        AccountFile(Array(text.utf8)).problems.map { "\($0.line): \($0.what)" }
    }

    @Test("every bad row of an account file is named by its line")
    func badRows() {
        let text = """
            address,password
            a@x,1
            b,2
            c@x,
            d@x,3,4
            "e@x"f,5
            A@X,6
            a@X,7
            """
        #expect(
            problems(text) == [
                "3: b: an address has exactly one @; write it as user@domain",
                "4: the password is empty",
                "5: 3 fields instead of 2; quote what has a comma",
                "6: there is something behind the closing quote; write \"\" for a quote within quotes",
                "8: a@x is in line 2 already; keep one of the two",
            ]
        )
    }

    @Test("columns are known by their names, in any order")
    func columns() {
        let file = AccountFile(Array("Password, address ,digest\np,a@x,MD5\nq,b@x,\nr,c@x,\"sha-256, md5\"\n".utf8))
        #expect(file.problems.isEmpty)
        #expect(file.rows.map(\.address.description) == ["a@x", "b@x", "c@x"])
        #expect(file.rows.map { String(decoding: $0.password, as: UTF8.self) } == ["p", "q", "r"])
        #expect(file.rows.map(\.digest) == [[.md5], nil, [.sha256, .md5]])
        for text in ["", "a@x,p\n", "address\na@x", "address,password,name\n", "address,address,password\n"] {
            #expect(problems(text).count == 1)
        }
        #expect(problems("address,password,digest\na@x,p,SHA-1").count == 1)
    }
}

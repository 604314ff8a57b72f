// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: warnings are errors, and the stricter rules of coming language modes hold now.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // Exclusivity is checked at run time in debug builds, and so in all tests; in release builds that costs 8 %. Functions
    // have sections of their own, so that the linker can put together what runs together.
    .unsafeFlags(
        ["-cross-module-optimization", "-enforce-exclusivity=unchecked", "-Xfrontend", "-function-sections"],
        .when(configuration: .release)
    ),
]

/// Executables carry the standard library with them: one file to install, and calls into it cost less.
let standalone: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]

/// What messages run through lies together in the server (`Scripts/bench --order`); names that are gone are passed over.
let ordered: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--no-warn-symbol-ordering", "-Xlinker",
            "--symbol-ordering-file=\(Context.packageDirectory)/Sources/wakeline/hot-functions.txt",
        ],
        .when(configuration: .release)
    )
]

/// The pure targets promise more: nothing unsafe without its mark.
let pure = common + [.strictMemorySafety()]

/// What the fuzzers feed is built with their engine on demand (`Scripts/fuzz`), and otherwise into the tests, which replay
/// the corpus: the same sources, so one at a time.
let fuzzing: Target =
    Context.environment["WAKELINE_FUZZ"] == nil
    ? .testTarget(
        name: "CorpusTests",
        dependencies: ["SIP", "Signaling", "TestSupport"],
        path: "Fuzz",
        exclude: ["Corpus", "Driver"],
        swiftSettings: common
    )
    : .executableTarget(
        name: "Fuzz",
        dependencies: ["SIP", "Signaling", "TestSupport"],
        path: "Fuzz",
        exclude: ["Corpus", "Replay"],
        swiftSettings: common
    )

let package = Package(
    name: "wakeline",
    products: [
        .executable(name: "wakeline", targets: ["wakeline"]),
        .library(name: "PhoneKit", targets: ["PhoneKit"]),
    ],
    targets: [
        fuzzing,

        .systemLibrary(name: "CLibevent"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CYAML"),
        .target(name: "CPlatform"),

        .target(name: "SIP", swiftSettings: pure),
        .target(name: "Signaling", dependencies: ["SIP"], swiftSettings: pure),
        .target(name: "PhoneKit", dependencies: ["SIP"], swiftSettings: pure),
        .target(name: "Simulator", dependencies: ["SIP", "Signaling", "PhoneKit"], swiftSettings: pure),
        .target(
            name: "LoadGenerator",
            dependencies: ["SIP", "PhoneKit", "Softphone", "Flows", "Reactor", "Observability"],
            swiftSettings: common
        ),

        .target(name: "Locking", swiftSettings: common),
        .target(name: "Observability", dependencies: ["Locking", "CPlatform"], swiftSettings: common),
        .target(name: "Reactor", dependencies: ["CLibevent", "Locking", "CPlatform"], swiftSettings: common),
        .target(
            name: "Flows",
            dependencies: ["SIP", "Reactor", "Observability", "CPlatform"],
            swiftSettings: common
        ),
        .target(name: "Media", dependencies: ["SIP", "Observability", "Locking"], swiftSettings: common),
        .target(
            name: "Softphone",
            dependencies: ["PhoneKit", "Flows", "Reactor", "Media", "SIP", "Observability"],
            swiftSettings: common
        ),
        .target(
            name: "Storage",
            dependencies: ["CSQLite", "Observability", "Locking", "CPlatform"],
            swiftSettings: common
        ),
        .target(
            name: "WakelineServer",
            dependencies: [
                "SIP", "Signaling", "Reactor", "Flows", "Storage", "Observability", "COpenSSL", "CYAML", "CPlatform",
            ],
            swiftSettings: common
        ),
        .target(name: "CAllocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["SIP", "Signaling", "WakelineServer", "CAllocations"],
            swiftSettings: common,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "wakeline",
            dependencies: [
                "WakelineServer", "Observability", "Reactor", "SIP", "PhoneKit", "Softphone", "Simulator",
                "LoadGenerator", "Flows",
            ],
            exclude: ["hot-functions.txt"],
            swiftSettings: common,
            linkerSettings: standalone + ordered
        ),

        .target(
            name: "TestSupport",
            dependencies: ["SIP", "COpenSSL"],
            path: "Tests/TestSupport",
            swiftSettings: common
        ),
        .testTarget(
            name: "SIPTests",
            dependencies: ["SIP", "TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: common
        ),
        .testTarget(
            name: "SignalingTests",
            dependencies: ["Signaling", "SIP", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(
            name: "SimulatorTests",
            dependencies: ["Simulator", "PhoneKit", "Signaling", "SIP", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(
            name: "FlowsTests",
            dependencies: ["Flows", "Reactor", "SIP", "Observability", "Locking", "CPlatform"],
            swiftSettings: common
        ),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: ["LoadGenerator", "PhoneKit", "Flows", "Reactor", "SIP", "Observability", "TestSupport"],
            swiftSettings: common
        ),
        .testTarget(name: "MediaTests", dependencies: ["Media", "SIP", "TestSupport"], swiftSettings: common),
        .testTarget(name: "PhoneKitTests", dependencies: ["PhoneKit", "SIP", "TestSupport"], swiftSettings: common),
        .testTarget(
            name: "SoftphoneTests",
            dependencies: [
                "Softphone", "PhoneKit", "Flows", "Reactor", "Media", "SIP", "Signaling", "Observability",
                "TestSupport",
            ],
            swiftSettings: common
        ),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Storage", "Observability", "Locking", "CSQLite", "CPlatform"],
            swiftSettings: common
        ),
        .testTarget(name: "ObservabilityTests", dependencies: ["Observability", "Locking"], swiftSettings: common),
        .testTarget(
            name: "WakelineServerTests",
            dependencies: ["WakelineServer", "SIP", "Signaling", "Flows", "Storage", "Observability", "Locking"],
            swiftSettings: common
        ),
    ]
)

import Foundation
import TestSupport
import Testing

/// The tests and scripts that the guide page *What it survives* names.
@Suite(.slow) struct SurvivalPageTests {
    @Test func everyTestAndScriptOnThePageExists() throws {
        let repository = Command.repository
        let page = try String(
            contentsOf: repository.appending(path: "Sources/Program/Daemon/Daemon.docc/WhatItSurvives.md"),
            encoding: .utf8)
        let named = Set(page.matches(of: /[A-Z][A-Za-z]+Tests/).map { String($0.output) })
        let scripts = Set(page.matches(of: /\.ci\/[a-z\-]+/).map { String($0.output) })
        #expect(named.count > 10)
        #expect(scripts.count > 2)
        var sources = ""
        let files = FileManager.default.enumerator(atPath: repository.appending(path: "Tests").path)
        while let file = files?.nextObject() as? String {
            guard file.hasSuffix("Tests.swift") else { continue }
            sources += try String(contentsOf: repository.appending(path: "Tests/\(file)"), encoding: .utf8)
        }
        for name in named { #expect(sources.contains("struct \(name) "), "\(name)") }
        for script in scripts {
            #expect(FileManager.default.isExecutableFile(atPath: repository.appending(path: script).path), "\(script)")
        }
    }
}

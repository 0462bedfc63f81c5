import EventLoop
import Foundation
import JSEngine
import Synchronization
import TestSupport
import Testing

/// Whatever a path says, nothing outside the folder is read, changed or told of.
@Suite struct HostilePaths {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Every port that takes a path, with `path` in each place that it has one.
    private let everyCall = """
        const everyCall = path => [["fs_stat", path], ["fs_lstat", path], ["fs_readdir", path], ["fs_readFile", path],
            ["fs_mkdir", path], ["fs_mkdir", path, true], ["fs_rmdir", path], ["fs_rmdir", path, true],
            ["fs_unlink", path], ["fs_rename", path, "x"], ["fs_rename", "a", path], ["fs_open", path, "r"],
            ["fs_open", path, "w"], ["fs_open", path, "ax+"], ["fs_writeFile", path, bytes("evil")],
            ["fs_writeFile", path, bytes("evil"), "wx"], ["fs_appendFile", path, bytes("evil")], ["fs_truncate", path, 0],
            ["fs_copyFile", path, "x"], ["fs_copyFile", "a", path, true], ["fs_copyFile", "a", path],
            ["fs_symlink", "a", path], ["fs_readlink", path], ["assets_readBytes", false, path]];
        """

    @Test func refusesPathsThatCouldLeaveByAnyPort() throws {
        try folder.write("fs/a", "a")
        let result = try onPorts(
            folder,
            """
            \(everyCall)
            const results = new Set();
            for (const path of ["..", "../outside/secret", "a/..", "a/../a", "./..", "/", "/etc/passwd", "//", "a//a", "a/",
                "", "a\\0b", "\\0", "..\\0", "../\\u0301outside", "x/\\u0301../../../outside/secret"]) {
                for (const call of everyCall(path)) {
                    results.add(await port(...call).then(() => `${call} worked`,
                        e => `${e.code} ${e.opNotPermitted} ${e.path === path}`));
                }
            }
            return [...results, await port("fs_readdir", "."), text(await port("fs_readFile", "a"))];
            """)
        #expect(result == #"["EPERM true true",["a"],"a"]"#)
        #expect(try folder.text("outside/secret") == "secret")
    }

    @Test func refusesLinksThatLeaveByEveryPortThatFollows() throws {
        try folder.write("fs/a", "a")
        try folder.link("fs/folder", to: "../outside")
        try folder.link("fs/absolute", to: "\(folder.path)/outside")
        try folder.link("fs/root", to: "/")
        try folder.link("fs/back", to: "../fs")
        let result = try onPorts(
            folder,
            """
            \(everyCall)
            const results = [];
            for (const path of ["folder/secret", "absolute/secret", "absolute/new", "root/etc", "back/a"]) {
                const found = await Promise.all(everyCall(path).filter(([name]) => name.startsWith("fs_"))
                    .map(call => failure(port(...call))));
                results.push(...new Set(found));
            }
            return results;
            """)
        let refused = ["folder/secret", "absolute/secret", "absolute/new", "root/etc", "back/a"]
        #expect(result == "[" + refused.map { "\"file EPERM \($0) opNotPermitted\"" }.joined(separator: ",") + "]")
        #expect(try folder.text("outside/secret") == "secret")
        #expect(!folder.exists("outside/new"))
    }

    @Test func refusesALastLinkThatLeaves() throws {
        try folder.link("fs/link", to: "../outside/secret")
        try folder.link("fs/new", to: "../outside/new")
        let result = try onPorts(
            folder,
            """
            const results = [];
            for (const call of [["fs_stat", "link"], ["fs_readFile", "link"], ["fs_open", "link", "r+"],
                ["fs_open", "new", "w"], ["fs_writeFile", "new", bytes("x")], ["fs_writeFile", "link", bytes("x")],
                ["fs_mkdir", "new", true], ["fs_appendFile", "new", bytes("x")], ["fs_truncate", "link", 0],
                ["fs_copyFile", "link", "x"], ["fs_lstat", "link"]]) {
                results.push((await failure(port(...call))).split(" ")[1] ?? "none");
            }
            return [results.join(" "), await failure(port("fs_writeFile", "new", bytes("x"), "wx"))];
            """)
        #expect(
            result
                == #"["EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM none","file EEXIST new alreadyExists"]"#
        )
        #expect(try folder.text("outside/secret") == "secret")
        #expect(!folder.exists("outside/new"))
    }

    @Test func followsLinksThatStayInside() throws {
        try folder.folder("fs/real")
        try folder.write("fs/real/a", "a")
        try folder.link("fs/link", to: "real")
        try folder.folder("fs/deep")
        try folder.link("fs/deep/up", to: "../real/a")
        let result = try onPorts(
            folder,
            """
            await port("fs_writeFile", "link/b", bytes("b"));
            await port("fs_mkdir", "link/c/d", true);
            return [text(await port("fs_readFile", "deep/up")), (await port("fs_readdir", "real")).sort()];
            """)
        #expect(result == #"["a",["a","b","c"]]"#)
    }

    @Test func refusesPathsThatAreTooLong() throws {
        let result = try onPorts(
            folder,
            """
            const long = "a/".repeat(2048).slice(0, 4095);
            const e = await port("fs_readFile", long + "a").catch(e => e);
            return [(await failure(port("fs_stat", long))).split(" ")[1], e.code, e.path.length,
                await failure(port("fs_mkdir", "b".repeat(255))), (await port("fs_readdir", "."))[0].length];
            """)
        #expect(result == #"["ENOENT","ENAMETOOLONG",4096,"none",255]"#)
    }

    /// A thread turns `swap` between a folder inside and one outside while it is used in every way.
    @Test func isNotFooledByALinkThatChangesMeanwhile() throws {
        try folder.folder("fs/inside")
        try folder.write("fs/inside/secret", "inside")
        try folder.link("fs/swap", to: "inside")
        let swapper = Swapper(in: "\(folder.path)/fs")
        let thread = try EventLoop.Thread { swapper.run() }
        let outcome = Result {
            try onPorts(
                folder,
                """
                const seen = new Set();
                for (let i = 0; i < 400; i += 1) {
                    seen.add(await port("fs_readFile", "swap/secret").then(text, e => e.code));
                    await Promise.all([port("fs_writeFile", "swap/new", bytes("x")),
                        port("fs_appendFile", "swap/new", bytes("y")), port("fs_truncate", "swap/new", 0),
                        port("fs_symlink", "secret", "swap/link"), port("fs_readlink", "swap/link"),
                        port("fs_copyFile", "swap/secret", "copy", true),
                        port("fs_copyFile", "copy", "swap/copied", true),
                        port("fs_open", "swap/handle", "w+").then(async fd => {
                            await port("fh_write", fd, bytes("z"), 0);
                            await port("fh_truncate", fd, 0);
                            await port("fh_close", fd);
                        }),
                        port("fs_mkdir", "swap/made", true), port("fs_rename", "swap/made", "swap/moved"),
                        port("fs_rmdir", "swap/moved", true), port("fs_unlink", "swap/new"),
                        port("fs_unlink", "swap/link")]
                        .map(call => call.catch(e => seen.add(e.code))));
                }
                seen.add(text(await port("fs_readFile", "copy")));
                const expected = ["inside", "EPERM", "ENOENT", "EEXIST", "ENOTEMPTY"];
                return [...seen].filter(item => !expected.includes(item));
                """)
        }
        swapper.stop()
        thread.join()
        #expect(try outcome.get() == "[]")
        #expect(swapper.swaps.load(ordering: .relaxed) > 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/outside") == ["secret"])
        #expect(try folder.text("outside/secret") == "secret")
    }
}

private final class Swapper: Sendable {
    private let folder: String
    private let isOver = Atomic(false)
    let swaps = Atomic(0)

    init(in folder: String) { self.folder = folder }

    func stop() { isOver.store(true, ordering: .relaxed) }

    func run() {
        repeat {
            for target in ["../outside", "inside"] {
                symlink(target, "\(folder)/next")
                rename("\(folder)/next", "\(folder)/swap")
                swaps.add(1, ordering: .relaxed)
            }
        } while !isOver.load(ordering: .relaxed)
    }
}

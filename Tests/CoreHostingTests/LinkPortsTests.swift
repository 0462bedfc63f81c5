import Glibc
import Testing

@Suite struct LinkPorts {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func makesAndReadsLinks() throws {
        let result = try onDeviceFs(
            folder,
            """
            await fs.mkdir("d/e", { recursive: true });
            await fs.writeFile("d/a", "in d");
            await fs.symlink("a", "d/beside");
            await fs.symlink("../a", "d/e/above");
            await fs.symlink("d/./e/..", "dotted");
            await fs.symlink("not/yet", "dangling");
            await fs.symlink("ž".repeat(100), "žluť");
            return [await fs.readlink("d/beside"), await fs.readFile("d/beside", "utf8"),
                await fs.readFile("d/e/above", { encoding: "utf8" }), (await fs.readdir("dotted")).sort(),
                await fs.readlink("dangling"), await failure(fs.stat("dangling")),
                await fs.readlink("žluť") === "ž".repeat(100), (await fs.lstat("žluť")).isSymbolicLink(),
                await failure(fs.symlink("a", "dangling")), await failure(fs.symlink("a", "none/link")),
                await failure(fs.readlink("d")), await failure(fs.readlink("none")), await failure(fs.readlink("."))];
            """)
        #expect(
            result == #"["a","in d","in d",["a","beside","e"],"not/yet","file ENOENT dangling notFound",true,true,"#
                + #""file EEXIST dangling alreadyExists","file ENOENT none/link notFound","file EINVAL d","#
                + #""file ENOENT none notFound","file EINVAL ."]"#)
    }

    @Test func refusesTargetsThatWouldLeave() throws {
        try folder.folder("fs/d")
        let result = try onDeviceFs(
            folder,
            #"""
            const targets = ["/", "/etc/passwd", "..", "../outside", "a/../..", "a/../../fs", "", "a//b", "a/", "a\0",
                "./.."];
            const results = new Set();
            for (const target of targets) { results.add(await failure(fs.symlink(target, "link"))); }
            results.add(await failure(fs.symlink("../../outside/secret", "d/link")));
            results.add(await failure(fs.symlink("x/".repeat(2047) + "xy", "link")));
            return [...results, await fs.readdir("."), await fs.readdir("d")];
            """#)
        #expect(
            result == #"["file EPERM link opNotPermitted","file EPERM d/link opNotPermitted","file ENAMETOOLONG link","#
                + #"["d"],[]]"#)
    }

    /// Inside by its names, outside by a link on the way: nothing that follows it leaves.
    @Test func aLinkThatLeavesOnlyThroughAnotherLeadsNowhere() throws {
        let result = try onDeviceFs(
            folder,
            """
            await fs.mkdir("a/b", { recursive: true });
            await fs.symlink("../..", "a/b/root");
            await fs.symlink("a/b/root/../outside/secret", "link");
            await fs.symlink("a/b/root", "top");
            return [await failure(fs.stat("link")), await failure(fs.readFile("link")),
                await failure(fs.writeFile("link", "x")), (await fs.readdir("top")).sort()];
            """)
        let refused = #""file EPERM link opNotPermitted""#
        #expect(result == "[\(refused),\(refused),\(refused),[\"a\",\"link\",\"top\"]]")
        #expect(try folder.text("outside/secret") == "secret")
    }

    /// What somebody else has made is shown as it is, and leads nowhere.
    @Test func readsALinkThatLeavesAndDoesNotFollowIt() throws {
        try folder.link("fs/out", to: "../outside/secret")
        let result = try onDeviceFs(
            folder, #"return [await fs.readlink("out"), await failure(fs.readFile("out"))];"#)
        #expect(result == #"["../outside/secret","file EPERM out opNotPermitted"]"#)
    }

    @Test func endsLoopsOfLinks() throws {
        let result = try onDeviceFs(
            folder,
            """
            await fs.symlink("b", "a");
            await fs.symlink("a", "b");
            await fs.symlink("self/self", "self");
            for (let i = 0; i < 41; i += 1) { await fs.symlink(`chain${i + 1}`, `chain${i}`); }
            await fs.writeFile("chain41", "end");
            const results = [];
            for (const call of [["stat", "a"], ["readFile", "b"], ["readdir", "self"], ["open", "a", "w"], ["truncate", "a", 0],
                ["appendFile", "a", "x"], ["copyFile", "a", "c", true], ["mkdir", "a/x"], ["stat", "chain0"]]) {
                results.push((await failure(fs[call[0]](...call.slice(1)))).split(" ")[1]);
            }
            return [[...new Set(results)], await fs.readFile("chain1", "utf8"), await fs.readlink("self")];
            """)
        #expect(result == #"[["ELOOP"],"end","self/self"]"#)
    }
}

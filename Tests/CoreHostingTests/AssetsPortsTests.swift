import CoreHosting
import Glibc
import Testing

@Suite struct AssetsPorts {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func readsRanges() throws {
        try folder.folder("apps/a.app")
        try folder.write("apps/a.app/manifest.json", "0123456789")
        let result = try onPorts(
            folder,
            """
            const read = (...range) => port("assets_readBytes", false, "a.app/manifest.json", ...range).then(text);
            return [await read(), await read(3), await read(3, 5), await read(undefined, 4), await read(null, null),
                await read(8, 1e12), await read(10), await read(4e15), await read(5, 5)];
            """)
        #expect(result == #"["0123456789","3456789","34","0123","0123456789","89","","",""]"#)
    }

    @Test func listsByName() throws {
        for name in ["b", "a", "B"] { try folder.folder("apps/\(name)") }
        try folder.write("apps/file", "123")
        try folder.link("apps/inside", to: "b")
        try folder.link("apps/outside", to: "../outside")
        try folder.link("apps/nowhere", to: "none")
        let result = try onPorts(
            folder,
            """
            const entries = await port("assets_listFolder", false, "");
            return [entries.map(e => `${e.name} ${e.isFolder} ${e.size}`), Object.keys(entries[0]),
                entries.filter(e => e.problem).map(e => `${e.name}: ${e.problem}`),
                await port("assets_listFolder", false, "inside"), await failure(port("assets_listFolder", false, "outside")),
                await failure(port("assets_readBytes", false, "outside/secret")),
                await failure(port("assets_readBytes", false, "nowhere"))];
            """)
        #expect(
            result == #"[["B true 0","a true 0","b true 0","file false 3","inside true 0","nowhere false 0","#
                + #""outside false 0"],["name","isFolder","size"],"#
                + #"["nowhere: No such file or directory","outside: leaves the folder through a link; name a path inside it"],"#
                + #"[],"file EPERM outside opNotPermitted","#
                + #""file EPERM outside/secret opNotPermitted","file ENOENT nowhere notFound"]"#)
    }

    @Test func readsPacksAsApps() throws {
        try folder.folder("packs")
        try folder.folder("packs/a.app")
        try folder.write("packs/a.app/pack.zip", "0123456789")
        let result = try onPorts(
            folder,
            """
            return [await port("assets_listFolder", true, ""), await port("assets_listFolder", true, "a.app"),
                text(await port("assets_readBytes", true, "a.app/pack.zip", 4, 20)),
                await failure(port("assets_readBytes", false, "a.app/pack.zip"))];
            """)
        #expect(
            result == #"[[{"name":"a.app","isFolder":true,"size":0}],"#
                + #"[{"name":"pack.zip","isFolder":false,"size":10}],"456789","#
                + #""file ENOENT a.app/pack.zip notFound"]"#)
    }

    @Test func tellsWhatIsWrong() throws {
        try folder.write("apps/file", "123")
        _ = mkfifo("\(folder.path)/apps/pipe", 0o600)
        let result = try onPorts(
            folder,
            """
            return [await failure(port("assets_readBytes", false, "none")), await failure(port("assets_readBytes", false, ".")),
                await failure(port("assets_readBytes", false, "file/x")), await failure(port("assets_readBytes", false, "pipe")),
                await failure(port("assets_listFolder", false, "file")), await failure(port("assets_listFolder", true, "")),
                (await port("assets_readBytes", true, "x").catch(e => e)).message];
            """)
        #expect(
            result == #"["file ENOENT none notFound","file EISDIR . isDirectory","file ENOTDIR file/x notDirectory","#
                + #""file ENOTFILE pipe notFile","file ENOTDIR file notDirectory","file ENOENT  notFound","#
                + "\"x: the folder \(folder.path)/packs cannot be opened: No such file or directory (ENOENT)\"]")
    }

    @Test func refusesBadArguments() throws {
        try folder.write("apps/file", "123")
        let result = try onPorts(
            folder,
            """
            const results = [];
            for (const call of [["assets_readBytes", "no", "file"], ["assets_readBytes", false],
                ["assets_readBytes", false, "file", -1], ["assets_readBytes", false, "file", 0, 1.5],
                ["assets_readBytes", false, "file", 3, 2], ["assets_listFolder", false], ["assets_listFolder"]]) {
                results.push(await port(...call).catch(e => e.badArgument === true && e.message));
            }
            return results;
            """)
        let messages = [
            #"assets_readBytes: fromPacks must be a boolean, not \"no\""#,
            "assets_readBytes: path must be a path as a string, not undefined",
            "assets_readBytes: start must be a whole number from 0 on, not -1",
            "assets_readBytes: end must be a whole number from 0 on, not 1.5",
            "assets_readBytes: start 3 is behind end 2",
            "assets_listFolder: path must be a path as a string, not undefined",
            "assets_listFolder: fromPacks must be a boolean, not undefined",
        ]
        #expect(result == "[" + messages.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    }

    @Test func readsAtMostSoMuchAtOnce() throws {
        try folder.write("apps/big", "")
        let size = AssetsInjectedFns.mostBytesRead + 1
        #expect(truncate("\(folder.path)/apps/big", size) == 0)
        let result = try onPorts(
            folder,
            """
            const read = (...range) => port("assets_readBytes", false, "big", ...range);
            return [(await read().catch(e => e)).message, (await read(1)).length, (await read(0, \(size - 1))).length];
            """)
        #expect(
            result == #"["assets_readBytes: big: 67108865 bytes were asked for, one call reads at most 67108864","#
                + "67108864,67108864]")
    }
}

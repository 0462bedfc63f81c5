import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

@Suite struct OpenFiles {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func writesInTheOrderOfTheCallsAndClosesBehindThem() throws {
        let result = try onPorts(
            folder,
            """
            const fd = await port("fs_open", "a", "wx");
            const calls = Array.from({ length: 200 }, (_, i) => port("fh_write", fd, bytes(`${i};`)));
            calls.push(port("fh_write", fd, bytes("first"), 0), port("fh_sync", fd), port("fh_close", fd));
            const counts = await Promise.all(calls);
            return [counts[0], counts[199], counts[200], text(await port("fs_readFile", "a"))];
            """)
        let numbers = (0..<200).map { "\($0);" }.joined()
        #expect(result == #"[2,4,5,"first"# + numbers.dropFirst(5) + "\"]")
    }

    @Test func aFileIsReplacedInOneStep() throws {
        let result = try onPorts(
            folder,
            """
            const outcome = (...args) => port("fs_replaceFile", ...args).then(() => "done", e => e.code);
            await port("fs_mkdir", "d");
            await port("fs_mkdir", "s");
            const results = [
                await outcome("d/new", bytes("one"), "s/x"), text(await port("fs_readFile", "d/new")),
                await outcome("d/new", bytes("two"), "s/x"), text(await port("fs_readFile", "d/new")),
                await outcome("d", bytes("a folder"), "s/x"), await outcome("none/new", bytes("no folder"), "s/x"),
                await outcome("d/new", bytes("no scratch folder"), "none/x"), await outcome("../e", bytes(""), "s/x"),
                await outcome("d/new", bytes(""), "../x"), await port("fs_readdir", "s"),
            ];
            await port("fs_writeFile", "s/taken", bytes("of somebody"));
            results.push(await outcome("d/new", bytes("three"), "s/taken"), text(await port("fs_readFile", "s/taken")),
                text(await port("fs_readFile", "d/new")), await port("fs_readdir", "d"));
            await port("fs_symlink", "new", "d/link");
            await port("fs_unlink", "s/taken");
            for (const name of ["d/new", "d/link", "d/folder/x", "d", "d/fresh"]) {
                results.push(await outcome(name, bytes("fresh"), "s/x", true));
            }
            results.push(text(await port("fs_readFile", "d/new")), text(await port("fs_readFile", "d/fresh")),
                await port("fs_readdir", "s"));
            const big = new Uint8Array(300000).fill(7);
            results.push(await outcome("d/big", big, "s/x"), (await port("fs_readFile", "d/big")).every(b => b === 7));
            return results;
            """)
        #expect(
            result
                == #"["done","one","done","two","EISDIR","ENOENT","ENOENT","EPERM","EPERM",[],"EEXIST","of somebody","two",["new"],"#
                + #""EEXIST","EEXIST","ENOENT","EEXIST","done","two","fresh",[],"done",true]"#
        )
    }

    @Test func aStartIsReadWithTheRestLeftOpen() throws {
        let result = try onPorts(
            folder,
            """
            await port("fs_writeFile", "f", bytes("0123456789"));
            const results = [];
            for (const size of [4, 10, 11]) {
                const buffer = new Uint8Array(size);
                const { count, fd } = await port("fs_readStart", "f", buffer);
                results.push(count, text(buffer.subarray(0, count)), fd > 0);
                if (fd) {
                    const rest = new Uint8Array(20);
                    const more = await port("fh_read", fd, rest, count);
                    results.push(text(rest.subarray(0, more)));
                    await port("fh_close", fd);
                }
            }
            await port("fs_mkdir", "d");
            for (const path of ["none", "d", "../f"]) {
                for (const size of [4, 0]) {
                    results.push(await port("fs_readStart", path, new Uint8Array(size)).then(() => "done", e => e.code));
                }
            }
            return results;
            """)
        #expect(
            result
                == #"[4,"0123",true,"456789",10,"0123456789",true,"",10,"0123456789",false,"ENOENT","ENOENT","EISDIR","EISDIR","EPERM","EPERM"]"#
        )
    }

    @Test func opensAsNodeDoes() throws {
        let result = try onPorts(
            folder,
            """
            const results = {};
            for (const flags of ["r", "rs", "r+", "rs+", "w", "wx", "w+", "wx+", "a", "ax", "as", "a+", "ax+", "as+"]) {
                await port("fs_writeFile", "old", bytes("1234"));
                const tryOne = async path => {
                    const fd = await port("fs_open", path, flags);
                    const count = await port("fh_write", fd, bytes("ab"), 0).catch(e => e.code);
                    await port("fh_close", fd);
                    return `${count}:${text(await port("fs_readFile", path))}`;
                };
                results[flags] = [await tryOne("old").catch(e => e.code), await tryOne("new").catch(e => e.code)].join(" ");
                await port("fs_unlink", "new").catch(() => {});
            }
            return results;
            """)
        let reading = "EBADF:1234 ENOENT"
        let exclusive = "EEXIST 2:ab"
        let expected = [
            "r": reading, "rs": reading, "r+": "2:ab34 ENOENT", "rs+": "2:ab34 ENOENT", "w": "2:ab 2:ab",
            "w+": "2:ab 2:ab", "wx": exclusive, "wx+": exclusive, "a": "2:1234ab 2:ab", "a+": "2:1234ab 2:ab",
            "as": "2:1234ab 2:ab", "as+": "2:1234ab 2:ab", "ax": exclusive, "ax+": exclusive,
        ]
        #expect(try JSONDecoder().decode([String: String].self, from: Data(result.utf8)) == expected)
    }

    @Test func syncsFoldersAndWritesNothingToThem() throws {
        let result = try onPorts(
            folder,
            """
            await port("fs_mkdir", "d");
            const results = [];
            for (const path of [".", "d"]) {
                const fd = await port("fs_open", path, "r");
                await port("fh_sync", fd);
                results.push(await failure(port("fh_write", fd, bytes("x"))));
                await port("fh_close", fd);
            }
            return results;
            """)
        #expect(result == #"["file EBADF .","file EBADF d"]"#)
    }

    @Test func knowsNumbersThatStandForNoOpenFile() throws {
        let result = try onPorts(
            folder,
            """
            const fd = await port("fs_open", "a", "w");
            const twice = [port("fh_close", fd), port("fh_close", fd)];
            const results = [await failure(twice[0]), await failure(twice[1])];
            for (const number of [fd, 0, 1, 2, 1e6]) {
                results.push(await failure(port("fh_write", number, bytes("x"))), await failure(port("fh_sync", number)));
            }
            const next = await port("fs_open", "a", "r");
            await port("fh_close", next);
            return [[...new Set(results)], next > fd, (await port("fh_close", fd).catch(e => e)).message];
            """)
        #expect(
            result == #"[["none","file EBADF "],true,"#
                + #""no open file has the number 3; it was closed or never opened (EBADF)"]"#)
    }

    @Test func leaksNoDescriptor() throws {
        let path = "\(folder.path)/fs/"
        let result = try withPorts(folder) { engine, fs in
            let before = descriptors(in: path)
            _ = try engine.settle(
                """
                (async () => {
                    for (let i = 0; i < 100; i += 1) {
                        const fds = await Promise.all(Array.from({ length: 10 }, (_, n) => port("fs_open", `f${n}`, "a")));
                        await Promise.all(fds.map(fd => port("fh_close", fd)));
                    }
                    for (let i = 0; i < 100; i += 1) {
                        await failure(port("fs_readFile", "f1/x"));
                        await port("fs_readFile", "f1");
                        await port("fs_readdir", ".");
                        await failure(port("fs_open", "f1", "wx"));
                    }
                })()
                """)
            let after = descriptors(in: path)
            _ = try engine.settle(#"Promise.all([port("fs_open", "f1", "r"), port("fs_open", "f2", "w")])"#)
            let open = descriptors(in: path)
            fs.close()
            return [after - before, open - before, descriptors(in: path) - before]
        }
        #expect(result == [0, 2, 0])
        #expect(descriptors(in: path) == 0)
    }

    /// The engine frees the bytes of a write that is under way, so closing has to wait for the worker.
    @Test func closesWhileWorkIsUnderWay() throws {
        for _ in 0..<5 {
            try withPorts(folder) { engine, fs in
                try engine.evaluate(
                    """
                    for (let i = 0; i < 12; i += 1) {
                        port("fs_writeFile", `big${i}`, new Uint8Array(4 << 20).fill(i));
                        port("fs_open", `small${i}`, "w").then(fd => port("fh_write", fd, bytes("x")));
                    }
                    """, sourceName: "test.js")
                fs.close()
            }
        }
        #expect(descriptors(in: "\(folder.path)/fs/") == 0)
    }

    @Test func keepsBytesThatOnlyAWriteStillHolds() throws {
        let result = try withPorts(folder) { engine, _ in
            try engine.evaluate(
                #"var done = port("fs_writeFile", "big", new Uint8Array(8 << 20).fill(7));"#, sourceName: "test.js")
            engine.collectNow()
            return try engine.settle(
                #"done.then(() => port("fs_readFile", "big")).then(b => [b.length, b.every(x => x === 7)])"#)
        }
        #expect(result == "[8388608,true]")
    }

    @Test func writesAndReadsBigFilesExactly() throws {
        let result = try onPorts(
            folder,
            """
            const big = new Uint8Array(64 << 20);
            const words = new Uint32Array(big.buffer);
            let seed = 2463534242;
            for (let i = 0; i < words.length; i += 1) {
                seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5;
                words[i] = seed;
            }
            await port("fs_writeFile", "one", big);
            const fd = await port("fs_open", "two", "wx");
            const half = (32 << 20) + 1;
            await Promise.all([port("fh_write", fd, big.subarray(half), half), port("fh_write", fd, big.subarray(0, half), 0)]);
            await port("fh_close", fd);
            const isSame = async path => {
                const read = await port("fs_readFile", path);
                const other = new Uint32Array(read.buffer, read.byteOffset, read.length / 4);
                return read.length === big.length && words.every((word, i) => word === other[i]);
            };
            return [await isSame("one"), await isSame("two"), (await port("fs_stat", "two")).size];
            """)
        #expect(result == "[true,true,67108864]")
    }
}

/// Open descriptors of this process for things in a folder. Other tests run meanwhile, and have folders of their own.
func descriptors(in folder: String) -> Int {
    (0..<4096).count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return target?.hasPrefix(folder) ?? false
    }
}

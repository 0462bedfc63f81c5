import Glibc
import Testing

/// `platform.device_fs` over the real ports: shapes, arguments, limits.
@Suite struct DeviceFs {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func readsAndWritesTextAndBytes() throws {
        let result = try onDeviceFs(
            folder,
            #"""
            await fs.writeFile("a", "žluť\n", { encoding: "utf8", flag: "wx" });
            await fs.appendFile("a", "more", { encoding: "utf8" });
            await fs.appendFile("new", new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]));
            const bytes = await fs.readFile("a");
            const text = await fs.readFile("new", "utf-8");
            await fs.truncate("a", 4);
            await fs.truncate("new");
            return [bytes instanceof Uint8Array, bytes.length, await fs.readFile("a", { encoding: "utf8" }),
                [...text].map(c => c.codePointAt(0).toString(16)), (await fs.stat("new")).size,
                await failure(fs.writeFile("a", "x", { flag: "wx" })), await failure(fs.truncate("none", 1)),
                await failure(fs.truncate(".", 1)), await failure(fs.appendFile(".", "x"))];
            """#)
        #expect(
            result == #"[true,11,"žlu",["feff","61","fffd"],0,"file EEXIST a alreadyExists","#
                + #""file ENOENT none notFound","file EISDIR . isDirectory","file EISDIR . isDirectory"]"#)
    }

    @Test func readsAndWritesParts() throws {
        let result = try onDeviceFs(
            folder,
            """
            const file = await fs.open("a", "w+");
            const written = [(await file.write(bytes("0123456789"))).bytesWritten,
                (await file.write(bytes("..ab.."), 2, 2, 20)).bytesWritten, (await file.write(bytes("c"))).bytesWritten];
            const buffer = new Uint8Array(8).fill(45);
            const reads = [];
            for (const args of [[0, 4, 2], [6], [undefined, 3, 100], [1, 7, 18], [0, 0, 0], [8], [0, 8, null]]) {
                const { bytesRead, buffer: same } = await file.read(buffer, ...args);
                reads.push([bytesRead, text(buffer), same === buffer]);
            }
            const view = new Uint8Array(buffer.buffer, 2, 3);
            reads.push((await file.read(view, 1, 2, 0)).bytesRead, text(buffer));
            const { size } = await file.stat();
            await file.truncate(3);
            await file.close();
            return [written, reads, size, await fs.readFile("a", "utf8")];
            """)
        let zero = "\\u0000"
        let reads = [
            #"[4,"2345----",true]"#, "[2,\"2345--\(zero)\(zero)\",true]", "[0,\"2345--\(zero)\(zero)\",true]",
            "[4,\"2\(zero)\(zero)ab-\(zero)\(zero)\",true]", "[0,\"2\(zero)\(zero)ab-\(zero)\(zero)\",true]",
            "[0,\"2\(zero)\(zero)ab-\(zero)\(zero)\",true]", "[8,\"\(String(repeating: zero, count: 7))a\",true]", "2",
            "\"\(zero)\(zero)\(zero)01\(zero)\(zero)a\"",
        ]
        #expect(result == "[[10,2,1],[\(reads.joined(separator: ","))],22,\"012\"]")
    }

    @Test func refusesArgumentsThatNoPortSees() throws {
        let result = try onDeviceFs(
            folder,
            """
            const file = await fs.open("a", "w+");
            const buffer = new Uint8Array(4);
            const hostile = { toString() { throw new Error("asked"); }, valueOf() { throw new Error("asked"); } };
            const calls = [() => file.read(), () => file.read("text"), () => file.read([1, 2], 0, 1, 0),
                () => file.read(new DataView(new ArrayBuffer(4))), () => file.read(buffer, -1), () => file.read(buffer, 5),
                () => file.read(buffer, 1.5), () => file.read(buffer, NaN), () => file.read(buffer, "1"),
                () => file.read(buffer, 1, 4), () => file.read(buffer, 0, -1), () => file.read(buffer, 0, 2 ** 53),
                () => file.read(buffer, 0, 5n), () => file.read(buffer, hostile), () => file.read(buffer, 0, 4, -1),
                () => file.read(buffer, 0, 4, 2 ** 53), () => file.read(buffer, 0, 4, "0"),
                () => file.write("text"), () => file.write(buffer, 3, 2), () => file.write(buffer, 0, 4, NaN),
                () => file.truncate(-1), () => file.truncate(0.5), () => file.truncate(2 ** 53),
                () => fs.truncate("a", NaN), () => fs.writeFile("a", 7), () => fs.writeFile("a"),
                () => fs.writeFile("a", "x", { encoding: "latin1" }), () => fs.writeFile("a", "x", { flag: "a" }),
                () => fs.readFile("a", "base64"), () => fs.appendFile("a", hostile), () => fs.mkdir("d", { recursive: 1 }),
                () => fs.open("a", "rw"), () => fs.stat(hostile), () => fs.stat(), () => fs.stat("\\ud800"),
                () => fs.symlink("a"), () => fs.copyFile("a", "b", "yes")];
            const messages = [];
            for (const call of calls) {
                messages.push(await call().then(() => "worked",
                    e => (e.runtimeException && e.type === "port" && e.badArgument ? e.message : `${e.message ?? e}?`)));
            }
            return [messages.filter(message => message.endsWith("?") || message === "worked"), new Set(messages).size,
                messages[0], messages[5], messages[9], messages[16], (await file.stat()).size, await fs.readdir(".")];
            """)
        #expect(
            result == #"[[],37,"device_fs.read: buffer must be a Uint8Array, not undefined","#
                + #""device_fs.read: offset must be a whole number from 0 to 4, not 5","#
                + #""device_fs.read: length must be a whole number from 0 to 3, not 4","#
                + #""fh_read: position must be a whole number from 0 on, not \"0\"",0,["a"]]"#)
    }

    @Test func positionsAndSizesAreExactFarBeyondFourGiB() throws {
        let result = try onDeviceFs(
            folder,
            """
            const file = await fs.open("a", "w+");
            const far = 3 * 2 ** 40 + 1;
            await file.write(bytes("far"), 0, 3, far);
            const buffer = new Uint8Array(8);
            const reads = [];
            for (const position of [far, far - 1, far + 2, far + 3, 2 ** 32, 2 ** 53 - 1]) {
                reads.push((await file.read(buffer, 0, 8, position)).bytesRead, text(buffer.subarray(0, 4)));
            }
            const sizes = [(await file.stat()).size - far, (await fs.stat("a")).size - far];
            const failures = [await failure(file.write(bytes("x"), 0, 1, 2 ** 53 - 1)),
                await failure(file.truncate(2 ** 53 - 1)), await failure(fs.readFile("a"))];
            await file.close();
            return [reads, sizes, failures, (await fs.stat("a")).size - far];
            """)
        #expect(
            result == #"[[3,"far\u0000",4,"\u0000far",1,"rfar",0,"rfar",8,"\u0000\u0000\u0000\u0000",0,"#
                + #""\u0000\u0000\u0000\u0000"],[3,3],["file EFBIG a","file EFBIG a","file EFBIG a"],3]"#)
    }

    @Test func timesAreExactInMillisecondsAndDates() throws {
        try folder.write("fs/a", "")
        // 1 ms before the epoch, and the year 2255.
        var times = [timespec(tv_sec: -1, tv_nsec: 999_000_000), timespec(tv_sec: 9_000_000_000, tv_nsec: 123_000_000)]
        #expect(utimensat(AT_FDCWD, "\(folder.path)/fs/a", &times, 0) == 0)
        let result = try onDeviceFs(
            folder,
            """
            const { atimeMs, mtimeMs, mtime, atime, ctime, birthtime } = await fs.stat("a");
            const isNow = date => Math.abs(date.getTime() - Date.now()) < 60_000;
            return [atimeMs, mtimeMs, mtime.toISOString(), atime.toISOString(), isNow(ctime), isNow(birthtime)];
            """)
        #expect(
            result == #"[-1,9000000000123,"2255-03-14T16:00:00.123Z","1969-12-31T23:59:59.999Z",true,true]"#)
    }

    @Test func aHandleIsOfNoUseAfterItsEnd() throws {
        let result = try onDeviceFs(
            folder,
            """
            const file = await fs.open("a", "w+");
            await file.close();
            const buffer = new Uint8Array(1);
            const calls = [() => file.close(), () => file.read(buffer), () => file.write(buffer), () => file.stat(),
                () => file.truncate(0), () => file.sync()];
            const seen = new Set();
            for (const call of calls) { seen.add(await failure(call())); }
            return [...seen, (await file.sync().catch(e => e)).message];
            """)
        #expect(result == #"["file EBADF ","no open file has the number 3; it was closed or never opened (EBADF)"]"#)
    }

    @Test func opensReadOnlyAndWriteOnly() throws {
        try folder.write("fs/a", "a")
        let result = try onDeviceFs(
            folder,
            """
            const buffer = new Uint8Array(1);
            const [reader, writer, dir] = [await fs.open("a"), await fs.open("a", "r+"), await fs.open(".", "r")];
            const only = await fs.open("b", "wx");
            const results = [await failure(reader.write(buffer)), await failure(reader.truncate(0)),
                await failure(only.read(buffer)), await failure(dir.read(buffer)), (await dir.stat()).isDirectory(),
                (await writer.read(buffer)).bytesRead];
            await Promise.all([reader, writer, dir, only].map(file => file.close()));
            return results;
            """)
        #expect(result == #"["file EBADF a","file EINVAL a","file EBADF b","file EISDIR . isDirectory",true,1]"#)
    }
}

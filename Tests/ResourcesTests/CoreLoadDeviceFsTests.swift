import Testing

/// `platform.device_fs`: each shape of call that core libraries use, as calls of ports.
@Suite struct CoreLoadDeviceFsTests {
    private static let recorded = #"""
        const calls = [];
        const times = { mtimeMs: 1.5, ctimeMs: 2, atimeMs: 3, birthtimeMs: 4 };
        const answers = {
            fs_readFile: () => encode('text'), fs_readdir: () => ['x'], fs_readlink: () => 'target',
            fs_stat: () => ({ kind: 'file', size: 2 ** 53 - 1, mode: 420, ...times }),
            fs_lstat: () => ({ kind: 'link', size: 1 }), fh_stat: () => ({ kind: 'folder', size: 0 }),
            fs_open: () => 7, fh_write: () => 2,
            fh_read: (fd, buffer) => { buffer.set(encode('ab')); return 2; },
        };
        globalThis.__nativeCallDispatch = (name, args) => {
            calls.push([name, ...args.map(arg => (arg instanceof Uint8Array ? decode(arg) : arg))]);
            if (name === 'fs_truncate') { throw { runtimeException: true, type: 'port', notImplemented: true }; }
            return answers[name]?.(...args);
        };
        (0, eval)(sources['js/device-fs.js']);
        const fs = platform.device_fs;

        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.recorded + script) }

    @Test func eachCallIsOneCallOfItsPort() throws {
        try run(
            #"""
            await fs.mkdir('d');
            await fs.mkdir('d/e', { recursive: true });
            await fs.writeFile('f', encode('bytes'));
            await fs.writeFile('f', encode('bytes'), { flag: 'wx' });
            await fs.writeFile('f', 'žluť', { encoding: 'utf8', flag: 'w' });
            await fs.appendFile('f', 'more', { encoding: 'utf8' });
            await fs.rename('f', 'g');
            await fs.copyFile('g', 'h', true);
            await fs.symlink('g', 'l');
            await fs.unlink('g');
            await fs.rmdir('d');
            await fs.rmdir('d', { recursive: true });
            same(calls, [['fs_mkdir', 'd', undefined], ['fs_mkdir', 'd/e', true],
                ['fs_writeFile', 'f', 'bytes', undefined],
                ['fs_writeFile', 'f', 'bytes', 'wx'], ['fs_writeFile', 'f', 'žluť', 'w'],
                ['fs_appendFile', 'f', 'more'], ['fs_rename', 'f', 'g'], ['fs_copyFile', 'g', 'h', true],
                ['fs_symlink', 'g', 'l'], ['fs_unlink', 'g'], ['fs_rmdir', 'd', undefined], ['fs_rmdir', 'd', true]]);
            same([decode(await fs.readFile('f')), await fs.readFile('f', { encoding: 'utf8' })], ['text', 'text']);
            same(await fs.readFile('f', 'utf8'), 'text');
            same([await fs.readdir('d'), await fs.readlink('l')], [['x'], 'target']);
            """#)
    }

    @Test func statsTellKindSizeAndTimes() throws {
        try run(
            #"""
            const file = await fs.stat('f');
            same([file.isFile(), file.isDirectory(), file.isSymbolicLink()], [true, false, false]);
            same([file.size, file.mode], [2 ** 53 - 1, 420]);
            const { mtime, ctime, atime, birthtime } = file;
            same([mtime, ctime, atime, birthtime].map(date => date.getTime()), [1, 2, 3, 4]);
            same([file.mtimeMs, (await fs.lstat('l')).isSymbolicLink()], [1.5, true]);
            same((await (await fs.open('d')).stat()).isDirectory(), true);
            """#)
    }

    @Test func anOpenFileReadsAndWritesAtPositions() throws {
        try run(
            #"""
            const file = await fs.open('f', 'r+');
            const buffer = encode('......');
            same((await file.read(buffer, 2, 2, 40)).bytesRead, 2);
            same([file.fd, decode(buffer)], [7, '..ab..']);
            same((await file.write(encode('0123456'), 3, 2, 10)).bytesWritten, 2);
            await file.write(encode('xy'));
            await file.truncate(5);
            await file.sync();
            await file.close();
            same(calls, [['fs_open', 'f', 'r+'], ['fh_read', 7, '..', 40], ['fh_write', 7, '34', 10],
                ['fh_write', 7, 'xy', undefined], ['fh_truncate', 7, 5], ['fh_sync', 7], ['fh_close', 7]]);
            """#)
    }

    @Test func whatAPortThrowsIsARejectionUntouched() throws {
        try run(
            #"""
            same(await rejection(fs.truncate('f', 1)), { runtimeException: true, type: 'port', notImplemented: true });
            """#)
    }
}

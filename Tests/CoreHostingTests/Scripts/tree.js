// What a tree keeps and refuses; `treeChecks` are run one by one, each with a tree of its own.
globalThis.treeChecks = {
    async 'files are written, read in parts and replaced'(tree) {
        for (const size of [0, 1, 4096, 16384, 65535, 65536, 65537, 1 << 20, 3_000_001]) {
            const bytes = random(Math.min(size, 1 << 20));
            const all = new Uint8Array(size).map((_, i) => bytes[i % bytes.length]);
            same(await tree.write(['f', `${size}`], all), 1);
            const reader = await tree.open(['f', `${size}`]);
            same([reader.size, reader.version], [size, 1]);
            for (const [start, end] of [[0, size], [0, 1], [size - 1, size + 9], [size >> 1, (size >> 1) + 70000],
                [65530, 65540], [size + 5, size + 9]]) {
                const part = await reader.read(Math.max(0, start), end);
                holds(part.toHex() === all.slice(Math.max(0, start), end).toHex(), `${start} to ${end} of ${size}`);
            }
            await tree.write(['f', `${size}`], encode('new'));
            holds((await reader.read(0, size)).toHex() === all.toHex(), 'an open file stays as it was');
            await reader.close();
            same(await textAt(tree, ['f', `${size}`]), 'new');
            same((await tree.stat(['f', `${size}`])).version, 2);
        }
    },

    async 'content under way is not seen before it is committed'(tree) {
        const content = tree.newContent();
        let all = new Uint8Array(0);
        for (const size of [10, 65526, 1, 200000, 0, 70000, 1 << 20]) {
            const part = random(size);
            await content.append(part);
            const longer = new Uint8Array(all.length + size);
            longer.set(all);
            longer.set(part, all.length);
            all = longer;
            same(content.size, all.length);
            holds((await content.read(5, all.length)).toHex() === all.slice(5).toHex(), `read of ${all.length}`);
        }
        same(await tree.stat(['big']), undefined);
        same(await content.commit(['big'], { xattrs: { set: { a: 1 } } }), 1);
        const reader = await tree.open(['big']);
        holds((await reader.read(0, Infinity)).toHex() === all.toHex(), 'what was appended');
        same(reader.xattrs, { a: 1 });
        await reader.close();
        const other = tree.newContent();
        await other.append(random(100000));
        await other.abandon();
        same(await platform.device_fs.readdir('scratch'), []);
    },

    async 'folders, links, moves and copies'(tree) {
        const set = { x: { y: [1] }, b: new Uint8Array([1, 2]) };
        await tree.write(['a', 'b', 'f'], encode('one'), { xattrs: { set } });
        await tree.makeLink(['a', 'link'], { path: 'b/f', deep: ['žluť'] });
        await tree.makeFolder(['a', 'empty']);
        same(await tree.list(['a']), [
            { name: 'b', kind: 'folder' }, { name: 'empty', kind: 'folder' }, { name: 'link', kind: 'link' }]);
        same(await tree.readLink(['a', 'link']), { path: 'b/f', deep: ['žluť'] });
        await tree.copyFile(['a', 'b', 'f'], ['c', 'copy']);
        await tree.move(['a'], ['new', 'place']);
        same([await tree.stat(['a']), await textAt(tree, ['new', 'place', 'b', 'f'])], [undefined, 'one']);
        const attributes = await tree.xattrs(['c', 'copy']);
        same([attributes.x, [...attributes.b], await textAt(tree, ['c', 'copy'])], [{ y: [1] }, [1, 2], 'one']);
        same(await tree.setXattrs(['c', 'copy'], { set: { z: 1 }, remove: ['x', 'b'] }), 2);
        same([await tree.xattrs(['c', 'copy']), await textAt(tree, ['c', 'copy'])], [{ z: 1 }, 'one']);
        same(await tree.setXattrs(['c'], { set: { folder: true } }), 1);
        same(await tree.setXattrs(['c'], { set: { folder: 2 } }), 2);
        same([await tree.xattrs(['c']), await tree.list(['c'])], [{ folder: 2 }, [{ name: 'copy', kind: 'file' }]]);
        await tree.removeLink(['new', 'place', 'link']);
        await tree.removeFolder(['new', 'place', 'empty']);
        same((await rejection(tree.removeFolder(['new', 'place']))).notEmpty, true);
        await tree.removeFolder(['new'], true);
        await tree.removeFile(['c', 'copy']);
        await tree.removeFolder(['c']);
        same(await tree.list([]), []);
        same(await platform.device_fs.readdir('scratch'), []);
    },

    async 'what cannot be done is refused by its code'(tree) {
        await tree.write(['file'], encode('x'));
        await tree.makeFolder(['folder']);
        await tree.makeLink(['link'], 'anything');
        for (const [call, code] of [
            [() => tree.open(['none', 'x']), 'ENOENT'], [() => tree.open(['folder']), 'ENOTFILE'],
            [() => tree.open(['link']), 'ENOTFILE'], [() => tree.write(['folder'], encode('')), 'EISDIR'],
            [() => tree.write([], encode('')), 'EISDIR'], [() => tree.write(['link'], encode('')), 'EEXIST'],
            [() => tree.write(['file', 'x'], encode('')), 'ENOTDIR'],
            [() => tree.write(['none'], encode(''), { create: false }), 'ENOENT'],
            [() => tree.write(['none', 'x'], encode(''), { makeParents: false }), 'ENOENT'],
            [() => tree.write(['file'], encode(''), { exclusive: true }), 'EEXIST'],
            [() => tree.write(['file'], encode(''), { currentVersion: 7 }), 'EPERM'],
            [() => tree.list(['file']), 'ENOTDIR'], [() => tree.list(['none']), 'ENOENT'],
            [() => tree.removeFile(['folder']), 'ENOTFILE'], [() => tree.removeFile(['none']), 'ENOENT'],
            [() => tree.removeFolder(['file']), 'ENOTDIR'], [() => tree.removeFolder([], true), 'EPERM'],
            [() => tree.makeFolder(['file']), 'EEXIST'],
            [() => tree.makeFolder(['folder'], { exclusive: true }), 'EEXIST'],
            [() => tree.makeFolder(['n', 'm'], { makeParents: false }), 'ENOENT'],
            [() => tree.makeFolder(['file', 'm']), 'ENOTDIR'],
            [() => tree.makeLink(['file'], 1), 'EEXIST'], [() => tree.makeLink(['l'], 'x'.repeat(4000)), 'EPERM'],
            [() => tree.readLink(['file']), 'EPERM'], [() => tree.setXattrs(['link'], { set: { a: 1 } }), 'ENOSYS'],
            [() => tree.move(['none'], ['m']), 'ENOENT'], [() => tree.move(['file'], ['folder']), 'EEXIST'],
            [() => tree.move(['folder'], ['folder', 'x']), 'EPERM'], [() => tree.move([], ['x']), 'EPERM'],
            [() => tree.copyFile(['file'], ['link'], { overwrite: true }), 'EEXIST'],
            [() => tree.copyFile(['folder'], ['m']), 'ENOTFILE'], [() => tree.copyFile(['file'], ['file']), 'EEXIST'],
            [() => tree.write(['x'.repeat(160)], encode('')), 'ENAMETOOLONG'],
            [() => tree.write(['\ud800'], encode('')), 'EPERM'],
            [() => tree.write(['big'], encode(''), { xattrs: { set: { a: 'x'.repeat(300000) } } }), 'EPERM'],
        ]) {
            const exception = await rejection(call());
            same([exception.type, exception.code], ['file', code], `${call} ${exception.message ?? exception}`);
        }
        await tree.write(['ž'.repeat(79) + 'x'], encode('longest'));
        same((await tree.list([])).length, 4);
        same(await platform.device_fs.readdir('scratch'), []);
    },

    async 'versions are kept, and go with their file'(tree) {
        await tree.write(['d', 'f'], encode('one'));
        same(await tree.archiveCurrent(['d', 'f']), 1);
        same(await tree.write(['d', 'f'], encode('two'), { currentVersion: 1 }), 2);
        const wrong = await rejection(tree.write(['d', 'f'], encode('x'), { currentVersion: 1 }));
        same([wrong.versionMismatch, wrong.currentVersion], [true, 2]);
        same((await rejection(tree.archiveCurrent(['d', 'f'], 1))).versionMismatch, true);
        await tree.move(['d'], ['e']);
        await tree.archiveCurrent(['e', 'f'], 2);
        await tree.write(['e', 'f'], encode('three'));
        same(await tree.versions(['e', 'f']), { current: 3, archived: [1, 2] });
        same(await textAt(tree, ['e', 'f'], { archivedVersion: 1 }), 'one');
        same(await textAt(tree, ['e', 'f'], { archivedVersion: 2 }), 'two');
        same((await rejection(tree.open(['e', 'f'], { archivedVersion: 9 }))).notFound, true);
        await tree.removeArchived(['e', 'f'], 1);
        same(await tree.versions(['e', 'f']), { current: 3, archived: [2] });
        await tree.removeFolder(['e'], true);
        same(await platform.device_fs.readdir('trees/tree/versions'), []);
        same(await platform.device_fs.readdir('trees/tree/removed'), []);
        same(await tree.write(['e', 'f'], encode('anew')), 1);
        same(await tree.versions(['e', 'f']), { current: 1, archived: [] });
    },

    async 'changes are told'(tree) {
        const told = [];
        const unwatch = tree.watch(({ type, names, newNames, kind, version }) => {
            const words = [type, names.join('/'), newNames?.join('/'), kind, version];
            told.push(words.filter(it => it !== undefined).join(' '));
        });
        await tree.write(['a', 'f'], encode('1'));
        await tree.write(['a', 'f'], encode('2'));
        await tree.makeLink(['a', 'l'], 1);
        await tree.move(['a', 'f'], ['b', 'g']);
        await tree.copyFile(['b', 'g'], ['c']);
        await tree.setXattrs(['c'], { set: { x: 1 } });
        await tree.removeFile(['c']);
        await tree.removeFolder(['a'], true);
        unwatch();
        await tree.makeFolder(['unseen']);
        same(told, ['added a folder', 'added a/f file 1', 'changed a/f file 2', 'added a/l link', 'added b folder',
            'moved a/f b/g file', 'added c file 1', 'changed c file 2', 'removed c file', 'removed a folder']);
    },

    async 'what was changed or cut on disk is an exception that names the file, and hurts no other'(tree) {
        const logged = [];
        console.error = (...args) => { logged.push(args.join(' ')); };
        const fs = platform.device_fs;
        await tree.write(['other'], encode('unharmed'));
        const [folder] = (await fs.readdir('trees')).map(name => `trees/${name}/files`);
        const whole = async names => {
            const reader = await tree.open(names);
            try {
                return (await reader.read(0, reader.size)).length;
            } finally {
                await reader.close();
            }
        };
        for (const size of [0, 10, 65536, 200_000]) {
            const before = await fs.readdir(folder);
            await tree.write(['f'], new Uint8Array(size), { xattrs: { set: { a: 1 } } });
            const place = `${folder}/${(await fs.readdir(folder)).find(name => !before.includes(name))}`;
            const bytes = await fs.readFile(place);
            const spots = [0, 7, 8, 31, 32, 127, 128, bytes.length - 1, bytes.length >> 1,
                ...Array.from({ length: 10 }, () => new DataView(random(4).buffer).getUint32(0) % bytes.length)];
            const damages = [
                ...spots.map(spot => [`byte ${spot}`, bytes.with(spot, bytes[spot] ^ 1)]),
                ...spots.map(spot => [`cut at ${spot}`, bytes.slice(0, spot)]),
                ['another file', (await fs.readFile(`${folder}/${before[0]}`)).map(byte => byte ^ 0x55)],
            ];
            for (const [what, damaged] of damages) {
                await fs.writeFile(place, damaged);
                logged.length = 0;
                const exception = await rejection(whole(['f']));
                same([exception.code, exception.damaged, exception.path], ['EIO', true, 'f'], `${what} of ${size}`);
                holds(logged.length === 1 && logged[0].includes(place), `the log names it: ${logged}`);
                same(await textAt(tree, ['other']), 'unharmed');
            }
            await tree.removeFile(['f']);
        }
    },

    async 'what others put among the files is left alone and told'(tree) {
        const logged = [];
        console.error = (...args) => { logged.push(args.join(' ')); };
        const fs = platform.device_fs;
        await tree.write(['f'], encode('x'));
        const [folder] = (await fs.readdir('trees')).map(name => `trees/${name}/files`);
        const [sealed] = await fs.readdir(folder);
        for (const name of ['plain.txt', `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`, 'AAAA', '-']) {
            await fs.writeFile(`${folder}/${name}`, encode('y'));
            logged.length = 0;
            same(await tree.list([]), [{ name: 'f', kind: 'file' }], name);
            holds(logged.length === 1 && logged[0].includes(`${folder}/${name}`), `${name} is told: ${logged}`);
            await fs.unlink(`${folder}/${name}`);
        }
        await fs.unlink(`${folder}/${sealed}`);
        await fs.symlink('elsewhere', `${folder}/${sealed}`);
        same((await rejection(tree.readLink(['f']))).damaged, true);
        same((await rejection(tree.open(['f']))).notFile, true);
        await tree.removeLink(['f']);
        same(await tree.list([]), []);
    },
};

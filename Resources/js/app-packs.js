// App packs: bundled ones as they come with the platform, and the checked copies from which apps are installed.
//
//     <packs>/<domain>/pack.json            {"format": 1, "appDomain", "version", "files": {path: {"size", "sha256"}}}
//     <packs>/<domain>/manifest.json, app/… the files; each is listed, and nothing else is there
//     app-packs/<domain>/<version>/         a copy that was checked whole, in clear: it is code, not a user's data
//     app-packs/.staging/                   copies under way; emptied at start
//
// The last two are paths of the file ports. A copy gets its name by one rename once all of it is on the disk: it is
// there whole or not at all, whatever ends the work.
'use strict';
{

const { manifestOf, installedCode, isRecord, isText, seen } = globalThis.__platformParts;
const fs = globalThis.platform.device_fs;

const root = 'app-packs';
const staging = `${root}/.staging`;
const maxFiles = 10_000;
const maxFileBytes = 64 * 1024 * 1024;
const maxBytes = 512 * 1024 * 1024;
const maxListBytes = 4 * 1024 * 1024;
const maxDepth = 16;

const port = async (name, ...args) => __nativeCallDispatch(name, args);
const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
const isAppDomain = text => isText(text) && text.length <= 253
    && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/.test(text);
const isVersion = text => isText(text) && text.length <= 64 && /^\d{1,9}(\.\d{1,9}){0,3}(-[0-9a-z.-]+)?$/i.test(text)
    && !text.includes('..') && !text.endsWith('.');

/** An `app-init` exception; `flags` are what it is, like `badAppPack` and `hashMismatch`. */
function appException(appDomain, flags, message, fields = {}) {
    return {
        runtimeException: true, type: 'app-init', appDomain, ...fields,
        ...Object.fromEntries(flags.map(flag => [flag, true])), message: `${appDomain}: ${message}`,
    };
}

const badPack = (appDomain, flag, message, path) => appException(appDomain, ['badAppPack', flag],
    `its pack ${message}`, path === undefined ? {} : { path });

/** Negative when version `a` is before `b`: numbers by value, and what has a "-" behind them before what has not. */
function compareVersions(a, b) {
    const [[numbersA, tagA], [numbersB, tagB]] = [a, b].map(version => {
        const cut = version.indexOf('-');
        const [numbers, tag] = cut < 0 ? [version] : [version.slice(0, cut), version.slice(cut + 1)];
        return [numbers.split('.').map(Number), tag];
    });
    for (let i = 0; i < Math.max(numbersA.length, numbersB.length); i += 1) {
        const difference = (numbersA[i] ?? 0) - (numbersB[i] ?? 0);
        if (difference !== 0) { return difference; }
    }
    if (tagA === tagB) { return 0; }
    if (tagA === undefined || tagB === undefined) { return tagA === undefined ? 1 : -1; }
    return compareTags(tagA.split('.'), tagB.split('.'));
}

/** As semantic versioning has it: numbers by value and before texts, texts by their characters, fewer before more. */
function compareTags(a, b) {
    for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
        if (a[i] === b[i]) { continue; }
        if (a[i] === undefined || b[i] === undefined) { return a[i] === undefined ? -1 : 1; }
        const [isNumberA, isNumberB] = [a[i], b[i]].map(part => /^\d+$/.test(part));
        if (isNumberA && isNumberB && Number(a[i]) !== Number(b[i])) { return Number(a[i]) - Number(b[i]); }
        if (isNumberA !== isNumberB) { return isNumberA ? -1 : 1; }
        return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

function isInside(path) {
    const names = path.split('/');
    return names.length <= maxDepth && (path === 'manifest.json' || (names[0] === 'app' && names.length > 1))
        && names.every(name => name !== '' && name !== '.' && name !== '..' && name.length <= 255)
        && !/[\0\\]/.test(path) && path.isWellFormed();
}

/** `pack.json` checked: `{version, files: [{path, size, sha256}]}`. */
function listFrom(text, domain) {
    let list;
    try {
        list = JSON.parse(text);
    } catch (error) {
        throw badPack(domain, 'badPackFile', `has a pack.json that is not JSON: ${error.message}`);
    }
    if (!isRecord(list) || list.format !== 1) {
        throw badPack(domain, 'badPackFile', `has a pack.json of format ${seen(list?.format)}; this platform reads 1`);
    }
    if (list.appDomain !== domain) {
        throw badPack(domain, 'domainMismatch', `says that it is of ${seen(list.appDomain)}; give both one name`);
    }
    if (!isVersion(list.version)) {
        throw badPack(domain, 'badPackFile', `has version ${seen(list.version)}; make it a text like "1.0.0"`);
    }
    if (!isRecord(list.files)) {
        throw badPack(domain, 'badPackFile', `lists ${seen(list.files)} for files; make it an object by path`);
    }
    const files = Object.entries(list.files).map(([path, facts]) => {
        if (!isInside(path)) {
            throw badPack(domain, 'pathLeaves',
                `lists ${seen(path)}; name "manifest.json" and paths inside "app/"`, path);
        }
        const { size, sha256 } = isRecord(facts) ? facts : {};
        if (!Number.isSafeInteger(size) || size < 0 || !isText(sha256) || !/^[0-9a-f]{64}$/.test(sha256)) {
            throw badPack(domain, 'badPackFile', `says ${seen(facts)} of ${path}; give "size" in bytes and "sha256" in `
                + '64 lower-case hexadecimal digits', path);
        }
        if (size > maxFileBytes) {
            throw badPack(domain, 'tooBig', `has ${size} bytes in ${path}; ${maxFileBytes} is the limit`, path);
        }
        return { path, size, sha256 };
    });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (files.length > maxFiles || bytes > maxBytes) {
        throw badPack(domain, 'tooBig', `has ${files.length} files and ${bytes} bytes; the limits are ${maxFiles} and `
            + `${maxBytes}`);
    }
    if (!Object.hasOwn(list.files, 'manifest.json')) {
        throw badPack(domain, 'fileMissing', 'lists no manifest.json', 'manifest.json');
    }
    return { version: list.version, files };
}

async function orUndefined(promise) {
    try {
        return await promise;
    } catch (exception) {
        if (exception?.notFound || exception?.notDirectory) { return undefined; }
        throw exception;
    }
}

async function syncFolder(path) {
    const folder = await fs.open(path, 'r');
    try {
        await folder.sync();
    } finally {
        await folder.close();
    }
}

async function writeSynced(path, bytes) {
    const file = await fs.open(path, 'wx');
    try {
        for (let offset = 0; offset < bytes.length;) {
            offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten;
        }
        await file.sync();
    } finally {
        await file.close();
    }
}

/** Bundled packs, read where they lie. */
class BundledPacks {
    /** `[{id, version}]` of all whose `pack.json` is right; the others are told to the log. */
    async list() {
        const entries = await orUndefined(port('assets_listFolder', true, '')) ?? [];
        const packs = [];
        for (const { name, isFolder } of entries) {
            if (!isFolder || name.startsWith('.')) { continue; }
            try {
                packs.push({ id: name, version: (await this.read(name)).version });
            } catch (exception) {
                console.warn(exception.message);
            }
        }
        return packs;
    }

    async read(domain) {
        if (!isAppDomain(domain)) {
            throw appException(String(domain), ['noBundledPack'], `${seen(domain)} is no app domain`);
        }
        const bytes = await orUndefined(port('assets_readBytes', true, `${domain}/pack.json`, 0, maxListBytes + 1));
        if (!bytes) {
            throw appException(domain, ['noBundledPack'], 'no pack of it comes with the platform; '
                + '`listBundledApps` has those that do');
        }
        if (bytes.length > maxListBytes) {
            throw badPack(domain, 'tooBig', `has a pack.json of more than ${maxListBytes} bytes`);
        }
        return { ...listFrom(new TextDecoder().decode(bytes), domain), bytes };
    }

    /** Every file of the pack and nothing else is there. */
    async checkNames(domain, { files }) {
        const there = new Set(await this.#paths(domain, '', 0));
        const listed = new Set(['pack.json', ...files.map(({ path }) => path)]);
        for (const path of listed) {
            if (!there.has(path)) { throw badPack(domain, 'fileMissing', `lacks ${path}, which it lists`, path); }
        }
        for (const path of there) {
            if (!listed.has(path)) {
                throw badPack(domain, 'fileExtra', `has ${seen(path)}, which it does not list`, path);
            }
        }
    }

    /** The bytes of a file as listed. */
    async content(domain, { path, size, sha256 }) {
        const bytes = await port('assets_readBytes', true, `${domain}/${path}`, 0, size + 1);
        if (bytes.length !== size) {
            throw badPack(domain, 'sizeMismatch', `has another size of ${path} than the ${size} bytes it lists`, path);
        }
        const hash = toHex(await port('nacl_hash_sha256', bytes));
        if (hash !== sha256) {
            throw badPack(domain, 'hashMismatch', `has ${path} with SHA-256 ${hash}; ${sha256} is listed`, path);
        }
        return bytes;
    }

    async #paths(domain, folder, depth) {
        if (depth > maxDepth) { throw badPack(domain, 'pathLeaves', `has folders deeper than ${maxDepth}`, folder); }
        const entries = await port('assets_listFolder', true, folder === '' ? domain : `${domain}/${folder}`);
        const paths = [];
        for (const { name, isFolder, problem } of entries) {
            const path = folder === '' ? name : `${folder}/${name}`;
            if (problem !== undefined) {
                throw badPack(domain, 'pathLeaves',
                    `has a link ${seen(path)} that cannot be followed (${problem})`, path);
            }
            if (!isFolder) { paths.push(path); continue; }
            const inside = await this.#paths(domain, path, depth + 1);
            if (inside.length === 0) { throw badPack(domain, 'fileExtra', `has an empty folder ${seen(path)}`, path); }
            paths.push(...inside);
        }
        return paths;
    }
}

/** The checked copies. */
class AppPacks {
    bundled = new BundledPacks();
    #random;

    /** `random(n)` gives n bytes. */
    constructor(random) { this.#random = random; }

    /** Removes what an earlier process left half-done. */
    async sweep() {
        if (await orUndefined(fs.lstat(staging))) { await fs.rmdir(staging, { recursive: true }); }
    }

    /** `[{id, versions}]`, versions in their order. */
    async list() {
        const packs = [];
        for (const id of (await orUndefined(fs.readdir(root)) ?? []).filter(isAppDomain).sort()) {
            const versions = (await fs.readdir(`${root}/${id}`)).filter(isVersion).sort(compareVersions);
            if (versions.length > 0) { packs.push({ id, versions }); }
        }
        return packs;
    }

    async has(domain, version) {
        return isAppDomain(domain) && isVersion(version)
            && await orUndefined(fs.lstat(`${root}/${domain}/${version}`)) !== undefined;
    }

    codeOf(domain, version) { return installedCode(domain, `${root}/${domain}/${version}`); }

    /**
     * Copies a bundled pack, checking all of it; resolves with its version. `progress` is called with `{numOfFiles,
     * numOfProcessed, fileInProgress?}`. Does nothing when the same pack is there already.
     */
    async addFromBundled(domain, progress) {
        const pack = await this.bundled.read(domain);
        await this.bundled.checkNames(domain, pack);
        const place = `${root}/${domain}/${pack.version}`;
        if (await this.has(domain, pack.version)) {
            const listThere = await fs.readFile(`${place}/pack.json`);
            if (toHex(listThere) === toHex(pack.bytes)) { return pack.version; }
            throw badPack(domain, 'versionExists', `has other content than the pack of version ${pack.version} that `
                + 'was added before; give it a version of its own');
        }
        const copy = `${staging}/${toHex(this.#random(12))}`;
        await fs.mkdir(copy, { recursive: true });
        try {
            await this.#copy(domain, pack, copy, progress);
            await fs.mkdir(`${root}/${domain}`, { recursive: true });
            await fs.rename(copy, place);
            for (const folder of [`${root}/${domain}`, root, '.']) { await syncFolder(folder); }
        } catch (exception) {
            // The failure is the news; a copy that cannot be removed now is removed by the next sweep.
            await fs.rmdir(copy, { recursive: true }).catch(() => {});
            throw exception;
        }
        return pack.version;
    }

    async #copy(domain, pack, copy, progress) {
        const numOfFiles = pack.files.length;
        const folders = new Set([copy]);
        let numOfProcessed = 0;
        for (const file of pack.files) {
            progress?.({ numOfFiles, numOfProcessed, fileInProgress: file.path });
            const bytes = await this.bundled.content(domain, file);
            if (file.path === 'manifest.json') { this.#checkManifest(domain, pack.version, bytes); }
            const cut = file.path.lastIndexOf('/');
            if (cut > 0) { await fs.mkdir(`${copy}/${file.path.slice(0, cut)}`, { recursive: true }); }
            for (let end = cut; end > 0; end = file.path.lastIndexOf('/', end - 1)) {
                folders.add(`${copy}/${file.path.slice(0, end)}`);
            }
            await writeSynced(`${copy}/${file.path}`, bytes);
            numOfProcessed += 1;
        }
        await writeSynced(`${copy}/pack.json`, pack.bytes);
        for (const folder of folders) { await syncFolder(folder); }
        progress?.({ numOfFiles, numOfProcessed });
    }

    #checkManifest(domain, version, bytes) {
        let manifest;
        try {
            manifest = manifestOf(new TextDecoder('utf-8', { fatal: true }).decode(bytes), domain);
        } catch (error) {
            throw badPack(domain, 'manifestMismatch', `has a manifest.json that ${error.message}`, 'manifest.json');
        }
        if (manifest.version !== version) {
            throw badPack(domain, 'manifestMismatch', `is of version ${version} and its manifest.json of `
                + `${seen(manifest.version)}`, 'manifest.json');
        }
    }

    async remove(domain, version) {
        if (!await this.has(domain, version)) {
            throw appException(String(domain), ['notInstalled', 'packNotFound'], `there is no pack of version ${
                seen(version)}; \`listAllAppsPacks\` has those that are`);
        }
        const copy = `${staging}/${toHex(this.#random(12))}`;
        await fs.mkdir(staging, { recursive: true });
        await fs.rename(`${root}/${domain}/${version}`, copy);
        await syncFolder(`${root}/${domain}`);
        await fs.rmdir(copy, { recursive: true });
    }
}

Object.assign(globalThis.__platformParts, { AppPacks, appException, isAppDomain, isVersion, compareVersions });
}

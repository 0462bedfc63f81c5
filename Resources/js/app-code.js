// Where the files of apps are: bundled ones in the apps folder, installed ones under the file ports. Both give
// `{size(path), read(path, start?, end?), text(path)}` over paths of the app's folder, like "app/main.js".
'use strict';
{

const fs = globalThis.platform.device_fs;

/** Bytes that one read gives at most. */
const maxRead = 64 * 1024 * 1024;

const fileFailure = (code, flag, path, message) => ({
    runtimeException: true, type: 'file', code, path, [flag]: true, message,
});

/** A path inside an app's code folder without empty and `.` names. Throws EPERM for one that leaves it. */
function codePath(path) {
    const names = String(path).split('/').filter(name => name !== '' && name !== '.');
    if (names.length > 0 && !names.includes('..') && !/[\0\\]/.test(path)) { return `/${names.join('/')}`; }
    throw fileFailure('EPERM', 'opNotPermitted', String(path), `${path}: leaves the app's code folder`);
}

const noFile = (appDomain, path) =>
    fileFailure('ENOENT', 'notFound', path, `no file ${path} in app ${appDomain}`);

/** An exception about an installed file as one about the app's own path: nothing of the data folder is in it. */
function ofApp(exception, appDomain, path) {
    if (exception?.type !== 'file') { return exception; }
    if (exception.notFound || exception.notDirectory) { return noFile(appDomain, path); }
    const { message, cause, stack, ...fields } = exception;
    return { ...fields, path, message: `${path} of app ${appDomain} cannot be read (${exception.code})` };
}

async function textOf(code, path) {
    return new TextDecoder('utf-8', { fatal: true }).decode(await code.read(path));
}

/** An app of the apps folder. Rejects with `file` exceptions. */
function bundledCode(appDomain) {
    const code = {
        async size(path) {
            const cut = path.lastIndexOf('/');
            const folder = cut < 0 ? appDomain : `${appDomain}/${path.slice(0, cut)}`;
            const entries = await __nativeCallDispatch('assets_listFolder', [false, folder]).catch(exception => {
                throw exception.notFound || exception.notDirectory ? noFile(appDomain, path) : exception;
            });
            const entry = entries.find(({ name }) => name === path.slice(cut + 1));
            if (!entry) { throw noFile(appDomain, path); }
            if (entry.isFolder) {
                throw fileFailure('ENOTFILE', 'notFile', path, `${path} of ${appDomain} is no file`);
            }
            // A link that cannot be followed: reading it says why.
            if (entry.problem) { await code.read(path, 0, 0); }
            return entry.size;
        },
        read: async (path, start, end) =>
            __nativeCallDispatch('assets_readBytes', [false, `${appDomain}/${path}`, start, end]),
        text: path => textOf(code, path),
    };
    return Object.freeze(code);
}

/** An app whose folder is `folder` of the file ports. Rejects with `file` exceptions about the app's own paths. */
function installedCode(appDomain, folder) {
    const named = (path, action) => action(`${folder}/${path}`).catch(exception => {
        throw ofApp(exception, appDomain, path);
    });
    const code = {
        size: path => named(path, async file => {
            const stats = await fs.lstat(file);
            if (stats.isFile()) { return stats.size; }
            throw fileFailure('ENOTFILE', 'notFile', path, `${path} of ${appDomain} is no file`);
        }),
        read: (path, start = 0, end = undefined) => named(path, async file => {
            const handle = await fs.open(file, 'r');
            try {
                const { size } = await handle.stat();
                const count = Math.max(0, Math.min(end ?? size, size) - start);
                if (count > maxRead) {
                    throw fileFailure('EPERM', 'opNotPermitted', path, `${path} of ${appDomain}: ${count} bytes were `
                        + `asked for, one call reads at most ${maxRead}`);
                }
                const bytes = new Uint8Array(count);
                const { bytesRead } = await handle.read(bytes, 0, count, start);
                return bytesRead === count ? bytes : bytes.subarray(0, bytesRead);
            } finally {
                await handle.close();
            }
        }),
        text: path => textOf(code, path),
    };
    return Object.freeze(code);
}

Object.assign(globalThis.__platformParts, { bundledCode, installedCode, codePath });
}

// The form of the data folder: `format.json`.
'use strict';
{

const format = 2;

/** `{type: "data-folder", <flag>: true, path, message}`: what is there cannot be used as it is. */
const folderException = (flag, path, message) =>
    ({ runtimeException: true, type: 'data-folder', [flag]: true, path, message: `${path}: ${message}` });

async function textAt(fs, path) {
    try {
        return await fs.readFile(path, { encoding: 'utf8' });
    } catch (exception) {
        if (exception.notFound) { return undefined; }
        throw exception;
    }
}

/** Makes of paths in `dataDir` what people look for; as they are where the host does not say. */
const shownIn = (dataDir, shownDir) => path => (
    shownDir !== undefined && path.startsWith(`${dataDir}/`) ? shownDir + path.slice(dataDir.length) : path);

/**
 * Refuses, and leaves untouched, a folder that another version has made: `newerFormat`, `olderFormat`, `damaged`. An
 * empty one is marked as this version's.
 */
async function prepareDataFolder(fs, files, dataDir, shown) {
    const older = `${dataDir}/local-user.json`;
    if (await textAt(fs, older) !== undefined) {
        throw folderException('olderFormat', shown(older), 'this data folder is of a test version that kept files in '
            + 'the clear; choose another one, or move it away and copy what you need out of its users folder');
    }
    const path = `${dataDir}/format.json`;
    const text = await textAt(fs, path);
    if (text !== undefined) { requireFormat(text, shown(path)); }
    await files.sweep();
    if (text === undefined) { await files.write(path, new TextEncoder().encode(JSON.stringify({ format })), false); }
}

function requireFormat(text, path) {
    let found;
    try {
        found = JSON.parse(text)?.format;
    } catch {
        // Not JSON is told in the same words as JSON without a format.
    }
    if (!Number.isSafeInteger(found) || found < 1) {
        throw folderException('damaged', path, `has no format number but ${JSON.stringify(text.slice(0, 80))}; restore `
            + `it from a backup, or write {"format": ${format}} there if this version has always used the folder`);
    }
    if (found < format) {
        throw folderException('olderFormat', path, `the data folder has format ${found}, of a test version; this one knows `
            + `${format} alone: choose another folder, or move it away and sign up anew`);
    }
    if (found > format) {
        throw folderException('newerFormat', path, `the data folder has format ${found}, made by a newer version; `
            + `this one knows up to ${format}: use the newer version, or another data folder`);
    }
}

Object.assign(globalThis.__embeddedCore, { prepareDataFolder, folderException, shownIn });
}

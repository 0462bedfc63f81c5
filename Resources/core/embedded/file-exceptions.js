// Exceptions of type `file`, and the paths that callers may name.
'use strict';
{

const flagOfCode = {
    ENOENT: 'notFound', EEXIST: 'alreadyExists', ENOTDIR: 'notDirectory', ENOTFILE: 'notFile',
    EISDIR: 'isDirectory', ENOTEMPTY: 'notEmpty', EPERM: 'opNotPermitted', EBUSY: 'busy', EIO: 'ioError',
    ENOSYS: 'notImplemented', EEOF: 'endOfFile', ENAMETOOLONG: 'nameTooLong',
};

/** The core's own words for what is wrong, which callers may see, whatever path they know it by. */
const ownReason = Symbol('reason');

/** `given` is the path as the caller gave it, whatever that is. */
function fileException(code, given, message, flags = {}) {
    const path = pathText(given);
    return {
        runtimeException: true, type: 'file', code, path, [flagOfCode[code]]: true, ...flags,
        message: `${path}: ${message} (${code})`, [ownReason]: message,
    };
}

const reasonOfCode = {
    ENOENT: 'there is no such file or folder', EEXIST: 'there is one already', ENOTDIR: 'a part of it is no folder',
    EISDIR: 'is a folder', ENOTFILE: 'is no file', ENOTEMPTY: 'is not empty', ENAMETOOLONG: 'a name is too long',
    ENOSPC: 'no space is left on the disk; free some', EDQUOT: 'the disk quota is used up; free some space',
    EROFS: 'the disk can only be read', EACCES: 'the data folder does not permit it',
    EMFILE: 'too many files are open; try again later', EIO: 'the disk failed', ELOOP: 'links lead in a circle',
};

/** A native exception as its caller may see it: with the caller's own path, and nothing of the data folder. */
function seenByCaller(exception, given) {
    if (exception?.type !== 'file') { return exception; }
    const path = pathText(given);
    const { message, cause, stack, ...flags } = exception;
    const { code } = exception;
    const reason = exception[ownReason] ?? reasonOfCode[code] ?? 'the file system refused';
    return { ...flags, path, message: `${path}: ${reason} (${code})` };
}

/** Units of the longest path. */
const longestPath = 16 * 1024;

/** A path as exceptions have it, whatever stands in its place. */
function pathText(path) {
    if (typeof path !== 'string') { return `(${path === null ? 'null' : typeof path})`; }
    return path.length <= longestPath ? path : `${path.slice(0, 256)}…`;
}

/**
 * The names that `path` goes through, from the root of the caller's file system: `/a//./b/../c` is `['a', 'c']`.
 * Throws EPERM when it leaves the root, is no string or holds a NUL, ENAMETOOLONG when it is longer than any.
 */
function namesInPath(path) {
    if (typeof path !== 'string' || path.includes('\0')) {
        throw fileException('EPERM', path, 'not a path; give a string without NUL',
            { badFnCallArguments: true });
    }
    if (path.length > longestPath) {
        throw fileException('ENAMETOOLONG', path, `is longer than ${longestPath} units`);
    }
    const names = [];
    for (const name of path.split('/')) {
        if (name === '' || name === '.') { continue; }
        if (name !== '..') { names.push(name); continue; }
        if (names.pop() === undefined) {
            throw fileException('EPERM', path, 'leaves the file system; name a path inside it');
        }
    }
    return names;
}

globalThis.__embeddedCore = { fileException, seenByCaller, namesInPath };
}

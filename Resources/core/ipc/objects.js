// What capabilities and droppable objects have, for both sides.
// __ipcParts += {
//   capabilityMethods(name) -> {name: method}; name is "" (w3n itself), "storage", "a.b", ...; empty for others
//   objectType(name) -> {props: [name], inner: [[name, type name]], closeOnDrop, methods: {name: method}} of an
//     obj_type, or undefined; inner: members that are objects of methods themselves, where the object has them
//   OBJ_TYPE: the symbol under which an object of the core's names its own obj_type }
// method = {observable, progress, at, returns, dates, writable}: observable ones take an observer as argument `at` and
// return a function that unsubscribes; progress ones are promise calls that may take a function as argument `at`;
// returns is the obj_type of the result or of each value; dates: mtime and ctime of the result are Date; writable: only
// if the object is. What is not listed for a capability is a promise call. Both give maps without prototype.
'use strict';
{
const { hasOwn } = Object;

// In words like "read stat@ sign^1 watch*0 open>File" stat gives dates, sign takes a function as argument 1, watch an
// observer as argument 0, and open gives a File; after "| " writable objects only.
const CAPABILITIES = {
    '': 'closeSelf myVersion log',
    ui: 'uiFormFactor',
    mailerid: 'getUserId',
    storage: 'getAppLocalFS>FS getAppSyncedFS>FS getUserFS getSysFS',
    rpc: 'thisApp>RPCConnection otherAppsRPC>RPCConnection exposeService*1>IncomingRPCConnection',
    connectivity: 'isOnline watch*0',
    shell: 'watchStartCmds*0',
    'shell.userNotifications': 'watch*0',
    'system.apps.installer': 'addPackFromBundledApps*1 watchApps*0',
    'system.userLogin': 'setAutoLogin^1',
    signIn: 'getUsersOnDisk startLoginToRemoteStorage completeLoginAndLocalSetup^1 useExistingStorage^2 watchBoot*0',
    signUp: 'setSignUpServer getAvailableDomains getAvailableAddresses addUser isActivated createUserParams^1 '
        + 'watchBoot*0',
};
const XATTRS = 'stat@ getXAttr listXAttrs ';
const READS = `${XATTRS}readBytes readTxtFile readJSONFile getByteSource listFolder `;
const WRITES = 'writeBytes writeTxtFile writeJSONFile updateXAttrs getByteSink ';
const FILE_READS = `${XATTRS}readBytes readTxt readJSON getByteSource `;
const FILE_WRITES = 'writeBytes writeTxt writeJSON updateXAttrs getByteSink copy ';
const SYNC = 'status isRemoteVersionOnDisk whenConnected startDownload adoptRemote ';
const OBJECTS = {
    FS: {
        props: 'type writable name',
        inner: { v: 'FS.v' },
        methods: `${READS}checkFilePresence checkFolderPresence checkLinkPresence readonlyFile>File readonlySubRoot>FS `
            + `readLink>SymLink select watchFile*1 watchFolder*1 watchTree*2 close | ${WRITES}makeFolder deleteFile `
            + 'deleteFolder move copyFile copyFolder saveFile saveFolder link deleteLink writableFile>File '
            + 'writableSubRoot>FS',
    },
    'FS.v': { inner: { sync: 'FS.v.sync' }, methods: `${READS}listVersions | ${WRITES}archiveCurrent` },
    'FS.v.sync': {
        methods: `${SYNC}diffCurrentAndRemoteFolderVersions diffCurrentAndRemoteFileVersions statRemoteItem `
            + 'listRemoteFolderItem getRemoteFileItem getRemoteFolderItem | startUpload upload adoptRemoteFolderItem '
            + 'absorbRemoteFolderChanges',
    },
    File: { props: 'name isNew writable', inner: { v: 'File.v' }, methods: `${FILE_READS}watch*0 | ${FILE_WRITES}` },
    'File.v': {
        inner: { sync: 'File.v.sync' }, methods: `${FILE_READS}listVersions | ${FILE_WRITES}archiveCurrent`,
    },
    'File.v.sync': { methods: `${SYNC}diffCurrentAndRemoteVersions | startUpload upload` },
    FileByteSource: { methods: 'readNext readAt getSize seek getPosition', closeOnDrop: true },
    FileByteSink: { methods: 'getSize splice truncate showLayout done', closeOnDrop: true },
    SymLink: { props: 'readonly isFile isFolder', methods: 'target' },
    FSCollection: { methods: 'get getAll entries>FSEntries watch*0' },
    FSEntries: { methods: 'next' },
    Promise: { methods: 'wait' },
    RPCConnection: { methods: 'makeRequestReplyCall startObservableCall*2 close', closeOnDrop: true },
    IncomingRPCConnection: { methods: 'watch*0 send close', closeOnDrop: true },
};

function parseMethods(text) {
    const methods = Object.create(null);
    let writable = false;
    for (const word of text.split(' ')) {
        if (word === '|') { writable = true; }
        const [, name, mark, at, returns = ''] = /^(\w+)([@*^]?)(\d?)(?:>(\w+))?$/.exec(word) ?? [];
        if (!name) { continue; }
        methods[name] = {
            observable: mark === '*', progress: mark === '^', dates: mark === '@', at: Number(at), returns, writable,
        };
    }
    return methods;
}

// Each is parsed when it is first needed: a component uses few of them, and its start-up counts.
function parsed(rows, parse) {
    const done = new Map();
    return name => {
        if (!done.has(name) && hasOwn(rows, name)) { done.set(name, parse(rows[name])); }
        return done.get(name);
    };
}

const NONE = Object.freeze(Object.create(null));
const listedMethods = parsed(CAPABILITIES, parseMethods);

Object.assign(globalThis.__ipcParts, {
    capabilityMethods: name => listedMethods(name) ?? NONE,
    objectType: parsed(OBJECTS, ({ props, inner = {}, methods, closeOnDrop = false }) => ({
        props: props ? props.split(' ') : [], inner: Object.entries(inner), closeOnDrop, methods: parseMethods(methods),
    })),
    OBJ_TYPE: Symbol.for('w3n obj_type'),
});
}

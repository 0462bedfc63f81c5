// The names that a core's bundles must have. __bundleContract = {
//   core, coreMembers, started, client: surfaces, arrays of {name, kind, without?}: name is a path of members, kind
//     what `kindOf` gives, without says of a name that may be left out what there is not then
//   rowsOf(surface, root) -> [{name, expected, status: 'ok' | 'absent' | 'missing' | 'wrong kind', seen?, note?}]
//   requireAll(of, rows): throws a `core-bundle` exception that names all that is missing or of a wrong kind
//   kindOf(value) }
'use strict';
{

const needed = (kind, names) => names.split(' ').map(name => ({ name, kind }));
const optional = (kind, names, without) => names.split(' ').map(name => ({ name, kind, without }));

const msgProtoType = [
    ...needed('object', 'msgProtoType'), ...needed('function', 'msgProtoType.pack msgProtoType.unpack'),
];

const core = [
    ...needed('function', 'Core Core.make'),
    ...optional('function', 'makeNetClient makeServiceLocator', 'the core has no network'),
    ...optional('function', 'dohAt', 'the platform looks up TXT records itself'),
    ...optional('function', 'appDirs makeLogger', 'the platform has its own'),
    ...optional('function', 'Buffer', 'random bytes are plain Uint8Arrays'),
    ...optional('string', 'signUpUrl', 'nobody can sign up before setSignUpServer'),
    ...needed('object', 'ipc'),
    ...needed('function', 'ipc.ObjectsConnector ipc.ObjectsConnector.makeCoreSide'),
    ...msgProtoType.map(({ name, kind }) => ({ name: `ipc.${name}`, kind })),
    ...needed('function', 'ipc.exposeStartupW3N ipc.exposeW3N'),
    ...needed('object', 'ipc.serviceSideJSONWrap'),
];

/** Of what `Core.make` gives. */
const coreMembers = [
    ...needed('function', 'start startDirectlyFromCache makeCAPsForApp close'),
    ...optional('function', 'getRootKey', 'apps cannot set the automatic login; its user can'),
    ...optional('function', 'getStorages', 'the platform does not ask for it'),
    ...optional('function', 'onDeviceSystemSuspend onDeviceSystemResume',
        'the core is not told of the machine\'s sleep'),
    ...optional('object', 'connectivityEvents', 'components do not hear of the connection with the servers'),
];

/** Of what `start()` gives. */
const started = [
    ...needed('object', 'capsForStartup capsForStartup.signIn capsForStartup.signUp'),
    ...needed('promise', 'coreInit coreAppsInit'),
    ...['createUserParams', 'addUser', 'getAvailableAddresses', 'isActivated', 'watchBoot'].map(
        name => ({ name: `capsForStartup.signUp.${name}`, kind: 'function' })),
    ...optional('function', 'capsForStartup.signUp.setSignUpServer capsForStartup.signUp.getAvailableDomains',
        'sign-up knows one server'),
    ...['getUsersOnDisk', 'startLoginToRemoteStorage', 'completeLoginAndLocalSetup', 'useExistingStorage',
        'watchBoot'].map(name => ({ name: `capsForStartup.signIn.${name}`, kind: 'function' })),
];

const client = [
    ...needed('function', 'ObjectsConnector ObjectsConnector.makeClientSide'),
    ...msgProtoType,
    ...needed('function', 'promiseW3Nclient makeStartupW3Nclient'),
    ...needed('object', 'callerSideJSONWrap'),
    ...optional('function', 'Buffer', 'messages are plain Uint8Arrays'),
];

function kindOf(value) {
    if (value === null) { return 'null'; }
    if (typeof value !== 'object') { return typeof value; }
    return typeof value.then === 'function' ? 'promise' : 'object';
}

/** The value at a path; a getter of a bundle may throw. */
function look(root, name) {
    try {
        let value = root;
        for (const part of name.split('.')) { value = value?.[part]; }
        return { value, kind: kindOf(value) };
    } catch (error) {
        return { kind: 'error', note: `reading it throws ${error}` };
    }
}

function row(root, { name, kind, without }) {
    const { kind: seen, note } = look(root, name);
    if (seen === kind) { return { name, expected: kind, status: 'ok' }; }
    if (seen !== 'undefined') {
        return { name, expected: kind, status: 'wrong kind', seen, ...(note && { note }) };
    }
    if (without) { return { name, expected: kind, status: 'absent', note: `optional: ${without}` }; }
    return { name, expected: kind, status: 'missing' };
}

const rowsOf = (surface, root) => surface.map(entry => row(root, entry));

function requireAll(of, rows) {
    const missing = rows.filter(({ status }) => status === 'missing').map(({ name }) => name);
    const wrong = rows.filter(({ status }) => status === 'wrong kind');
    if (missing.length === 0 && wrong.length === 0) { return; }
    const lacks = missing.length > 0 ? [`lacks ${missing.join(', ')}`] : [];
    const odd = wrong.map(({ name, expected, seen }) => `${name} is of kind ${seen}, not ${expected}`);
    throw {
        runtimeException: true, type: 'core-bundle', missing, wrongKind: wrong.map(({ name }) => name),
        message: `${of}: ${[...lacks, ...odd].join('; ')}; \`corehost core check\` tells all, BUILDING.md what is`
            + ' meant',
    };
}

globalThis.__bundleContract = Object.freeze({ core, coreMembers, started, client, rowsOf, requireAll, kindOf });
}

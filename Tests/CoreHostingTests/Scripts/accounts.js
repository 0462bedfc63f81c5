// Users of the embedded core; `accountChecks` are run one by one, each over a folder of its own. scrypt is counted and
// made cheap.
(() => {
'use strict';

const { makeCryptor } = globalThis.__platformParts;
const fs = platform.device_fs;
const derived = [];
const logged = [];

device.nacl_scrypt = (passwd, salt, logN, r, p, length, progress) => {
    derived.push([logN, r, p].join(' '));
    return nativeDispatch('nacl_scrypt', [passwd, salt, 4, r, p, length, progress]);
};
for (const level of ['warn', 'error']) { console[level] = (...args) => { logged.push(args.join(' ')); }; }

const made = (conf = {}) => __core3NWeb.Core.make(
    { dataDir: '.', ...conf }, undefined, undefined, makeCryptor, random);

/** A started core with its start-up capabilities. */
function started(saveStorageKey) {
    const core = made();
    const { capsForStartup, coreInit } = core.start(saveStorageKey);
    return { core, coreInit, ...capsForStartup };
}

async function signedUp(address, password, saveStorageKey) {
    const { core, coreInit, signUp } = started(saveStorageKey);
    await signUp.createUserParams(password, () => {});
    same(await signUp.addUser(address), true, address);
    await coreInit;
    return core;
}

async function signedIn(address, password) {
    const { core, signIn, coreInit } = started();
    same(await signIn.useExistingStorage(address, password), true, address);
    await coreInit;
    return core;
}

const filesOf = async core => {
    const { caps } = core.makeCAPsForApp('a.app', { storage: { appFS: 'default' } });
    return caps.storage.getAppLocalFS();
};
const flagsOf = exception => Object.keys(exception).filter(
    key => exception[key] === true && key !== 'runtimeException');
/** A key store that fails with `flag`. */
const failing = (flag, message) => async name => {
    throw { runtimeException: true, type: 'keystore', keyName: name, [flag]: true, message };
};
const failure = async promise => {
    const exception = await rejection(promise);
    return [exception.type, ...flagsOf(exception)].join(' ');
};
const accountFiles = async () => (await fs.readdir('users')).map(name => `users/${name}/account.json`);
const changeAccount = async (path, change) => {
    await fs.writeFile(path, change(await fs.readFile(path, { encoding: 'utf8' })), { encoding: 'utf8' });
};
const takeLog = () => logged.splice(0).join('\n');

globalThis.accountChecks = {
    async 'users sign up and in, several in one folder, each with storage of their own'() {
        const first = await signedUp('Ana@Example.com', 'one');
        await (await filesOf(first)).writeTxtFile('f', 'of ana');
        same(await first.makeCAPsForApp('a.app', { mailerid: true }).caps.mailerid.getUserId(), 'ana@example.com');
        await first.close();
        const second = await signedUp('bob@example.com', 'two');
        same(await (await filesOf(second)).checkFilePresence('f'), false);
        await (await filesOf(second)).writeTxtFile('f', 'of bob');
        await second.close();
        const { signIn, core, coreInit } = started();
        same(await signIn.getUsersOnDisk(), ['ana@example.com', 'bob@example.com']);
        same(await signIn.useExistingStorage('ana@example.com', 'two'), false, 'the password of another');
        same(await signIn.useExistingStorage('ana@example.com', 'one '), false, 'a password with more');
        same(await signIn.useExistingStorage('eve@example.com', 'one'), false, 'an unknown address');
        const told = [];
        same(await signIn.useExistingStorage('ana@example.com', 'one', part => told.push(part)), true);
        same([told.at(-1), told.every((part, i) => i === 0 || part > told[i - 1])], [100, true]);
        same(await coreInit, 'ana@example.com');
        same(await (await filesOf(core)).readTxtFile('f'), 'of ana');
        same(await failure(signIn.useExistingStorage('bob@example.com', 'two')), 'account signedInAlready');
        await core.close();
        same(await (await filesOf(await signedIn('bob@example.com', 'two'))).readTxtFile('f'), 'of bob');
        same(takeLog(), '');
    },

    async 'a wrong password and an unknown address take as long as a right one'() {
        await (await signedUp('ana@example.com', 'one')).close();
        derived.length = 0;
        for (const [address, password] of [
            ['ana@example.com', 'one'], ['ana@example.com', 'wrong'], ['eve@example.com', 'one']]) {
            const { core, signIn } = started();
            await signIn.useExistingStorage(address, password);
            await core.close();
        }
        same(derived, ['17 3 1', '17 3 1', '17 3 1']);
    },

    async 'two spellings of an address are one user'() {
        await (await signedUp('Ana Maria@Example.COM', 'p')).close();
        const { signIn, signUp, core } = started();
        same(await signIn.getUsersOnDisk(), ['anamaria@example.com']);
        await signUp.createUserParams('other');
        for (const spelling of ['anamaria@example.com', 'ANAMARIA@EXAMPLE.COM', 'a n a maria@example.com']) {
            same(await signUp.addUser(spelling), false, spelling);
            same(await signUp.isActivated(spelling), true, spelling);
            same(await signUp.getAvailableAddresses(spelling), [], spelling);
        }
        same(await signUp.getAvailableAddresses('new'), ['new@local']);
        same(await signUp.getAvailableAddresses('new@any.domain'), ['new@any.domain']);
        same(await signIn.useExistingStorage(' anaMaria@example.com', 'p'), true);
        await core.close();
    },

    async 'addresses of every strange kind'() {
        const { signIn, signUp, core } = started();
        await signUp.createUserParams('p');
        for (const bad of ['', 'ana', '@', 'ana@', '@example.com', 'a@b@c', 'ana@exa mple.com', 'ana@.com', 'ana@a..b',
            'ana@example.com.', 'ana@example.com ', 'ana\n@example.com', 'ana\0@example.com', 'ana@exa\u200bmple.com',
            'a\u200bna@example.com', 'a/../b@example.com', '\ud800@example.com', 'ana@\udfff.com',
            `${'x'.repeat(250)}@example.com`, 'ana@example.com/..', 'a\u00a0na@example.com', undefined, null, 7, {}, [],
            ['ana@example.com'], { toString: () => 'ana@example.com' }]) {
            const signsIn = address => signIn.useExistingStorage(address, 'p');
            for (const call of [signUp.addUser, signsIn, signUp.isActivated]) {
                same(await failure(call(bad)), 'account badAddress', `${JSON.stringify(bad)} in ${call}`);
            }
        }
        await rejection(fs.readdir('users'));
        for (const good of ['ž@příklad.cz', '"quoted"@x', 'a.b+c_d-e!#$%&*=?^`{|}~@sub.example.com',
            '用户@例子.广告', '🙂@example.com', 'x@127.0.0.1', `${'x'.repeat(240)}@example.com`]) {
            await (await signedUp(good, 'p')).close();
            await (await signedIn(good, 'p')).close();
        }
        same(await failure(signIn.startLoginToRemoteStorage('ana@example.com')), 'account notAvailable');
        await core.close();
    },

    async 'passwords of every strange kind'() {
        const { signIn, signUp, core } = started();
        for (const bad of ['', 'x'.repeat(1001), '🙂'.repeat(1001), '\ud800', undefined, null, 7, {}, ['p'],
            new Uint8Array([1])]) {
            same(await failure(signUp.createUserParams(bad)), 'account badPassword', `${bad}`.slice(0, 20));
            same(await failure(signIn.useExistingStorage('a@b', bad)), 'account badPassword', `${bad}`.slice(0, 20));
        }
        same(await failure(signUp.addUser('a@b')), 'account noParameters');
        await core.close();
        for (const [i, good] of [' ', '\0', '\n', 'p\0q', 'p', 'P', '🙂'.repeat(1000), 'ž'].entries()) {
            await (await signedUp(`user${i}@b`, good)).close();
            await (await signedIn(`user${i}@b`, good)).close();
            const other = started();
            same(await other.signIn.useExistingStorage(`user${i}@b`, `${[...good].slice(0, 999).join('')}x`), false, `${i}`);
            await other.core.close();
        }
        // However the keyboard composes it.
        await (await signedIn('user7@b', 'z\u030c')).close();
        same(logged.join('\n').includes('p\0q'), false);
    },

    async 'a kept key opens without the password, and no other does'() {
        const kept = [];
        const core = await signedUp('ana@b', 'p', async (userId, key) => { kept.push([userId, key.slice()]); });
        await (await filesOf(core)).writeTxtFile('f', 'kept');
        same(kept.length, 1);
        const [userId, key] = kept[0];
        same(userId, 'ana@b');
        await core.close();
        await (await signedUp('bob@b', 'p')).close();
        const again = made();
        const boot = await again.startDirectlyFromCache(userId, key);
        same(await boot.coreInit, 'ana@b');
        const events = [];
        await new Promise(resolve => boot.watchBoot({ next: event => events.push(event.coreInit), complete: resolve }));
        same(events, [50, 100]);
        same(await (await filesOf(again)).readTxtFile('f'), 'kept');
        await again.close();
        for (const [address, bytes] of [['bob@b', key], ['eve@b', key], ['ana@b', new Uint8Array(32)]]) {
            const other = made();
            same(await other.startDirectlyFromCache(address, bytes), undefined, address);
            await other.close();
        }
    },

    async 'the key of the signed-in user is made of his password, and of no other'() {
        const kept = [];
        const core = await signedUp('ana@b', 'p', async (userId, key) => { kept.push(key.toHex()); });
        await (await filesOf(core)).writeTxtFile('f', 'kept');
        for (const password of ['q', 'P', 'p ']) {
            const told = [];
            same([password, await core.getRootKey('ana@b', password, part => told.push(part))], [password, undefined]);
            // As much work as for the right one.
            same(told.at(-1), 100);
        }
        same(await core.getRootKey('bob@b', 'p', () => {}), undefined);
        same(await failure(core.getRootKey('ana@b', '')), 'account badPassword');
        const key = await core.getRootKey('ANA@b', 'p', () => {});
        same([key.toHex()], kept);
        await core.close();
        const again = made();
        same(await (await again.startDirectlyFromCache('ana@b', key)).coreInit, 'ana@b');
        same(await (await filesOf(again)).readTxtFile('f'), 'kept');
        await again.close();
    },

    async 'a folder that is copied to another device opens with address and password'() {
        await (await filesOf(await signedUp('ana@b', 'p'))).writeTxtFile('f', 'kept');
        await (await signedUp('bob@b', 'p')).close();
        const { keystore_decrypt } = device;
        device.keystore_decrypt = failing('keyLost', 'key "users": lost');
        const { signIn, core, coreInit } = started();
        same(await signIn.getUsersOnDisk(), []);
        const [problem, ...others] = await core.getUserProblems();
        holds(problem.includes('account.json: this device cannot read whose it is') && others.length === 1, problem);
        holds(takeLog().includes('account.json: this device cannot read whose it is (key "users": lost); the user can '
            + 'sign in with address and password'), 'the log tells');
        same(await signIn.useExistingStorage('ana@b', 'wrong'), false);
        const told = [];
        same(await signIn.useExistingStorage('ana@b', 'p', part => told.push(part)), true);
        holds(told.every((part, i) => i === 0 || part >= told[i - 1]) && told.at(-1) === 100, `progress ${told}`);
        same(await (await filesOf(core)).readTxtFile('f'), 'kept');
        same(await coreInit, 'ana@b');
        await core.close();
        device.keystore_decrypt = keystore_decrypt;
        same(await started().signIn.getUsersOnDisk(), ['ana@b', 'bob@b']);
    },

    async 'a key store that cannot be used keeps nobody out'() {
        const { keystore_encrypt } = device;
        device.keystore_encrypt = failing('storeLocked', 'it is locked');
        await (await signedUp('ana@b', 'p')).close();
        same(takeLog(), 'the user will not be listed on this device, but can sign in: it is locked');
        same(await started().signIn.getUsersOnDisk(), []);
        await (await signedIn('ana@b', 'p')).close();
        device.keystore_encrypt = keystore_encrypt;
        await (await signedIn('ana@b', 'p')).close();
        same(await started().signIn.getUsersOnDisk(), ['ana@b']);
        takeLog();
        device.keystore_encrypt = failing('storeLocked', 'it is locked');
        same(await failure(made({ local: true }).start().coreInit), 'keystore storeLocked');
    },

    async 'a damaged account is named, and hurts nobody else'() {
        await (await signedUp('ana@b', 'p')).close();
        const [path] = await accountFiles();
        const text = await fs.readFile(path, { encoding: 'utf8' });
        await (await signedUp('bob@b', 'p')).close();
        const digit = text.indexOf('"forPassword"') + 30;
        const remedy = 'restore it from a backup; without one, what the user has stored cannot be read any more';
        for (const [changed, message] of [
            ['', `is not JSON; ${remedy}`], [text.slice(0, -40), `is not JSON; ${remedy}`],
            ['{}', `was changed or is not whole; ${remedy}`], ['null', `was changed or is not whole; ${remedy}`],
            [`${text.slice(0, digit)}${text[digit] === 'A' ? 'B' : 'A'}${text.slice(digit + 1)}`,
                `was changed or is not whole; ${remedy}`],
            [text.replace('"logN": 17', '"logN": 1'), `was changed or is not whole; ${remedy}`],
            [text.replace('"format": 1', '"format": 2'),
                'has format 2, made by a newer version; this one knows up to 1: use the newer version'],
        ]) {
            await fs.writeFile(path, changed, { encoding: 'utf8' });
            const { signIn, core } = started();
            same(await signIn.getUsersOnDisk(), ['bob@b'], changed);
            holds(takeLog().includes(`./${path}: ${message}`), `the log has: ${message}`);
            const exception = await rejection(signIn.useExistingStorage('ana@b', 'p'));
            same([exception.type, exception.path, exception.message],
                ['data-folder', `./${path}`, `./${path}: ${message}`]);
            same(await signIn.useExistingStorage('bob@b', 'p'), true);
            await core.close();
        }
        await fs.writeFile(path, text, { encoding: 'utf8' });
        await (await signedIn('ana@b', 'p')).close();
        await fs.writeFile(path.replace('account.json', 'else'), 'x', { encoding: 'utf8' });
        await fs.writeFile('users/stray', 'x', { encoding: 'utf8' });
        await fs.mkdir('users/half-made');
        await (await signedIn('ana@b', 'p')).close();
    },

    async 'a folder of another version is refused and stays as it is'() {
        const refused = async (path, content, flag, words) => {
            await fs.writeFile(path, content, { encoding: 'utf8' });
            const before = await fs.readdir('.');
            for (const conf of [{}, { local: true }]) {
                const core = made(conf);
                const { coreInit, capsForStartup } = core.start();
                const exception = await rejection(coreInit);
                same([exception.type, exception.path, flagsOf(exception)], ['data-folder', `./${path}`, [flag]]);
                holds(exception.message.includes(words), exception.message);
                if (capsForStartup.signIn) {
                    same(await failure(capsForStartup.signIn.getUsersOnDisk()), `data-folder ${flag}`);
                }
                const fromCache = made(conf).startDirectlyFromCache('ana@b', new Uint8Array(32));
                same(await failure(fromCache), `data-folder ${flag}`);
            }
            same([await fs.readdir('.'), await fs.readFile(path, { encoding: 'utf8' })], [before, content]);
            await fs.unlink(path);
        };
        await refused('format.json', '{"format":3}', 'newerFormat', 'format 3, made by a newer version');
        await refused('format.json', '{"format":1}', 'olderFormat', 'format 1, of a test version');
        await refused('format.json', '{"format":', 'damaged', 'has no format number but "{\\"format\\":"');
        await refused('format.json', '[]', 'damaged', 'restore it from a backup');
        await refused('local-user.json', '{"userId":"user@local"}', 'olderFormat', 'kept files in the clear');
        await (await signedUp('ana@b', 'p')).close();
    },

    async 'the local user needs the device that made him'() {
        const core = made({ local: true });
        const { capsForStartup, coreInit } = core.start();
        same([Object.keys(capsForStartup), await coreInit], [[], 'user@local']);
        await (await filesOf(core)).writeTxtFile('f', 'kept');
        await core.close();
        const { signIn, signUp } = started();
        same([await signIn.getUsersOnDisk(), await signUp.isActivated('user@local')], [[], true]);
        const again = made({ local: true });
        await again.start().coreInit;
        same(await (await filesOf(again)).readTxtFile('f'), 'kept');
        await again.close();
        device.keystore_decrypt = failing('keyLost', 'key "users": lost');
        const [path] = await accountFiles();
        const exception = await rejection(made({ local: true }).start().coreInit);
        same([exception.type, exception.keyLost, exception.message], ['data-folder', true,
            `./${path}: the device's key does not open it: key "users": lost. Bring that key back, or remove `
                + `./${path.slice(0, -13)} with all that is in it`]);
    },

    async 'a close ends it all, and another user signs in in the same context'() {
        const keys = [];
        const keep = async (userId, key) => { keys.push(key.toHex()); };
        const core = await signedUp('ana@b', 'p', keep);
        const files = await filesOf(core);
        const written = files.writeTxtFile('f', 'under way');
        await core.close();
        await core.close();
        same([await written, await failure(files.readTxtFile('f'))], [undefined, 'file opNotPermitted storageClosed']);
        for (const call of [() => core.getRootKey('ana@b', 'p'), () => core.makeCAPsForApp('a.app', {})]) {
            same(await failure((async () => call())()), 'account notSignedIn');
        }
        const waiting = started();
        await waiting.core.close();
        same(await failure(waiting.coreInit), 'account closed');
        same(await failure(waiting.signIn.useExistingStorage('ana@b', 'p')), 'account signedInAlready');
        const other = await signedUp('bob@b', 'p', keep);
        same(new Set(keys).size, 2, 'keys are their users\' own');
        await other.close();
        same(await (await filesOf(await signedIn('ana@b', 'p'))).readTxtFile('f'), 'under way');
    },
};

Object.assign(globalThis, { signedUp, signedIn, filesOf, takeLog, accountFiles });
})();

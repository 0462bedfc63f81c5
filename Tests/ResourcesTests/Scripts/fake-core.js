// A core for tests of logins: users and passwords in memory (`users`), nothing stored, everything told (`told`). A test
// may hold a step back: `gates.signIn = Promise.withResolvers()`, and so for `init` and `close`.
(() => {
'use strict';

function fakeCore() {
    const told = [];
    const users = new Map();
    const gates = {};
    const keyOf = address => ({ key: new TextEncoder().encode(`key of ${address}`) });
    let made = 0;

    class Core {
        #number = (made += 1);
        #save;
        #parameters;
        #user = Promise.withResolvers();
        #conf;

        static make(conf) { return new Core(conf); }

        constructor(conf) {
            this.#conf = conf;
            this.#user.promise.catch(() => {});
            this.#tell(`made ${JSON.stringify(conf)}`);
        }

        #tell(what) { told.push(`${this.#number} ${what}`); }

        async #enter(address) {
            this.#tell(`enter ${address}`);
            await this.#save?.(address, keyOf(address));
            await gates.init?.promise;
            this.#user.resolve(address);
            return true;
        }

        start(save) {
            this.#save = save;
            this.#tell('start');
            if (this.#conf.local) { this.#user.resolve('user@local'); }
            const watchBoot = observer => {
                observer.next({ message: 'boot goes on' });
                return () => this.#tell('boot unwatched');
            };
            const signIn = {
                watchBoot,
                getUsersOnDisk: async () => [...users.keys()],
                useExistingStorage: async (address, password, progress) => {
                    progress(50);
                    await gates.signIn?.promise;
                    return users.get(address) === password && this.#enter(address);
                },
                startLoginToRemoteStorage: async address => address === 'remote@x.y',
                completeLoginAndLocalSetup: async password => password === 'remote' && this.#enter('remote@x.y'),
            };
            const signUp = {
                watchBoot,
                createUserParams: async (password, progress) => {
                    progress(100);
                    this.#parameters = password;
                },
                addUser: async address => {
                    if (users.has(address)) { return false; }
                    users.set(address, this.#parameters);
                    return this.#enter(address);
                },
            };
            return {
                capsForStartup: this.#conf.local ? {} : { signIn, signUp },
                coreInit: this.#user.promise, coreAppsInit: this.#user.promise.then(() => {}),
            };
        }

        async startDirectlyFromCache(userId, storageKey) {
            this.#tell(`cached ${userId}`);
            if (gates.cacheFails) { throw new Error('the cache is broken'); }
            const isRight = new TextDecoder().decode(storageKey.key) === `key of ${userId}`;
            if (!isRight || !users.has(userId)) { return undefined; }
            Promise.resolve(gates.init?.promise).then(
                () => this.#user.resolve(userId), reason => this.#user.reject(reason));
            return { coreInit: this.#user.promise, watchBoot: () => () => {} };
        }

        async getRootKey(address, password, progress) {
            progress(100);
            await gates.rootKey?.promise;
            return users.get(address) === password ? keyOf(address) : undefined;
        }

        makeCAPsForApp() {
            return {
                caps: { storage: { getAppLocalFS: async () => ({ checkFilePresence: async () => false }) } },
                close() {},
            };
        }

        async close() {
            this.#tell('close');
            await gates.close?.promise;
            this.#user.reject(new Error('closed'));
        }
    }

    return { Core, told, users, gates };
}

globalThis.fakeCore = fakeCore;
})();

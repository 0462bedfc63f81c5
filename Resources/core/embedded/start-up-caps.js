// What there is before a user is signed in: `signIn` and `signUp`.
'use strict';
{

const { canonicalAddress, passwordBytes, accountException } = globalThis.__embeddedCore;

/** The domain that is offered; any other may be typed. */
const offeredDomain = 'local';

const notHere = what => accountException('notAvailable',
    `${what} is not available in the embedded core: its users are those of this device`);

/**
 * `accounts()` promises the `Accounts` once the data folder is found usable; `enter(user)` takes the user who has
 * signed in or up, and `isSignedIn()` tells whether one has; `watchBoot(observer)` watches the core's start.
 */
function makeStartUpCaps({ accounts, enter, isSignedIn, watchBoot }) {
    let parameters;
    let line = Promise.resolve();

    /** One after the other, and none once a user is signed in. */
    const inLine = step => {
        const done = line.then(() => {
            if (isSignedIn()) {
                throw accountException('signedInAlready', 'a user is signed in; log out first');
            }
            return step();
        });
        line = done.catch(() => {});
        return done;
    };

    function forget() {
        parameters?.passwordKey.fill(0);
        parameters = undefined;
    }

    const signIn = {
        getUsersOnDisk: async () => (await accounts()).addresses(),

        /** False for a wrong password and for an unknown address, after the time that a right one takes. */
        useExistingStorage: (address, password, progress) => inLine(async () => {
            const canonical = canonicalAddress(address);
            const bytes = passwordBytes(password);
            try {
                const user = await (await accounts()).openWithPassword(canonical, bytes, progress);
                if (user) { await enter(user); }
                return user !== undefined;
            } finally {
                bytes.fill(0);
            }
        }),

        async startLoginToRemoteStorage() { throw notHere('login to storage on a server'); },
        async completeLoginAndLocalSetup() { throw notHere('login to storage on a server'); },
        watchBoot,
    };

    const signUp = {
        async setSignUpServer() { throw notHere('a sign-up server'); },
        getAvailableDomains: async () => [offeredDomain],

        /** `name` may be an address already, of any domain. */
        async getAvailableAddresses(name) {
            const address = canonicalAddress(String(name).includes('@') ? name : `${name}@${offeredDomain}`);
            return await (await accounts()).isTaken(address) ? [] : [address];
        },

        createUserParams: (password, progress) => inLine(async () => {
            const bytes = passwordBytes(password);
            try {
                forget();
                parameters = await (await accounts()).parametersFor(bytes, progress);
            } finally {
                bytes.fill(0);
            }
        }),

        /** Makes the user for whom `createUserParams` was called, and signs in; false for an address that is taken. */
        addUser: address => inLine(async () => {
            const canonical = canonicalAddress(address);
            if (!parameters) {
                throw accountException('noParameters', 'call createUserParams with the password first');
            }
            const all = await accounts();
            if (await all.isTaken(canonical)) { return false; }
            const user = await all.create(canonical, parameters);
            forget();
            await enter(user);
            return true;
        }),

        isActivated: async address => (await accounts()).isTaken(canonicalAddress(address)),
        watchBoot,
    };

    return { signIn, signUp, forget };
}

Object.assign(globalThis.__embeddedCore, { makeStartUpCaps });
}

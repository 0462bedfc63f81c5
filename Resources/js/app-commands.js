// What `corehost apps` asks: the apps there are, and those that could be, in plain JSON.
'use strict';
{

const { appException, notInstalled, compareVersions, isVersion, manifestOf } = globalThis.__platformParts;

/** `caps` gives the platform's PlatformCaps. */
function makeAppCommands(apps, caps) {
    const { packs } = apps;

    /** The newest of the bundled pack and those that were added; undefined without any. */
    async function newestPack(app) {
        const bundled = (await packs.bundled.list()).find(({ id }) => id === app)?.version;
        const added = (await packs.list()).find(({ id }) => id === app)?.versions.at(-1);
        if (bundled === undefined || added === undefined) { return bundled ?? added; }
        return compareVersions(bundled, added) >= 0 ? bundled : added;
    }

    return Object.freeze({
        /** → `{apps: [{app, name, version, from, pack}]}`, by domain; `version` null = not installed. */
        async listApps() {
            const current = new Map(apps.list().map(app => [app.appDomain, app]));
            const domains = new Set(current.keys());
            for (const { id } of [...await packs.bundled.list(), ...await packs.list()]) { domains.add(id); }
            const rows = await Promise.all([...domains].sort().map(async app => ({
                app, name: current.get(app)?.manifest.name ?? null, version: current.get(app)?.version ?? null,
                from: current.has(app) ? apps.originOf(app) : null, pack: await newestPack(app) ?? null,
            })));
            return { apps: rows };
        },

        /** Installs the newest version that there is a pack of, and launches what it launches on system start-up. */
        async installApp({ app }) {
            const version = await newestPack(app);
            if (version === undefined) {
                throw appException(app, ['packNotFound'],
                    'there is no pack of it; `corehost apps list` shows those there are');
            }
            const current = apps.find(app)?.version;
            if (apps.originOf(app) === 'bundled' && isVersion(current) && compareVersions(version, current) <= 0) {
                throw appException(app, ['bundledApp'],
                    `version ${current} comes with the platform, the pack has ${version}`);
            }
            if (!await packs.has(app, version)) { await apps.addPackFromBundled(app); }
            await apps.install(app, version);
            await apps.closeOutdated(app);
            await caps().triggerStartupLaunchers([apps.find(app)]);
            return { app, version };
        },

        async uninstallApp({ app }) {
            const version = apps.find(app)?.version ?? null;
            await apps.uninstall(app);
            return { app, version };
        },

        /** The manifest of the app that is there, else of its newest pack that was added. */
        async showApp({ app }) {
            const current = apps.find(app);
            if (current) { return { app, version: current.version, manifest: current.manifest }; }
            const version = (await packs.list()).find(({ id }) => id === app)?.versions.at(-1);
            if (version === undefined) { throw notInstalled(app, false); }
            return { app, version, manifest: manifestOf(await packs.codeOf(app, version).text('manifest.json'), app) };
        },
    });
}

Object.assign(globalThis.__platformParts, { makeAppCommands });
}

import Testing

/// The bundled apps as they are, each a function in the test's own context.
@Suite struct AppsTests {
    private static let bundled = #"""
        const prefix = 'apps/';
        const apps = Object.fromEntries(Object.entries(sources).filter(([path]) => path.startsWith(prefix))
            .map(([path, text]) => [path.slice(prefix.length), text]));
        const AsyncFunction = (async () => {}).constructor;
        const programs = Object.fromEntries(Object.entries(apps).filter(([path]) => path.includes('/app/'))
            .map(([path, text]) => [path.replace('/app/', '/'), new AsyncFunction('w3n', 'w3nRPC', text)]));
        const started = async (disk = new Disk()) => {
            const platform = await platformUnderTest({ apps, programs, disk });
            await platform.init();
            return platform;
        };
        const caller = (app, service) => new Proxy({}, { get: (_, method) => (...args) => __coreCallAsync('callService',
            { appDomain: `${app}.app.privacysafe.io`, service, method, args }) });
        const contacts = caller('contacts', 'AppContacts');
        const chat = caller('chat', 'ChatConversations');
        const treasure = caller('treasure', 'TreasureNotes');
        const die = (platform, app) => platform.kill(
            [...platform.components.values()].find(({ id }) => id.startsWith(app)).connectorId);
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.bundled + script) }

    @Test func allStartWithTheSystemAndHaveNoProblems() throws {
        try run(
            #"""
            await started();
            const { components, problems } = __coreCall('listComponents');
            same(problems, []);
            same(components.map(c => [c.appDomain + c.entrypoint, c.startup, c.services]), [
                ['chat.app.privacysafe.io/background-instance.mjs', true, ['ChatConversations']],
                ['contacts.app.privacysafe.io/contactDenoServices.js', true, ['AppContacts']],
                ['treasure.app.privacysafe.io/treasureDenoServices.js', true, ['TreasureNotes']]]);
            """#)
    }

    @Test func contactsAreCheckedOrderedAndFound() throws {
        try run(
            #"""
            await started();
            const eve = await contacts.add({ name: ' Eve ', mail: 'Eve@Example.com' });
            const ana = await contacts.add({ name: 'Ana', phone: '1' });
            same([eve.name, eve.mail, ana.mail], ['Eve', 'eve@example.com', '']);
            same((await contacts.list()).map(({ name }) => name), ['Ana', 'Eve']);
            same((await contacts.find('EXAMPLE')).map(({ id }) => id), [eve.id]);
            same(await contacts.get(ana.id), ana);
            for (const [call, flag] of [
                [() => contacts.add({ name: '' }), 'badContact'],
                [() => contacts.add({ name: 'x', mail: 'none' }), 'badContact'],
                [() => contacts.add({ name: 7 }), 'badContact'],
                [() => contacts.add(null), 'badContact'],
                [() => contacts.add({ name: 'x'.repeat(201) }), 'badContact'],
                [() => contacts.add({ name: 'Eva', mail: 'EVE@example.com' }), 'contactExists'],
                [() => contacts.get('../x'), 'contactNotFound'],
                [() => contacts.delete('none'), 'contactNotFound'],
                [() => contacts.find(), 'badQuery'],
            ]) {
                const exception = await rejection(call());
                same([exception.type, exception[flag]], ['contacts', true], String(call));
            }
            await contacts.delete(ana.id);
            same((await contacts.list()).map(({ name }) => name), ['Eve']);
            """#)
    }

    @Test func chatLooksNamesUpAndKeepsMessagesInOrder() throws {
        try run(
            #"""
            const platform = await started();
            const { id } = await contacts.add({ name: 'Ana', mail: 'ana@example.com' });
            const conversation = await chat.start([id, id]);
            same([conversation.title, conversation.members], ['Ana', [{ id, name: 'Ana', mail: 'ana@example.com' }]]);
            const sent = await Promise.all(['a', 'b', 'c'].map(text => chat.send(conversation.id, text)));
            same(sent.map(({ number, text, from }) => [number, text, from]),
                [[1, 'a', 'user@local'], [2, 'b', 'user@local'], [3, 'c', 'user@local']]);
            same(await chat.messages(conversation.id, { after: 1, limit: 1 }), [sent[1]]);
            same(await chat.messages(conversation.id), sent);
            same((await rejection(chat.start(['none']))).contactNotFound, true);
            same((await rejection(chat.start([]))).badConversation, true);
            same((await rejection(chat.send('none', 'x'))).conversationNotFound, true);
            same((await rejection(chat.send(conversation.id, ' '))).badMessage, true);
            same((await rejection(chat.messages(conversation.id, { limit: 0 }))).badRange, true);
            die(platform, 'contacts');
            same((await chat.start([id], 'After')).title, 'After');
            """#)
    }

    @Test func newMessagesAreObserved() throws {
        try run(
            #"""
            apps['chat.app.privacysafe.io/manifest.json'] = JSON.stringify((manifest => {
                manifest.components['/watcher.js'] =
                    { runtime: 'deno', capsRequested: { appRPC: ['ChatConversations'] } };
                return manifest;
            })(JSON.parse(apps['chat.app.privacysafe.io/manifest.json'])));
            apps['chat.app.privacysafe.io/app/watcher.js'] = '// a function here';
            const platform = await started();
            const { w3n, w3nRPC } = await platform.launch('chat.app.privacysafe.io/watcher.js');
            const seen = [];
            w3nRPC.connect(w3n.rpc.thisApp('ChatConversations')).observe('watchMessages',
                { next: ({ text }) => seen.push(text) });
            const { id } = await chat.start([(await contacts.add({ name: 'Ana' })).id]);
            await chat.send(id, 'one');
            await chat.send(id, 'two');
            await nextTurn();
            same(seen, ['one', 'two']);
            """#)
    }

    @Test func notesAreKeptAndListedNewestFirst() throws {
        try run(
            #"""
            await started();
            const first = await treasure.add({ title: ' First ', text: 'text', tags: ['b', 'a', 'b'] });
            same([first.title, first.tags], ['First', ['a', 'b']]);
            while (Date.now() === first.changedAt) { await nextTurn(); }
            const second = await treasure.add({ title: 'Second' });
            same((await treasure.list()).map(({ title, text }) => [title, text === undefined]),
                [['Second', true], ['First', true]]);
            same((await treasure.list('a')).map(({ id }) => id), [first.id]);
            const changed = await treasure.update(first.id, { text: 'more' });
            same([changed.title, changed.text, changed.addedAt], ['First', 'more', first.addedAt]);
            same(await treasure.get(first.id), changed);
            await treasure.delete(second.id);
            same((await rejection(treasure.get(second.id))).noteNotFound, true);
            for (const note of [{}, { title: ' ' }, { title: 'x', tags: [1] }, { title: 'x', text: 5 }, null]) {
                same((await rejection(treasure.add(note))).badNote, true, JSON.stringify(note));
            }
            """#)
    }

    @Test func whatWasAnsweredSurvivesAKillAndABrokenFileHurtsNobodyElse() throws {
        try run(
            #"""
            const killed = new Disk();
            const platform = await started(killed);
            const ana = await contacts.add({ name: 'Ana' });
            const eve = await contacts.add({ name: 'Eve' });
            const conversation = await chat.start([ana.id]);
            await chat.send(conversation.id, 'kept');
            const note = await treasure.add({ title: 'kept' });
            const filesOf = app => [...platform.components.values()].find(({ id }) => id.startsWith(app))
                .w3n.storage.getAppLocalFS();
            await (await filesOf('contacts')).writeTxtFile(`contacts/${eve.id}.json`, '{broken');
            await (await filesOf('chat')).makeFolder('conversations/half-made');
            await started(killed.afterKill());
            same(await contacts.list(), [ana]);
            same((await chat.list()).map(({ id, lastNumber }) => [id, lastNumber]), [[conversation.id, 1]]);
            same((await chat.send(conversation.id, 'next')).number, 2);
            same((await chat.messages(conversation.id)).map(({ text }) => text), ['kept', 'next']);
            same(await treasure.get(note.id), note);
            """#)
    }
}

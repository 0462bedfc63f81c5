import TestSupport
import Testing

/// A core's start makes thousands of file calls, most of them `stat` of what is not there.
@Suite struct PublicFileCallTests {
    /// The first look at a name is the disk's; from then on the kernel knows by heart, and no thread is asked: the port
    /// throws, instead of giving a promise.
    @Test func nothingIsAnsweredWithoutTheDisk() throws {
        let folder = try TemporaryFolder()
        let script = """
            const names = Array.from({ length: 3000 }, (_, i) => `objects-${i}`);
            for (const name of names) { await failure(port("fs_stat", name)); }
            const answers = new Set();
            let promises = 0;
            for (const name of names) {
                try {
                    __nativeCallDispatch("fs_stat", [name]).catch(() => {});
                    promises += 1;
                } catch (e) {
                    answers.add(`${e.type} ${e.code} ${e.notFound} ${e.path === name}`);
                }
            }
            return [[...answers], promises < 30];
            """
        #expect(try onPorts(folder, script) == #"[["file ENOENT true true"],true]"#)
    }
}

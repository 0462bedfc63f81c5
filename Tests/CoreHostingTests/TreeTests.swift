import TestSupport
import Testing

/// A tree of the embedded core over real files; `Scripts/tree.js` has the checks.
@Suite struct Trees {
    @Test(arguments: [
        "files are written, read in parts and replaced", "content under way is not seen before it is committed",
        "folders, links, moves and copies", "what cannot be done is refused by its code",
        "versions are kept, and go with their file", "changes are told",
        "what was changed or cut on disk is an exception that names the file, and hurts no other",
        "what others put among the files is left alone and told",
    ]) func holds(_ check: String) throws {
        let folder = try TemporaryFolder()
        let result = try onTree(
            folder, scripts: ["tree.js"],
            """
            const { tree, ready } = treeAt();
            await ready;
            await treeChecks["\(check)"](tree);
            await tree.close();
            return (await rejection(tree.stat(["x"]))).opNotPermitted;
            """)
        #expect(result == "true")
    }
}

import Foundation
import TestSupport
import Testing

/// Users of the embedded core over real files; `Scripts/accounts.js` has the checks.
@Suite struct Accounts {
    @Test(arguments: [
        "users sign up and in, several in one folder, each with storage of their own",
        "a wrong password and an unknown address take as long as a right one",
        "two spellings of an address are one user", "addresses of every strange kind",
        "passwords of every strange kind", "a kept key opens without the password, and no other does",
        "a folder that is copied to another device opens with address and password",
        "a key store that cannot be used keeps nobody out", "a damaged account is named, and hurts nobody else",
        "a folder of another version is refused and stays as it is", "the local user needs the device that made him",
        "a close ends it all, and another user signs in in the same context",
    ]) func hold(_ check: String) throws {
        let folder = try TemporaryFolder()
        let result = try onTree(
            folder, scripts: ["accounts.js"], "await accountChecks[`\(check)`](); return true;")
        #expect(result == "true")
    }

    /// Every byte of every file and name on disk, against each secret in the forms that a leak would have.
    @Test func whatIsOnDiskHoldsNoNameNoContentAndNoPassword() throws {
        let folder = try TemporaryFolder()
        let secrets = [
            "anastasia", "example-domain", "correct horse", "secret-folder", "secret-name", "secret-link",
            "secret-target", "secret-content", "secret-attribute", "secret-value", "secret.app",
        ]
        _ = try onTree(
            folder, scripts: ["accounts.js"],
            """
            const core = await signedUp("anastasia@example-domain.com", "correct horse battery");
            const tree = core.getStorages().treeOf("synced", "secret.app");
            for (const size of [1, 100, 10000]) {
                const names = ["secret-folder", `secret-name ${size}`];
                const set = { "secret-attribute": "secret-value" };
                await tree.write(names, encode("secret-content ".repeat(size)), { xattrs: { set } });
                await tree.archiveCurrent(names);
                await tree.write(names, encode("other secret-content"));
            }
            await tree.makeLink(["secret-link"], { path: "secret-target" });
            await tree.setXattrs(["secret-folder"], { set: { "secret-attribute": "secret-value" } });
            const content = tree.newContent();
            await content.append(encode("secret-content ".repeat(10000)));
            const { caps } = core.makeCAPsForApp("secret.app", { storage: { appFS: "default" } });
            await (await caps.storage.getAppLocalFS()).writeTxtFile("secret-name", "secret-content");
            await core.close();
            const local = __core3NWeb.Core.make(
                { dataDir: ".", local: true }, undefined, undefined, __platformParts.makeCryptor, random);
            await local.start().coreInit;
            await local.close();
            """)
        let root = URL(filePath: folder.path).appending(path: "fs")
        let forms = secrets.flatMap { secret in Self.forms(of: Data(secret.utf8)).map { (secret, $0) } }
        var files = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
            let place = root.appending(path: path).path
            let attributes = try FileManager.default.attributesOfItem(atPath: place)
            var bytes = Data(path.utf8)
            switch attributes[.type] as? FileAttributeType {
            case .typeRegular: bytes += try Data(contentsOf: URL(filePath: place))
            case .typeSymbolicLink: bytes += Data(try FileManager.default.destinationOfSymbolicLink(atPath: place).utf8)
            default: break
            }
            files += 1
            for (secret, form) in forms { #expect(bytes.range(of: form) == nil, "\(secret) in \(path)") }
        }
        #expect(files > 20)
    }

    /// As it is, in UTF-16, in hexadecimal digits, and in base64 from each of the three places in a group.
    private static func forms(of secret: Data) -> [Data] {
        let wide = Data(secret.flatMap { [$0, 0] })
        let digits = Data(secret.map { String(format: "%02x", $0) }.joined().utf8)
        let base64 = (0..<3).map { shift in
            // Of the first and last group only what the secret alone decides.
            let text = (Data(repeating: 0, count: shift) + secret).base64EncodedString()
            return Data(text.dropFirst(shift == 0 ? 0 : 4).prefix(((secret.count + shift) / 3 - 1) * 4).utf8)
        }
        return [secret, wide, digits] + base64
    }
}

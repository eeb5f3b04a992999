import type { ArchiveReason } from "@backplane/contract/registry";
import type { RawEntry } from "./raw-zip.suite.ts";

/** Names that are refused, each added to a good archive. */
export function hostileNames(): [ArchiveReason, string, RawEntry[]][] {
  const one = (path: string): RawEntry[] => [{ path, bytes: "x" }];
  const two = (first: string, second: string): RawEntry[] => [...one(first), ...one(second)];
  const bytes = (name: string): RawEntry[] => [
    { path: "plugins/x", bytes: "x", both: { name: latin1(name), flags: 0 } },
  ];
  return [
    ["absolute-path", "an absolute path", one("/etc/cron.d/x")],
    ["absolute-path", "a path with a drive", one("C:/Windows/x.dll")],
    ["absolute-path", "a path relative to a drive", one("c:x.dll")],
    ["absolute-path", "a network path", one("//server/share/x")],
    ["path-outside", "a path that climbs out", one("../../x.sh")],
    ["path-outside", "a path that climbs out of an installed folder", one("plugins/../../x.sh")],
    ["path-outside", "a path that climbs and comes back", one("plugins/y/../x.py")],
    ["path-outside", "a folder that climbs out", [{ path: "plugins/../", store: true }]],
    ["backslash-in-path", "backslashes that climb out", one("plugins\\..\\..\\x.sh")],
    ["backslash-in-path", "backslashes for slashes", one("plugins\\x.py")],
    ["bad-name", "an empty name", one("")],
    ["bad-name", "a part that is empty", one("plugins//x.py")],
    ["bad-name", "a part that is a dot", one("plugins/./x.py")],
    ["bad-name", "a NUL in a name", one("plugins/x.py\0.txt")],
    ["bad-name", "a line break in a name", one("plugins/x\n.py")],
    ["bad-name", "an escape sequence in a name", one("plugins/\u001b[2Jx.py")],
    ["bad-name", "a name that turns the text around", one("plugins/x\u202eyp.exe")],
    ["bad-name", "a name that Windows keeps for a device", one("plugins/con")],
    ["bad-name", "a device with an extension", one("plugins/NUL.txt")],
    ["bad-name", "a device as a folder", one("plugins/lpt1/x.py")],
    ["bad-name", "a dot at the end of a name", one("plugins/x.py.")],
    ["bad-name", "a space at the end of a folder", one("plugins/x /y.py")],
    ["bad-name", "an alternate stream", one("plugins/x.py:hidden")],
    ["bad-name", "a name that is not UTF-8, said to be", [{ path: "x", both: { name: latin1("plugins/\xff") } }]],
    ["bad-name", "a name in some other encoding", bytes("plugins/\x84.py")],
    ["path-too-long", "a path of 300 characters", one(`plugins/${"a".repeat(146)}/${"b".repeat(145)}`)],
    ["path-too-deep", "thirty folders", one(`plugins/${"a/".repeat(30)}x`)],
    ["duplicate-entry", "the same file twice", two("plugins/x.py", "plugins/x.py")],
    ["duplicate-entry", "metadata.json twice", one("metadata.json")],
    ["case-collision", "names that differ in case", two("plugins/x.py", "plugins/X.py")],
    ["case-collision", "folders that differ in case", two("plugins/a/x.py", "plugins/A/y.py")],
    ["case-collision", "metadata.json in capitals", one("METADATA.JSON")],
    ["case-collision", "names that differ in how an accent is spelt", two("plugins/\u00e9", "plugins/e\u0301")],
    ["case-collision", "sharp s and two of them", two("plugins/stra\u00dfe", "plugins/STRASSE")],
    ["file-and-folder", "a file that is also a folder", two("plugins/x", "plugins/x/y.py")],
    ["file-and-folder", "a folder that is also a file", two("plugins/x/y.py", "plugins/x")],
    ["file-and-folder", "a folder entry that is also a file", [...one("plugins/x"), { path: "plugins/x/" }]],
    ["file-and-folder", "a file in the place of an installed folder", one("plugins")],
  ];
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

import { crc32, deflateRawSync } from "node:zlib";
import { extraField, goodAnd, longs, type RawEntry, rawZip, words } from "./raw-zip.suite.ts";
import { sampleEntries } from "./samples.suite.ts";
import { FLAGS, IN_ZIP64, SIGNATURES, UNIX_MODE } from "./zip-records.ts";
import { zip64End } from "./zip64.suite.ts";

const PATH = "plugins/x.py";
const BYTES = "print('the same, the same')\n";
const packedSize = deflateRawSync(BYTES).length;
const crc = crc32(BYTES);

/** Archives as common tools write them; each has one more file than the sample, with its path and contents. */
export function acceptedArchives(): { name: string; bytes: Buffer; path: string; content: string }[] {
  const one = (more: Partial<RawEntry>) => goodAnd([{ path: PATH, bytes: BYTES, ...more }]);
  const descriptor = (after: Buffer, local = {}) =>
    one({ both: { flags: FLAGS.descriptor }, local: { crc: 0, size: 0, packedSize: 0, ...local }, after });
  const inZip64 = { size: IN_ZIP64.long, packedSize: IN_ZIP64.long };
  const sizes = extraField(1, longs(BYTES.length, packedSize));
  const times = extraField(0x5455, Buffer.from([1, 0, 0, 0, 0]));
  const mac = { path: "__MACOSX/plugins/._x.py", bytes: "Mac OS X" };
  const renamed = (header: string, path: string) => {
    const extra = extraField(0x7075, Buffer.concat([Buffer.from([1]), words(crc32(header)), Buffer.from(path)]));
    return one({ both: { name: Buffer.from(header), flags: 0, extra } });
  };
  const accent = "plugins/\u00e4.py";

  const kinds: [string, Buffer, string?][] = [
    ["deflated", one({})],
    ["stored", one({ store: true })],
    ["with a descriptor", descriptor(words(SIGNATURES.descriptor, crc, packedSize, BYTES.length))],
    ["with a descriptor without signature", descriptor(words(crc, packedSize, BYTES.length))],
    [
      "with a long descriptor",
      descriptor(Buffer.concat([words(SIGNATURES.descriptor, crc), longs(packedSize, BYTES.length)]), {
        ...inZip64,
        extra: extraField(1, longs(0, 0)),
      }),
    ],
    [
      "with a long descriptor without signature",
      descriptor(Buffer.concat([words(crc), longs(packedSize, BYTES.length)])),
    ],
    ["with a descriptor and a header that is filled in", descriptor(words(crc, packedSize, BYTES.length), { crc })],
    ["with folder entries", goodAnd([{ path: "plugins/" }, { path: PATH, bytes: BYTES }, { path: "symbols/" }])],
    [
      "with a folder after what is in it",
      goodAnd([
        { path: PATH, bytes: BYTES },
        { path: "plugins/", store: true },
      ]),
    ],
    [
      "with a folder that has the flag of a descriptor but none",
      goodAnd([
        { path: "plugins/", store: true, both: { flags: FLAGS.descriptor } },
        { path: PATH, bytes: BYTES },
      ]),
    ],
    ["with a program", one({ mode: UNIX_MODE.file | 0o755 })],
    ["with a mode that says no type", one({ both: { mode: 0o644 } })],
    ["as macOS packs, with its extra folder", goodAnd([{ path: PATH, bytes: BYTES, both: { flags: 0 } }, mac])],
    [
      "with more at the top level",
      goodAnd([
        { path: PATH, bytes: BYTES },
        { path: "README.md", bytes: "Hello" },
      ]),
    ],
    ["with times in extra fields", one({ both: { extra: times } })],
    [
      "with other extra fields in both headers",
      one({ local: { extra: times }, central: { extra: times.subarray(0, 0) } }),
    ],
    ["with padding in an extra field", one({ local: { extra: Buffer.concat([times, Buffer.alloc(3)]) } })],
    ["with zip64 sizes in the local header", one({ local: { ...inZip64, extra: sizes } })],
    ["with zip64 sizes in both headers", one({ both: { ...inZip64, extra: sizes } })],
    ["with a zip64 end that is not needed", goodAnd([{ path: PATH, bytes: BYTES }], { before: zip64End() })],
    [
      "with a zip64 end that is",
      goodAnd([{ path: PATH, bytes: BYTES }], {
        before: zip64End(),
        entries: IN_ZIP64.short,
        size: IN_ZIP64.long,
        offset: IN_ZIP64.long,
      }),
    ],
    ["with a comment", goodAnd([{ path: PATH, bytes: BYTES }], { comment: Buffer.from("a".repeat(40)) })],
    ["with metadata.json further on", rawZip([{ path: PATH, bytes: BYTES }, ...sampleEntries()])],
    ["with a name in UTF-8 that does not say so", one({ both: { name: Buffer.from(accent), flags: 0 } }), accent],
    ["with a name in an extra field", renamed("plugins/#U00e4.py", accent), accent],
    ["with the same name in an extra field", renamed(PATH, PATH)],
    ["made on Windows", madeOnWindows(one({}))],
  ];
  return kinds.map(([name, bytes, path = PATH]) => ({ name, bytes, path, content: BYTES }));
}

/** The last entry of the directory: made by FAT, with the attribute "archive". */
function madeOnWindows(bytes: Buffer): Buffer {
  const record = bytes.lastIndexOf("PK\u0001\u0002");
  bytes.writeUInt16LE(20, record + 4);
  bytes.writeUInt32LE(0x20, record + 38);
  return bytes;
}

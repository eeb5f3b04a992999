import type { Status } from "@backplane/contract/registry";
import { writeZip, type ZipEntry } from "./write-zip.ts";

export type Sample = {
  identifier?: string;
  version?: string;
  epoch?: number;
  status?: Status;
  /** Instead of one small plugin. */
  files?: Record<string, string | Uint8Array>;
  /** Nothing is compressed. */
  store?: boolean;
  /** Absent: a small PNG; null: none. */
  icon?: Uint8Array | null;
  /** Overrides top-level fields of the metadata. */
  metadata?: Record<string, unknown>;
  brand?: string;
};

/** One pixel. */
export const SAMPLE_ICON = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A small valid archive with one version. */
export const sampleArchive = (sample: Sample = {}): Buffer => writeZip(sampleEntries(sample));

export function sampleEntries(sample: Sample = {}): ZipEntry[] {
  const { files = { "plugins/__init__.py": "print('Hello')\n" }, icon = SAMPLE_ICON, store = false } = sample;
  const contents: Record<string, string | Uint8Array> = {
    "metadata.json": `${JSON.stringify(sampleMetadata(sample), null, 2)}\n`,
    ...files,
    ...(icon ? { "resources/icon.png": icon } : {}),
  };
  return Object.entries(contents).map(([path, content]) => ({
    path,
    bytes: typeof content === "string" ? Buffer.from(content) : content,
    store,
  }));
}

export function sampleMetadata(sample: Sample = {}): Record<string, unknown> {
  const { identifier = "org.example.sample", version = "1.0.0", epoch, status = "stable", brand = "tool" } = sample;
  return {
    name: "Sample",
    description: "A package to try things with",
    description_full: "It is small and good.",
    identifier,
    type: "plugin",
    author: { name: "Ada", contact: { web: "https://example.org" } },
    license: "MIT",
    resources: { homepage: "https://example.org/sample" },
    tags: ["sample"],
    versions: [
      { version, ...(epoch === undefined ? {} : { version_epoch: epoch }), status, [`${brand}_version`]: "9.0" },
    ],
    ...sample.metadata,
  };
}

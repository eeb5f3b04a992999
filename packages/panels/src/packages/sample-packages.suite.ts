import { createHash } from "node:crypto";
import type { OfferedPanel, PanelManifest, PanelWants } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import type { LibraryPackages, PanelPackages, ReadPackageRules } from "../services.ts";

export const NO_PACKAGES: PanelPackages = {
  list: async () => [],
  versions: async () => [],
  files: async () => new Map(),
  unpack: async () => ({ faults: [{ message: "There is no panel in this archive" }] }),
};

export const NO_LIBRARIES: LibraryPackages = {
  symbols: async (_userId, identifier) => {
    throw new Problem("package-unknown", { detail: `There is no package ${identifier}.` });
  },
};

export const NO_RULES: ReadPackageRules = async () => undefined;

const WANTS_NOTHING: PanelWants = { read: [], control: [], files: [], tools: [] };

export const samplePanel = (wants: Partial<PanelWants> = {}): PanelManifest => ({
  ...{ name: "gauge", title: "Gauge", description: "Shows a number", category: "Visualization" },
  ...{ entry: "index.js", style: null, tools: [], wants: { ...WANTS_NOTHING, ...wants } },
});

export const sampleVersion = (version: string, wants: Partial<PanelWants> = {}): OfferedPanel => ({
  ...{ identifier: "com.example.gauge", version, owner: "ada", status: "stable", size: 1_000 },
  sha256: createHash("sha256")
    .update(`${version} ${JSON.stringify(wants)}`)
    .digest("hex"),
  panel: samplePanel(wants),
});

/** A registry with these versions, latest first. A draft is its manifest as JSON. */
export function samplePackages(versions: readonly OfferedPanel[]): PanelPackages {
  const files = new Map([["index.js", Buffer.from("document.title = 'Gauge';")]]);
  return {
    list: async () => versions.slice(0, 1),
    versions: async (_userId, identifier) => versions.filter((each) => each.identifier === identifier.toLowerCase()),
    files: async () => files,
    async unpack(archive) {
      const panel = JSON.parse(archive.toString()) as PanelManifest;
      const sha256 = createHash("sha256").update(archive).digest("hex");
      return { identifier: "com.example.gauge", version: "1.0.0", sha256, panel, files };
    },
  };
}

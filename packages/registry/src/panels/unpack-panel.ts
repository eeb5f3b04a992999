import { PANEL_FOLDER, PANEL_JSON, PANEL_PACKAGE_LIMITS, type PanelManifest } from "@backplane/contract/panels";
import type { CheckNote } from "@backplane/contract/registry";
import { orRefusal } from "../archives/archive.ts";
import { readArchive } from "../archives/read-archive.ts";
import { readPackage } from "../metadata/read.ts";
import { readPanel } from "./read-panel.ts";

/** The files of a panel by their path in plugins/panel. */
export type PanelFiles = ReadonlyMap<string, Buffer>;

export type UnpackedPanel = {
  identifier: string;
  version: string;
  sha256: string;
  panel: PanelManifest;
  files: PanelFiles;
};

/** The panel in an archive in memory, after the same checks as publishing makes. */
export async function unpackPanel(
  archive: Buffer,
  brands: readonly string[],
): Promise<UnpackedPanel | { faults: CheckNote[] }> {
  const files = new Map<string, Buffer>();
  let open: { path: string; pieces: Buffer[] } | undefined;
  let bytes = 0;
  const read = await orRefusal(() =>
    readArchive(
      archive,
      { limits: { maxBytes: PANEL_PACKAGE_LIMITS.maxArchiveBytes } },
      {
        async start() {},
        async open({ path }) {
          open = path.startsWith(PANEL_FOLDER) ? { path: path.slice(PANEL_FOLDER.length), pieces: [] } : undefined;
        },
        async write(piece) {
          bytes += open ? piece.length : 0;
          // What is too large is refused below; it need not be kept.
          if (bytes <= PANEL_PACKAGE_LIMITS.maxPanelBytes) open?.pieces.push(Buffer.from(piece));
        },
        async close() {
          if (open) files.set(open.path, Buffer.concat(open.pieces));
        },
      },
    ),
  );
  if ("refusal" in read) {
    const { reason, message, path } = read.refusal;
    return { faults: [{ level: "error", rule: reason, message, ...(path === undefined ? {} : { path }) }] };
  }
  const metadata = readPackage(read.archive.metadata, { brands });
  if ("faults" in metadata) return { faults: metadata.faults };
  const { identifier, type, versions } = metadata.package;
  const [version] = versions;
  const text = files.get(PANEL_JSON.slice(PANEL_FOLDER.length))?.toString();
  if (type !== "plugin" || text === undefined || !version) return { faults: [noPanel()] };
  const checked = readPanel(text, read.archive.files);
  if ("faults" in checked) return checked;
  return { identifier, version: version.version, sha256: read.sha256, panel: checked.panel, files };
}

const noPanel = (): CheckNote => ({
  ...{ level: "error", rule: "panel", path: PANEL_JSON },
  message: "There is no panel in this archive: its type must be plugin, with this file.",
});

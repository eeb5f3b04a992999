import type { Package, PackageVersion } from "@backplane/contract/registry";

/** An install of something that is installed is an update, or a reinstall of the same version. */
export type Change =
  | {
      kind: "install";
      /** In the neutral spelling. */
      package: Package;
      version: PackageVersion;
      /** A file whose sha256 and size were verified. */
      archive: string;
      repository: { id: string; name: string };
      /** False: a pin of the version before goes. */
      keepPinned?: boolean;
    }
  | { kind: "uninstall"; identifier: string }
  /**
   * Brings back what is missing or altered, from the archive of the installed version. `keep` are the keep_on_update
   * patterns of that version, for when nothing is known of them here.
   */
  | { kind: "repair"; identifier: string; archive: string; keep?: readonly string[] };

/** While the archive is unpacked: the file that was just written, and bytes of how many. */
export type InstallProgress = { identifier: string; path: string; done: number; total: number };

export const identifierOf = (change: Change): string =>
  change.kind === "install" ? change.package.identifier : change.identifier;

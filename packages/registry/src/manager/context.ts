import type { Package, PackageVersion } from "@backplane/contract/registry";
import type { Tool } from "../versions/compatible.ts";
import type { InstalledEntry } from "./installed.ts";
import type { Installation } from "./installing/installation.ts";
import type { Progress } from "./manager-types.ts";
import type { ArchiveCache } from "./repositories/archive-cache.ts";
import type { Configured } from "./repositories/configured.ts";
import type { ListSources } from "./repositories/fetch-list.ts";
import type { Lists } from "./repositories/lists.ts";
import type { Transport } from "./repositories/transport.ts";

/** What is installed of one package, in the neutral spelling. */
export type InstalledPackage = {
  entry: InstalledEntry;
  package: Package;
  /** As its metadata had it when it was installed; a field's client may have left it out. */
  version: PackageVersion | undefined;
  current: { version: string; version_epoch: number };
};

/** What the manager's calls work with. */
export type Context = {
  root: string;
  brand: string;
  tool: Tool;
  now: () => number;
  signal: AbortSignal | undefined;
  transport: Transport;
  sources: ListSources;
  configured: Configured;
  lists: Lists;
  archives: ArchiveCache;
  onProgress: (progress: Progress) => void;
  /** The installation is locked while `act` runs. */
  useInstallation<Result>(act: (installation: Installation) => Promise<Result>): Promise<Result>;
};

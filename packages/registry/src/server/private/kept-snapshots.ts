import { namedFiles, type Snapshot } from "../catalogue/snapshot.ts";

/** Of all addresses together. Anybody may publish much metadata and make many addresses of it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Per address. A client that reads slowly still gets the files that its repository.json named. */
const MAX_SNAPSHOTS = 3;

const bytesOf = (snapshots: readonly Snapshot[]): number =>
  snapshots.flatMap(namedFiles).reduce((sum, { size }) => sum + size, 0);

/** The files of secret addresses that were read last: what is not kept is made again. */
export function createKeptSnapshots(maxBytes = MAX_BYTES) {
  /** Newest first; the address that got one last is the last. */
  const kept = new Map<string, { snapshots: readonly Snapshot[]; bytes: number }>();
  let bytes = 0;

  function drop(token: string): void {
    bytes -= kept.get(token)?.bytes ?? 0;
    kept.delete(token);
  }

  return {
    of: (token: string): readonly Snapshot[] => kept.get(token)?.snapshots ?? [],
    bytes: () => bytes,

    /** The newest one is kept in any case, until another address gets one. */
    add(token: string, newest: Snapshot): void {
      const all = [newest, ...(kept.get(token)?.snapshots ?? [])].slice(0, MAX_SNAPSHOTS);
      while (all.length > 1 && bytesOf(all) > maxBytes) all.pop();
      drop(token);
      const own = bytesOf(all);
      for (const oldest of kept.keys()) {
        if (bytes + own <= maxBytes) break;
        drop(oldest);
      }
      kept.set(token, { snapshots: all, bytes: own });
      bytes += own;
    },
  };
}

import { DEVICES_LIMITS } from "@backplane/contract/devices";

type Part = {
  /** What this workspace may keep now. */
  maxBytes(): number;
  leave(): void;
};

/** The memory for samples, which the workspaces of this process share. */
export type KeptMemory = {
  /** `makeRoom` is called when the part becomes smaller. */
  join(makeRoom: () => void): Part;
};

export function createKeptMemory({
  maxKeptBytes = DEVICES_LIMITS.maxKeptBytes as number,
  maxKeptBytesOfAll = DEVICES_LIMITS.maxKeptBytesOfAll as number,
} = {}): KeptMemory {
  const all = new Set<() => void>();
  return {
    join(makeRoom) {
      all.add(makeRoom);
      for (const other of all) if (other !== makeRoom) other();
      return {
        maxBytes: () => Math.min(maxKeptBytes, maxKeptBytesOfAll / all.size),
        leave: () => void all.delete(makeRoom),
      };
    },
  };
}

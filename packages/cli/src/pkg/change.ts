import { EXIT } from "@backplane/contract/problems";
import type { InstallOptions } from "@backplane/registry/manager";
import type { DryRun, PkgOptions } from "./options.ts";
import { tellOutcomes } from "./outcomes.ts";
import { ensureRepository, type Ground, withManager } from "./with-manager.ts";

type Host = NodeJS.Process;

export type InstallFlags = PkgOptions &
  Omit<InstallOptions, "version"> & { lock?: string; bundle?: string; anyTool?: boolean };

export const install = (host: Host, specs: readonly string[], options: InstallFlags): Promise<number> =>
  withManager(host, options, async (ground) => {
    const { manager } = ground;
    const { dryRun = false, force = false, changeRepository = false } = options;
    if (options.lock !== undefined) {
      return told(ground, await manager.installFromLock(options.lock, { dryRun }));
    }
    if (options.bundle !== undefined) {
      const identifiers = specs.length > 0 ? { identifiers: specs } : {};
      return told(
        ground,
        await manager.installFromBundle(options.bundle, { dryRun, force, changeRepository, ...identifiers }),
      );
    }
    await ensureRepository(host, ground);
    sayAssumedTool(ground);
    const { allowUnverified = false, pin = false } = options;
    return told(ground, await manager.install(specs, { dryRun, force, changeRepository, allowUnverified, pin }));
  });

export const update = (
  host: Host,
  identifiers: readonly string[],
  options: PkgOptions & DryRun & { allowUnverified?: boolean; changeRepository?: boolean },
): Promise<number> =>
  withManager(host, options, async (ground) => {
    sayAssumedTool(ground);
    const { dryRun = false, allowUnverified = false, changeRepository = false } = options;
    const named = identifiers.length > 0 ? identifiers : undefined;
    const outcomes = await ground.manager.update(named, { dryRun, allowUnverified, changeRepository });
    return tellOutcomes(ground, outcomes, "Nothing is installed here.");
  });

export const uninstall = (host: Host, identifiers: readonly string[], options: PkgOptions & DryRun): Promise<number> =>
  withManager(host, options, async (ground) =>
    told(ground, await ground.manager.uninstall(identifiers, { dryRun: options.dryRun === true })),
  );

export const repair = (host: Host, identifiers: readonly string[], options: PkgOptions & DryRun): Promise<number> =>
  withManager(host, options, async (ground) => {
    const named = identifiers.length > 0 ? identifiers : undefined;
    const outcomes = await ground.manager.repair(named, { dryRun: options.dryRun === true });
    return tellOutcomes(ground, outcomes, "Every file is as it was installed.");
  });

export const setPinned = (host: Host, identifiers: readonly string[], pinned: boolean, options: PkgOptions) =>
  withManager(host, options, async ({ manager, answer, out }) => {
    for (const identifier of identifiers) await (pinned ? manager.pin(identifier) : manager.unpin(identifier));
    answer({ identifiers, pinned }, () =>
      out.line(
        pinned ? `Pinned: update leaves ${identifiers.join(", ")} alone.` : `Unpinned ${identifiers.join(", ")}.`,
      ),
    );
    return EXIT.done;
  });

const told = (ground: Ground, outcomes: Parameters<typeof tellOutcomes>[1]): number =>
  tellOutcomes(ground, outcomes, "Nothing to do.");

function sayAssumedTool({ place, err, json }: Ground): void {
  if (place.isToolGiven || json) return;
  err.line(err.paint("off", `For version ${place.tool.version} of the design tool; --tool says which one you have.`));
}

import { isDeepStrictEqual } from "node:util";
import {
  type AllowPanel,
  type ChosenDevices,
  type DraftPanel,
  type InstalledPanel,
  moreWants,
  type OfferedPanel,
  PANEL_PACKAGE_LIMITS,
  type PanelManifest,
  type PanelWants,
  runsCode,
  wantsNothing,
} from "@backplane/contract/panels";
import { BoundedMap } from "@backplane/kit/bounded-map";
import type { Caller } from "@backplane/kit/callers";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { PanelFiles, Services } from "../services.ts";
import { type Chosen, createPackageStore, type Draft, type PanelKey, type PanelVersion, type Pin } from "./store.ts";

type Options = Pick<Services, "database" | "owners" | "panelPackages" | "now">;

/** A panel loads its files one by one: each would unpack all of them. With the limit of each, 32 MiB. */
const MAX_UNPACKED_DRAFTS = 4;

export type InstalledPanels = ReturnType<typeof createInstalledPanels>;

/**
 * Which panels from packages a workspace has. People add them, version by version: each is pinned by its checksum, with
 * what was allowed to it. A program may only replace one by a version that wants no more.
 */
export function createInstalledPanels({ database, owners, panelPackages, now }: Options) {
  const store = createPackageStore(database);
  const nameOf = async (userId: string) => (await owners.nameOf(userId)) ?? "somebody who has left";

  const describeChosen = async (chosen: Chosen | undefined): Promise<ChosenDevices | null> =>
    chosen
      ? { ids: chosen.ids, chosenBy: await nameOf(chosen.by), chosenAt: new Date(chosen.atMs).toISOString() }
      : null;

  const choiceOf = (ids: string[] | null, by: string): Chosen | "every" =>
    ids === null ? "every" : { ids, by, atMs: now() };

  async function describe({ panel, ...pin }: Pin, userId: string): Promise<InstalledPanel> {
    const offered = await panelPackages.versions(userId, pin.identifier);
    const at = offered.findIndex(({ sha256 }) => sha256 === pin.sha256);
    const newer = (at === -1 ? offered : offered.slice(0, at)).find(({ status }) => status === "stable");
    return {
      ...{ identifier: pin.identifier, version: pin.version, sha256: pin.sha256, panel },
      owner: offered[0]?.owner ?? null,
      allowedBy: await nameOf(pin.allowedBy),
      allowedAt: new Date(pin.allowedAtMs).toISOString(),
      devices: await describeChosen(pin.chosen),
      update: newer ?? null,
    };
  }

  const unpackedDrafts = new BoundedMap<string, Promise<PanelFiles>>({ maxEntries: MAX_UNPACKED_DRAFTS });
  const oneAtATime = limitConcurrency({ atOnce: 1 });
  async function readDraft(key: PanelKey, sha256: string): Promise<PanelFiles> {
    const archive = await store.draftArchive(key, sha256);
    const unpacked = archive && (await panelPackages.unpack(archive));
    if (!unpacked || "faults" in unpacked) throw noDraft();
    return unpacked.files;
  }

  const describeDraft = async ({ panel, allowed, chosen, ...draft }: Draft): Promise<DraftPanel> => ({
    ...{ identifier: draft.identifier, version: draft.version, sha256: draft.sha256, panel },
    sentBy: await nameOf(draft.sentBy),
    sentAt: new Date(draft.sentAtMs).toISOString(),
    until: new Date(draft.sentAtMs + PANEL_PACKAGE_LIMITS.draftLifeMs).toISOString(),
    allowedBy: allowed && covers(allowed.wants, panel.wants) ? await nameOf(allowed.by) : null,
    devices: await describeChosen(chosen),
  });

  /** What a frame may show: 409 until somebody has allowed it. */
  async function shown(key: PanelKey, isDraft: boolean): Promise<PanelVersion & Pick<Pin, "chosen">> {
    if (!isDraft) {
      const pin = await store.pin(key);
      if (!pin) throw new Problem("consent-needed", { detail: "This panel is not in the workspace. Add it first." });
      return pin;
    }
    const draft = await store.draft(key, now());
    if (!draft) throw noDraft();
    if (!draft.allowed || !covers(draft.allowed.wants, draft.panel.wants))
      throw new Problem("consent-needed", { detail: "Nobody has allowed what this draft wants." });
    return draft;
  }

  return {
    async list(workspaceId: string, { userId }: Caller): Promise<{ panels: InstalledPanel[]; drafts: DraftPanel[] }> {
      const [pins, drafts] = await Promise.all([store.pins(workspaceId), store.drafts(workspaceId, now())]);
      return {
        panels: await Promise.all(pins.map((pin) => describe(pin, userId))),
        drafts: await Promise.all(drafts.map(describeDraft)),
      };
    },
    offered: (caller: Caller): Promise<OfferedPanel[]> => panelPackages.list(caller.userId),

    /** Adds a panel, or replaces its version. Nothing is allowed that the caller did not name. */
    async allow(key: PanelKey, caller: Caller, given: AllowPanel): Promise<InstalledPanel> {
      const { version, sha256, wants, devices } = given;
      const versions = await panelPackages.versions(caller.userId, key.identifier);
      const wanted = versions.find((each) => each.sha256 === sha256 && each.version === version);
      if (!wanted)
        throw new Problem("package-unknown", { detail: "There is no panel with this version and checksum." });
      if (!isSame(wants, wanted.panel.wants))
        throw new Problem("consent-needed", { detail: "/wants is not what this version wants. Read it again." });
      // Under its own spelling, whatever the address had.
      const own = { ...key, identifier: wanted.identifier };
      const before = await store.pin(own);
      const isMore = !before || !covers(before.panel.wants, wants);
      if (devices !== undefined && caller.kind !== "Browser")
        throw new Problem("consent-needed", { detail: "A person chooses the devices, in the workspace." });
      if (isMore && caller.kind !== "Browser") {
        throw new Problem("consent-needed", {
          detail: before
            ? `This version wants more than ${before.version}. A person allows it in the workspace.`
            : "A person allows what a new panel wants, in the workspace.",
        });
      }
      // An update that wants no more is still allowed by whoever allowed the first.
      const by = isMore ? { allowedBy: caller.userId, allowedAtMs: now() } : before;
      const { allowedBy, allowedAtMs } = by;
      const pin = { version, sha256, panel: wanted.panel, allowedBy, allowedAtMs };
      const choice = devices === undefined ? undefined : choiceOf(devices, caller.userId);
      const set = await store.setPin(own, { ...pin, choice }, before?.sha256);
      if (set === "too-many") {
        const { maxPerWorkspace } = PANEL_PACKAGE_LIMITS;
        throw new Problem("too-many-of-these", {
          detail: `A workspace has at most ${maxPerWorkspace} panels from packages. Remove one.`,
        });
      }
      if (set === "changed") throw new Problem("package-changed");
      const kept = await store.pin(own);
      if (!kept) throw new Problem("package-changed");
      return describe(kept, caller.userId);
    },
    remove: (key: PanelKey): Promise<boolean> => store.removePin(key),

    /** From now on the panel sees these devices, whoever allowed it. */
    async chooseDevices(key: PanelKey, caller: Caller, ids: string[] | null, isDraft: boolean): Promise<void> {
      const { sha256 } = await shown(key, isDraft);
      const choice = choiceOf(ids, caller.userId);
      if (!(await store.chooseDevices(key, { sha256, choice, isDraft }))) throw new Problem("package-changed");
    },

    async sendDraft(key: PanelKey, caller: Caller, archive: Buffer): Promise<DraftPanel> {
      const unpacked = await panelPackages.unpack(archive);
      if ("faults" in unpacked) {
        const [first] = unpacked.faults;
        const words = [first?.path, first?.pointer, first?.message].filter((part) => part !== undefined && part !== "");
        throw new Problem("archive-refused", {
          detail: `${words.join(" ")}.`,
          errors: unpacked.faults.map(({ pointer = "", message }) => ({ pointer, message })),
        });
      }
      const { identifier, version, sha256, panel } = unpacked;
      if (identifier !== key.identifier)
        throw new Problem("archive-refused", { detail: `The archive is ${identifier}, not ${key.identifier}.` });
      const nowMs = now();
      const set = await store.setDraft(key, { version, sha256, panel, archive, sentBy: caller.userId, nowMs });
      if (set === "too-many") {
        const { maxDraftsPerWorkspace } = PANEL_PACKAGE_LIMITS;
        throw new Problem("too-many-of-these", {
          detail: `A workspace has at most ${maxDraftsPerWorkspace} drafts. Stop one.`,
        });
      }
      const draft = await store.draft(key, nowMs);
      if (!draft) throw new Problem("package-changed");
      return describeDraft(draft);
    },
    async allowDraft(key: PanelKey, caller: Caller, given: AllowPanel): Promise<DraftPanel> {
      const { sha256, wants, devices } = given;
      const draft = await store.draft(key, now());
      if (!draft) throw noDraft();
      if (draft.sha256 !== sha256) throw new Problem("package-changed");
      if (!isSame(wants, draft.panel.wants))
        throw new Problem("consent-needed", { detail: "/wants is not what this draft wants. Read it again." });
      const choice = devices === undefined ? undefined : choiceOf(devices, caller.userId);
      const allowed = { by: caller.userId, wants };
      if (!(await store.allowDraft(key, { ...allowed, sha256, nowMs: now(), choice })))
        throw new Problem("package-changed");
      return describeDraft((await store.draft(key, now())) ?? { ...draft, allowed: { ...allowed, atMs: now() } });
    },
    removeDraft: (key: PanelKey): Promise<boolean> => store.removeDraft(key),

    shown,
    /** What the manifest asks of tabs, also before somebody has allowed a draft. */
    async rules(key: PanelKey, isDraft: boolean): Promise<PanelManifest | undefined> {
      return (isDraft ? await store.draft(key, now()) : await store.pin(key))?.panel;
    },
    async files(key: PanelKey, sha256: string, isDraft: boolean): Promise<PanelFiles> {
      if (!isDraft) return panelPackages.files(key.identifier, sha256);
      if ((await store.draft(key, now()))?.sha256 !== sha256) throw noDraft();
      const known = unpackedDrafts.get(sha256);
      if (known) return known;
      const reading = oneAtATime(() => readDraft(key, sha256));
      unpackedDrafts.set(sha256, reading);
      reading.catch(() => unpackedDrafts.delete(sha256));
      return reading;
    },
  };
}

const noDraft = (): Problem =>
  new Problem("package-unknown", { detail: "There is no such draft. Start it with: backplane panel dev" });

const covers = (allowed: PanelWants, wants: PanelWants): boolean => wantsNothing(moreWants(wants, allowed));

const isSame = (one: PanelWants, other: PanelWants): boolean => {
  const { read, control, files, tools } = one;
  const { eval: _, ...lists } = other;
  return runsCode(one) === runsCode(other) && isDeepStrictEqual({ read, control, files, tools }, lists);
};

import { PANEL_PACKAGE_LIMITS, type PanelManifest, type PanelWants } from "@backplane/contract/panels";
import { type Database, insertWithin } from "@backplane/kit/database";
import type { PanelsTables } from "../tables.ts";

/** One package in one workspace. */
export type PanelKey = { workspaceId: string; identifier: string };
/** A version, as its archive is. */
export type PanelVersion = { version: string; sha256: string; panel: PanelManifest };
/** The devices that a panel sees, who chose them, and when. */
export type Chosen = { ids: string[]; by: string; atMs: number };
/** Undefined: what was chosen before stays, also when somebody chooses at this moment. */
type Choice = { choice: Chosen | "every" | undefined };
/** `chosen` undefined: every device that fits. */
export type Pin = PanelVersion & {
  identifier: string;
  allowedBy: string;
  allowedAtMs: number;
  chosen: Chosen | undefined;
};
export type Draft = PanelVersion & {
  identifier: string;
  sentBy: string;
  sentAtMs: number;
  allowed: { by: string; atMs: number; wants: PanelWants } | undefined;
  chosen: Chosen | undefined;
};

export type PackageStore = ReturnType<typeof createPackageStore>;

const { maxPerWorkspace, maxDraftsPerWorkspace, draftLifeMs } = PANEL_PACKAGE_LIMITS;

/** Which panels from packages a workspace has, and the drafts of those that are being written. */
export function createPackageStore(database: Database<PanelsTables>) {
  const { durable } = database;
  const pins = (workspaceId: string) =>
    durable.selectFrom("panels_packages").selectAll().where("workspace_id", "=", workspaceId);
  const drafts = (workspaceId: string, nowMs: number) =>
    durable
      .selectFrom("panels_drafts")
      .select(["identifier", "version", "sha256", "panel", "sent_by", "sent_at_ms"])
      .select(["allowed_by", "allowed_at_ms", "allowed_wants", "devices", "devices_by", "devices_at_ms"])
      .where("workspace_id", "=", workspaceId)
      .where("sent_at_ms", ">", nowMs - draftLifeMs);

  return {
    async pins(workspaceId: string): Promise<Pin[]> {
      return (await pins(workspaceId).orderBy("identifier").execute()).map(pinOf);
    },
    async pin({ workspaceId, identifier }: PanelKey): Promise<Pin | undefined> {
      const row = await pins(workspaceId).where("identifier", "=", identifier).executeTakeFirst();
      return row && pinOf(row);
    },
    /**
     * Adds it, or replaces exactly the version `before`. "changed": it is another one meanwhile, or it is there although
     * it was not.
     */
    async setPin(
      { workspaceId, identifier }: PanelKey,
      pin: Omit<Pin, "identifier" | "chosen"> & Choice,
      before: string | undefined,
    ): Promise<"added" | "too-many" | "changed"> {
      const { version, sha256, panel, allowedBy, allowedAtMs, choice } = pin;
      const values = {
        ...{ version, sha256, panel: JSON.stringify(panel) },
        ...{ allowed_by: allowedBy, allowed_at_ms: allowedAtMs },
      };
      if (before !== undefined) {
        const { numUpdatedRows } = await durable
          .updateTable("panels_packages")
          .set({ ...values, ...(choice && columnsOf(choice)) })
          .where("workspace_id", "=", workspaceId)
          .where("identifier", "=", identifier)
          .where("sha256", "=", before)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? "added" : "changed";
      }
      const row = { workspace_id: workspaceId, identifier, ...values, ...columnsOf(choice ?? "every") };
      const added = await insertWithin(database, { table: "panels_packages", row, most: maxPerWorkspace });
      return added === "taken" ? "changed" : added;
    },
    /** Of the version that the caller has seen. */
    async chooseDevices(
      { workspaceId, identifier }: PanelKey,
      { sha256, choice, isDraft }: { sha256: string; choice: Chosen | "every"; isDraft: boolean },
    ): Promise<boolean> {
      const { numUpdatedRows } = await durable
        .updateTable(isDraft ? "panels_drafts" : "panels_packages")
        .set(columnsOf(choice))
        .where("workspace_id", "=", workspaceId)
        .where("identifier", "=", identifier)
        .where("sha256", "=", sha256)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async removePin({ workspaceId, identifier }: PanelKey): Promise<boolean> {
      const { numDeletedRows } = await durable
        .deleteFrom("panels_packages")
        .where("workspace_id", "=", workspaceId)
        .where("identifier", "=", identifier)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async drafts(workspaceId: string, nowMs: number): Promise<Draft[]> {
      const rows = await drafts(workspaceId, nowMs).orderBy("identifier").execute();
      return rows.map((row) => draftOf(row, nowMs));
    },
    async draft({ workspaceId, identifier }: PanelKey, nowMs: number): Promise<Draft | undefined> {
      const row = await drafts(workspaceId, nowMs).where("identifier", "=", identifier).executeTakeFirst();
      return row && draftOf(row, nowMs);
    },
    async draftArchive({ workspaceId, identifier }: PanelKey, sha256: string): Promise<Buffer | undefined> {
      const row = await durable
        .selectFrom("panels_drafts")
        .select("archive")
        .where("workspace_id", "=", workspaceId)
        .where("identifier", "=", identifier)
        .where("sha256", "=", sha256)
        .executeTakeFirst();
      return row && Buffer.from(row.archive);
    },
    /** What was allowed to an earlier draft stays allowed, for its time. */
    async setDraft(
      { workspaceId, identifier }: PanelKey,
      draft: PanelVersion & { archive: Uint8Array; sentBy: string; nowMs: number },
    ): Promise<"added" | "too-many"> {
      const { version, sha256, panel, archive, sentBy, nowMs } = draft;
      const values = {
        ...{ version, sha256, panel: JSON.stringify(panel), archive },
        ...{ sent_by: sentBy, sent_at_ms: nowMs },
      };
      await durable
        .deleteFrom("panels_drafts")
        .where("sent_at_ms", "<=", nowMs - draftLifeMs)
        .execute();
      const none = { allowed_by: null, allowed_at_ms: null, allowed_wants: null, ...columnsOf("every") };
      for (;;) {
        const { numUpdatedRows } = await durable
          .updateTable("panels_drafts")
          .set(values)
          .where("workspace_id", "=", workspaceId)
          .where("identifier", "=", identifier)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return "added";
        const row = { workspace_id: workspaceId, identifier, ...values, ...none };
        const added = await insertWithin(database, { table: "panels_drafts", row, most: maxDraftsPerWorkspace });
        if (added !== "taken") return added;
      }
    },
    /** Undefined when there is no such draft, or it is another one meanwhile. */
    async allowDraft(
      { workspaceId, identifier }: PanelKey,
      allowed: { sha256: string; by: string; wants: PanelWants; nowMs: number } & Choice,
    ): Promise<boolean> {
      const { sha256, by, wants, nowMs, choice } = allowed;
      const values = { allowed_by: by, allowed_at_ms: nowMs, allowed_wants: JSON.stringify(wants) };
      const { numUpdatedRows } = await durable
        .updateTable("panels_drafts")
        .set({ ...values, ...(choice && columnsOf(choice)) })
        .where("workspace_id", "=", workspaceId)
        .where("identifier", "=", identifier)
        .where("sha256", "=", sha256)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async removeDraft({ workspaceId, identifier }: PanelKey): Promise<boolean> {
      const { numDeletedRows } = await durable
        .deleteFrom("panels_drafts")
        .where("workspace_id", "=", workspaceId)
        .where("identifier", "=", identifier)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

const pinOf = (row: PanelsTables["panels_packages"]): Pin => ({
  ...{ identifier: row.identifier, version: row.version, sha256: row.sha256 },
  panel: JSON.parse(row.panel) as PanelManifest,
  ...{ allowedBy: row.allowed_by, allowedAtMs: row.allowed_at_ms, chosen: chosenOf(row) },
});

type ChosenColumns = Pick<PanelsTables["panels_packages"], "devices" | "devices_by" | "devices_at_ms">;

const columnsOf = (choice: Chosen | "every"): ChosenColumns =>
  choice === "every"
    ? { devices: null, devices_by: null, devices_at_ms: null }
    : { devices: JSON.stringify(choice.ids), devices_by: choice.by, devices_at_ms: choice.atMs };

function chosenOf({ devices, devices_by: by, devices_at_ms: atMs }: ChosenColumns): Chosen | undefined {
  if (devices === null || by === null || atMs === null) return undefined;
  return { ids: JSON.parse(devices) as string[], by, atMs };
}

function draftOf(row: Omit<PanelsTables["panels_drafts"], "archive" | "workspace_id">, nowMs: number): Draft {
  const { allowed_by: by, allowed_at_ms: atMs, allowed_wants: wants } = row;
  const isAllowed = by !== null && atMs !== null && wants !== null && atMs > nowMs - draftLifeMs;
  return {
    ...{ identifier: row.identifier, version: row.version, sha256: row.sha256 },
    panel: JSON.parse(row.panel) as PanelManifest,
    ...{ sentBy: row.sent_by, sentAtMs: row.sent_at_ms },
    allowed: isAllowed ? { by, atMs, wants: JSON.parse(wants) as PanelWants } : undefined,
    chosen: chosenOf(row),
  };
}

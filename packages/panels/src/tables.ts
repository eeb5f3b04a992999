import type { EvalEnding } from "@backplane/contract/panels";
import type { Generated } from "kysely";

/** Every table of the area. Times are epoch milliseconds. */
export type PanelsTables = {
  panels_workspaces: {
    id: string;
    /** A person's or an organisation's id. */
    owner_id: string;
    repo: string;
    /** In lower case: names that differ only in case would share one folder. */
    repo_key: string;
    /** Where its files are; null: in the folder `repo_key`. A new name does not move them. */
    folder: string | null;
    revision: number;
    /** The root node as JSON. */
    layout: string;
    /** For lists, so that they need not read the layout. */
    tab_count: Generated<number>;
    /** The panels of the outline as JSON, also for lists; null: not written since there are outlines. */
    outline: string | null;
    created_at_ms: number;
    updated_at_ms: number;
  };
  /** With whom a workspace is shared. */
  panels_shares: {
    workspace_id: string;
    /** The id of an account. */
    user_id: string;
    /** Null: the person has not accepted, and may not use it. */
    accepted_at_ms: number | null;
    created_at_ms: number;
  };
  /** What undo needs: `Remembered` as JSON. */
  panels_undo: { workspace_id: string; revision: number; layout: string };
  /** Code that waits, or waited, for a browser. */
  panels_evals: {
    id: string;
    /** The order in which it was sent. */
    seq: Generated<number>;
    workspace_id: string;
    tab_id: string;
    /** As JSON; empty once it has run. */
    code: string;
    timeout_ms: number;
    state: "queued" | "taken" | "done";
    /** An `EvalResult` as JSON. */
    result: string | null;
    created_at_ms: number;
    done_at_ms: number | null;
  };
  /** Code that ran in a sandbox, to run it again after a reload. */
  panels_journal: {
    /** The order in which it ended. */
    seq: Generated<number>;
    /** Made by the page that ran it; "too-much" for the row that says so. */
    id: string;
    workspace_id: string;
    tab_id: string;
    generation: number;
    /** As JSON. */
    code: string;
    bytes: number;
    /** too-much: more code ran than is kept, or it was too long ago. */
    ended: EvalEnding | "too-much";
    at_ms: number;
  };
  panels_log: {
    id: Generated<number>;
    workspace_id: string;
    at_ms: number;
    level: string;
    source: string;
    message: string;
  };
  /** The files and screenshots of all workspaces of an owner. */
  panels_usage: {
    owner_id: string;
    bytes: number;
    /** Files that are being written: their bytes are counted already. */
    writing: number;
    /** Grows with every change of this row. */
    changes: number;
    begun_at_ms: number;
    /** When the bytes were last counted on the disk. */
    counted_at_ms: number;
  };
  /** Steps of lessons that people have done. */
  panels_lessons: {
    workspace_id: string;
    /** The id of an account. */
    user_id: string;
    path: string;
    step: string;
    /** The check as it was then: with another one, the step is to be done again. */
    check_text: string;
    because: string;
    done_at_ms: number;
  };
  /** Panels from packages that people have added to a workspace: exactly this archive. */
  panels_packages: {
    workspace_id: string;
    /** As the registry spells it. */
    identifier: string;
    version: string;
    /** Of the archive. */
    sha256: string;
    /** A `PanelManifest` as JSON: what was allowed is in its `wants`. */
    panel: string;
    /** The id of an account. */
    allowed_by: string;
    allowed_at_ms: number;
    /** Ids of devices as JSON: the panel sees no others. Null: every device that fits. */
    devices: string | null;
    /** The id of the account that chose them, and when. */
    devices_by: string | null;
    devices_at_ms: number | null;
  };
  /** Panels that somebody is writing, sent from a folder. */
  panels_drafts: {
    workspace_id: string;
    identifier: string;
    version: string;
    sha256: string;
    panel: string;
    archive: Uint8Array;
    sent_by: string;
    sent_at_ms: number;
    /** Null: nobody has allowed what it wants. */
    allowed_by: string | null;
    allowed_at_ms: number | null;
    /** `PanelWants` as JSON: what was allowed. */
    allowed_wants: string | null;
    devices: string | null;
    devices_by: string | null;
    devices_at_ms: number | null;
  };
  /** One row: the key that signs passes to the frames of proxied sites. */
  panels_secrets: { id: number; secret: string };
};

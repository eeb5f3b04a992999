/**
 * Which tables a backup contains, in the order in which rows can be inserted: a row comes after those that it refers to. A
 * test compares both lists with the tables that there are, so that a new one cannot be forgotten.
 */
export const KEPT_TABLES = [
  "users",
  "organisations",
  "owner_names",
  "memberships",
  "invitations",
  "organisation_invitations",
  "identities",
  "passkeys",
  "api_keys",
  "removed_owners",
  "registry_packages",
  "registry_versions",
  "registry_state",
  "registry_keys",
  "registry_addresses",
  "panels_workspaces",
  "panels_shares",
  "panels_lessons",
  "panels_undo",
  "panels_journal",
  "panels_log",
  "panels_secrets",
  "panels_packages",
  "devices_keys",
  "devices_stops",
  "devices_settings",
  "devices_sources",
  "devices_streams",
  "devices_channels",
  "devices_buckets",
  "devices_recordings",
  "first_steps",
  "latest",
] as const;

/** What would be wrong after a restore, and why. `backplane move` takes these along: nothing happens in between. */
const LEFT_OUT_TABLES = {
  sessions: "One that was ended since would work again. People and programs sign in again.",
  intents: "They live for minutes, and belong to sessions.",
  intent_callers: "Belongs to intents.",
  password_resets: "Links for an hour; one that was used since would work again.",
  registry_uploads: "Archives that are not listed: their bytes are not in the backup.",
  panels_drafts: "Panels that somebody is writing, for a day: they are sent again.",
  panels_usage: "Counted again from the files.",
  panels_evals: "Code that waits for a browser is never run late.",
  instances: "Platforms that run now.",
  activity: "Of the last hour.",
  system_hours: "Measured at the installation that was backed up.",
  backups: "Of the installation that made them; this one is still running.",
} as const;

/** Every table in the order of insertion, for a move. */
export const ALL_TABLES: readonly string[] = [...KEPT_TABLES, ...Object.keys(LEFT_OUT_TABLES)];

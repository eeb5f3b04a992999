/** For the area's migrations. A workspace has one key per device, however many are made at once. */
export const KEYS_TABLE: readonly string[] = [
  `create table devices_keys (
    id text primary key, workspace_id text not null, name text not null, key_hash text not null, device text,
    gateway integer not null, created_at_ms bigint not null, last_seen_at_ms bigint)`,
  "create unique index devices_keys_by_hash on devices_keys (key_hash)",
  "create unique index devices_keys_by_device on devices_keys (workspace_id, device)",
];

import { migrations as accountsMigrations } from "@backplane/accounts";
import { migrations as devicesMigrations } from "@backplane/devices";
import type { Migration } from "@backplane/kit/database";
import { migrations as instancesMigrations } from "@backplane/kit/instances";
import { migrations as panelsMigrations } from "@backplane/panels";
import { migrations as registryMigrations } from "@backplane/registry";
import { migrations as platformMigrations } from "./migrations.ts";

/** Of all areas, in the order in which they run. */
export const allMigrations: readonly Migration[] = [
  ...accountsMigrations,
  ...registryMigrations,
  ...panelsMigrations,
  ...devicesMigrations,
  ...instancesMigrations,
  ...platformMigrations,
];

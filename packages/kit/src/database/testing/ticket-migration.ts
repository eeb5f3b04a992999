import type { Migration } from "../migrate.ts";

export const ticketMigration: Migration = {
  name: "suite-0001-tickets",
  async up(transaction, engine) {
    await transaction.schema
      .createTable("tickets")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("seen_ms", "bigint")
      .addColumn("body", engine === "postgres" ? "bytea" : "blob")
      .execute();
  },
};

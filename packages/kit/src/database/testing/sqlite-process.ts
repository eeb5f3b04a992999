// A process of its own for sqlite.test.ts. Its arguments are the file to open, and what to do with it.
import { migrate } from "../migrate.ts";
import { openSqlite } from "../sqlite.ts";
import { ticketMigration } from "./ticket-migration.ts";

const [path = "", work = ""] = process.argv.slice(2);
const database = openSqlite<{ tickets: { id: string; state: string } }>(path);

const works: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Of many attempts to take a ticket: how many succeeded. */
  async claim() {
    const { durable } = database;
    const taking = durable.updateTable("tickets").set({ state: "taken" }).where("id", "=", "a");
    const results = await Promise.all(
      Array.from({ length: 50 }, () => taking.where("state", "=", "open").executeTakeFirst()),
    );
    return results.filter(({ numUpdatedRows }) => numUpdatedRows === 1n).length;
  },
  /** How many migrations ran. */
  migrate: async () => (await migrate(database as never, [ticketMigration], () => 1)).length,
  /** Stays in the middle of a transaction. */
  async halve() {
    await database.shortLived.insertInto("tickets").values({ id: "committed", state: "open" }).execute();
    await database.durable.transaction().execute(async (transaction) => {
      await transaction.insertInto("tickets").values({ id: "half", state: "open" }).execute();
      process.stdout.write("ready\n");
      await new Promise(() => setInterval(() => {}, 1_000));
    });
  },
};

process.stdout.write(`${await works[work]?.()}\n`);

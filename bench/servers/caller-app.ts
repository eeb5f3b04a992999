// The kit's HTTP app, with a route that authenticates its caller.
import { type AccountTables, ensureOwner, migrations, openCallers } from "@backplane/accounts";
import { openBus } from "@backplane/kit/bus";
import { requireCaller } from "@backplane/kit/callers";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createBenchApp, port } from "./bench-app.ts";
import { noteAnswer, storedNote } from "./note.ts";

const home = process.cwd();
const onFault = (error: unknown) => console.error(error);
const database = await openDatabase<AccountTables>({ url: undefined, home, onLostConnection: onFault });
await migrate(database as Database<unknown>, migrations, Date.now);
await ensureOwner({ database, home, name: "owner", password: undefined, now: Date.now });
const bus = await openBus({ now: Date.now, onFault });
const { whoIsCalling } = await openCallers({ database, bus, now: Date.now, overHttps: false, onFault });
const app = await createBenchApp();
app.get("/note", { schema: { response: { 200: noteAnswer } } }, async (request) => {
  await requireCaller(whoIsCalling, request, "read");
  return storedNote;
});
await app.listen({ host: "127.0.0.1", port });

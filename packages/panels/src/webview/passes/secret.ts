import { randomBytes } from "node:crypto";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "../../tables.ts";

const ONLY_ROW = 1;
const SECRET_BYTES = 32;

/** What passes are signed with: made once, by whichever instance is first, and the same on all of them. */
export async function readSecret({ durable }: Pick<Database<PanelsTables>, "durable">): Promise<Buffer> {
  await durable
    .insertInto("panels_secrets")
    .values({ id: ONLY_ROW, secret: randomBytes(SECRET_BYTES).toString("base64url") })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  const { secret } = await durable
    .selectFrom("panels_secrets")
    .select("secret")
    .where("id", "=", ONLY_ROW)
    .executeTakeFirstOrThrow();
  return Buffer.from(secret, "base64url");
}

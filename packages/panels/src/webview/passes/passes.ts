import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { SitePermissions, WebviewLimits } from "@backplane/contract/panels";
import type { Access } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { PanelsTables } from "../../tables.ts";

/** Who visits which site, and what the site may do. */
export type Visit = SitePermissions & {
  workspaceId: string;
  /** The pass ends with it. */
  access: Access;
  /** `https://example.org`, as a URL's origin. */
  site: string;
};

/** "enter" is in an address for a moment, "stay" in the cookie of the frame's host. They are not interchangeable. */
export type PassKind = "enter" | "stay";
export type Pass = Visit & { kind: PassKind; expiresAtMs: number; staysUntilMs: number };

export type Passes = {
  /** The host label of the frame: one per site, workspace and user, the same on every instance, and not guessable. */
  labelOf(visit: Visit): string;
  /** `staysUntilMs`: taken from the pass that this one is derived from; else the full time from now. */
  enter(visit: Visit, staysUntilMs?: number): string;
  stay(pass: Pass): string;
  /** Undefined: forged, expired, of the other kind, or for another frame. */
  read(text: string, kind: PassKind, label: string): Pass | undefined;
};

type PassOptions = {
  secret: Uint8Array;
  now: Clock;
  limits: Pick<WebviewLimits, "enterLifeMs" | "stayLifeMs">;
};

const LABEL_BYTES = 20;
const MAX_PASS_LENGTH = 3_000;
/** Passes of another form, as older versions signed them, must not be read as these. */
const PURPOSE = "pass by access";

export function createPasses({ secret, now, limits }: PassOptions): Passes {
  const mac = (purpose: string, text: string): Buffer =>
    createHmac("sha256", secret).update(`${purpose}\n${text}`).digest();
  const sign = (pass: Pass): string => {
    const body = Buffer.from(JSON.stringify(pass)).toString("base64url");
    return `${body}.${mac(PURPOSE, body).toString("base64url")}`;
  };
  const labelOf = ({ workspaceId, access, site }: Visit): string =>
    `w-${base32(mac("label", JSON.stringify([workspaceId, access.userId, site])).subarray(0, LABEL_BYTES))}`;

  return {
    labelOf,
    enter({ workspaceId, access, site, popups, downloads }, staysUntilMs = now() + limits.stayLifeMs) {
      const expiresAtMs = Math.min(now() + limits.enterLifeMs, staysUntilMs);
      return sign({ workspaceId, access, site, popups, downloads, kind: "enter", expiresAtMs, staysUntilMs });
    },
    stay: (pass) => sign({ ...pass, kind: "stay", expiresAtMs: pass.staysUntilMs }),
    read(text, kind, label) {
      if (text.length > MAX_PASS_LENGTH) return undefined;
      const [body = "", signature = ""] = text.split(".");
      const expected = mac(PURPOSE, body);
      const given = Buffer.from(signature, "base64url");
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const pass = JSON.parse(Buffer.from(body, "base64url").toString()) as Pass;
      return pass.kind === kind && pass.expiresAtMs > now() && labelOf(pass) === label ? pass : undefined;
    },
  };
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let [text, bits, count] = ["", 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    for (count += 8; count >= 5; count -= 5) text += BASE32[(bits >> (count - 5)) & 31];
  }
  return text;
}

const ONLY_ROW = 1;
const SECRET_BYTES = 32;

/** The key that signs passes: created once, by the first instance, and shared by all. */
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

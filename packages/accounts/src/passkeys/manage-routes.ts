import {
  CreatePasskey,
  PASSKEY_LIMITS,
  Passkey,
  PasskeyCreationOptions,
  PasskeyParameters,
  Passkeys,
  RenamePasskey,
} from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";
import { CHANGING, READING, requireBrowser } from "../callers/access.ts";
import { readLabel } from "../sessions/label.ts";
import type { Challenges } from "./challenges.ts";
import type { PasskeyRow, PasskeyStore } from "./store.ts";
import { ALGORITHMS, relyingPartyOf, verifyRegistration } from "./verify.ts";

type Options = { store: PasskeyStore; challenges: Challenges; whoIsCalling: WhoIsCalling; now: Clock };

const TAG = { tags: ["passkeys"] };
const RP_NAME = "Backplane";
const DEFAULT_NAME = "Passkey";

/** What a signed-in person can do with passkeys. */
export function addPasskeyRoutes(app: App, options: Options): void {
  addRegistrationRoutes(app, options);
  addListRoutes(app, options);
}

function addRegistrationRoutes(app: App, { store, challenges, whoIsCalling, now }: Options): void {
  app.post(
    "/auth/passkeys/options",
    {
      ...CHANGING,
      schema: {
        ...TAG,
        summary: "Begin to add a passkey",
        access: "browser",
        problems: ["passkeys-need-a-name"],
        response: { 200: PasskeyCreationOptions },
      },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const { id: rpId } = relyingPartyOf(request);
      const person = await store.personOf(userId);
      if (!person) throw new Problem("not-signed-in");
      const existing = await store.usableAt(userId, rpId);
      return {
        challenge: await challenges.issue({ use: "register", rpId, userId }),
        rp: { id: rpId, name: RP_NAME },
        user: {
          id: Buffer.from(userId).toString("base64url"),
          name: person.name,
          displayName: person.displayName || person.name,
        },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
        timeout: PASSKEY_LIMITS.challengeLifeMs,
        excludeCredentials: existing.map((passkey) => ({ ...passkey, type: "public-key" as const })),
        // Discoverable: people sign in without typing a name.
        authenticatorSelection: {
          residentKey: "required" as const,
          requireResidentKey: true,
          userVerification: "preferred" as const,
        },
        attestation: "none" as const,
      };
    },
  );

  app.post(
    "/auth/passkeys",
    {
      ...CHANGING,
      bodyLimit: PASSKEY_LIMITS.maxBodyBytes,
      schema: {
        ...TAG,
        summary: "Add a passkey",
        access: "browser",
        problems: ["passkeys-need-a-name", "too-many-of-these"],
        body: CreatePasskey,
        response: { 201: Passkey },
      },
    },
    async (request, reply) => {
      const { userId, credentialId: sessionId } = await requireBrowser(whoIsCalling, request);
      const relyingParty = relyingPartyOf(request);
      const { credential } = request.body;
      const name = readLabel(request.body.name ?? DEFAULT_NAME);
      const purpose = { use: "register", rpId: relyingParty.id, userId } as const;
      const challenge = await challenges.take(credential.response.clientDataJSON, purpose);
      if (challenge === undefined) throw refused("has expired or was already used. Start again.");
      const verified = await verifyRegistration(credential, challenge, relyingParty);
      if (!verified) throw refused("was not created for this page. Start again.");
      const made = await store.insert({ ...verified, userId, sessionId, rpId: relyingParty.id, name }, now());
      if (made === "too-many") {
        throw new Problem("too-many-of-these", {
          detail: `An account can have ${PASSKEY_LIMITS.maxPerUser} passkeys. Remove one first.`,
        });
      }
      if (made === "known") throw refused("is already registered.");
      return reply.code(201).send(toWire(made));
    },
  );
}

function addListRoutes(app: App, { store, whoIsCalling }: Options): void {
  app.get(
    "/auth/passkeys",
    { ...READING, schema: { ...TAG, summary: "List your passkeys", access: "browser", response: { 200: Passkeys } } },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      return { passkeys: (await store.listOf(userId)).map(toWire) };
    },
  );

  app.patch(
    "/auth/passkeys/:id",
    {
      ...CHANGING,
      schema: {
        ...TAG,
        summary: "Rename a passkey",
        access: "browser",
        problems: ["not-found"],
        params: PasskeyParameters,
        body: RenamePasskey,
        response: { 200: Passkey },
      },
    },
    async (request) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const renamed = await store.rename(userId, request.params.id, readLabel(request.body.name));
      if (!renamed) throw new Problem("not-found", { detail: "You have no passkey with this id." });
      return toWire(renamed);
    },
  );

  app.delete(
    "/auth/passkeys/:id",
    {
      ...CHANGING,
      schema: {
        ...TAG,
        summary: "Remove a passkey",
        access: "browser",
        problems: ["not-found", "last-sign-in-way"],
        params: PasskeyParameters,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { userId } = await requireBrowser(whoIsCalling, request);
      const outcome = await store.remove(userId, request.params.id);
      if (outcome === "unknown") throw new Problem("not-found", { detail: "You have no passkey with this id." });
      if (outcome === "last") {
        throw new Problem("last-sign-in-way", { detail: "Set a password or add another passkey first." });
      }
      return reply.code(204).send(null);
    },
  );
}

const refused = (message: string): Problem =>
  new Problem("invalid-input", {
    detail: `The passkey ${message}`,
    errors: [{ pointer: "/credential", message }],
  });

const toWire = ({ id, name, createdAtMs, lastUsedAtMs }: PasskeyRow): Passkey => ({
  id,
  name,
  created_at: new Date(createdAtMs).toISOString(),
  last_used_at: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
});

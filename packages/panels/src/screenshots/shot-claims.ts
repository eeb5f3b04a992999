import { randomBytes } from "node:crypto";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import type { OpenBus } from "@backplane/kit/bus";

/** The claim of a shot outlives its order a little, as clocks differ. */
const CLAIM_SLACK_MS = 2_000;
const LIFE_MS = PANELS_LIMITS.shotTimeoutMs + CLAIM_SLACK_MS;
const SHOT_ID_BYTES = 24;
export const SHOT_ID_PATTERN = "^[a-zA-Z0-9_-]{32}$";

const keyOf = (shotId: string): string => `panels:shot:${shotId}`;
const waitingFor = (workspaceId: string): string => `waiting:${workspaceId}`;
const sentFor = (workspaceId: string): string => `sent:${workspaceId}`;

/** Which pictures are waited for, and by which workspace: each is taken once, on any instance. */
export function createShotClaims({ claims }: Pick<OpenBus, "claims">) {
  return {
    async expect(workspaceId: string): Promise<string> {
      const shotId = randomBytes(SHOT_ID_BYTES).toString("base64url");
      await claims.claim(keyOf(shotId), waitingFor(workspaceId), LIFE_MS);
      return shotId;
    },
    isExpected: async (workspaceId: string, shotId: string): Promise<boolean> =>
      (await claims.read(keyOf(shotId))) === waitingFor(workspaceId),
    /** Of several uploads of one picture exactly one is taken. */
    accept: (workspaceId: string, shotId: string): Promise<boolean> =>
      claims.exchange(keyOf(shotId), waitingFor(workspaceId), sentFor(workspaceId), LIFE_MS),
    isWanted: async (workspaceId: string, shotId: string): Promise<boolean> =>
      (await claims.read(keyOf(shotId))) === sentFor(workspaceId),
    async forget(shotId: string): Promise<void> {
      await claims.take(keyOf(shotId));
    },
  };
}

export type ShotClaims = ReturnType<typeof createShotClaims>;

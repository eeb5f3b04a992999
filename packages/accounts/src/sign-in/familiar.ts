import type { Bus } from "@backplane/kit/bus";
import { callerKey } from "@backplane/kit/http";
import { hashSecret } from "@backplane/kit/secrets";
import type { Attempt } from "./guesses.ts";

/** How long an address from which an account signed in is remembered. */
const MEMORY_MS = 30 * 24 * 3_600_000;
const SIGNED_IN = "1";

export type FamiliarAddresses = {
  remember(attempt: Attempt): Promise<void>;
  isFamiliar(attempt: Attempt): Promise<boolean>;
};

/** From where accounts have signed in of late. On the bus, not in a table: it helps, nothing rests on it. */
export function createFamiliarAddresses(
  { claims }: Pick<Bus, "claims">,
  onFault: (error: unknown) => void,
): FamiliarAddresses {
  const keyOf = ({ account, address }: Attempt) => `signed-in:${hashSecret(`${account} ${callerKey(address)}`)}`;
  return {
    async remember(attempt) {
      try {
        const isNew = await claims.claim(keyOf(attempt), SIGNED_IN, MEMORY_MS);
        if (!isNew) await claims.exchange(keyOf(attempt), SIGNED_IN, SIGNED_IN, MEMORY_MS);
      } catch (error) {
        onFault(error);
      }
    },
    async isFamiliar(attempt) {
      try {
        return (await claims.read(keyOf(attempt))) !== undefined;
      } catch (error) {
        onFault(error);
        return false;
      }
    },
  };
}

import type { OpenidFault } from "@backplane/contract/accounts";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { makeAccount } from "./account.ts";
import type { Flow } from "./flows.ts";
import { faultOf, type OpenidProvider, type Redeemed, reasonOf } from "./provider.ts";
import type { IdentityStore } from "./store.ts";

/** The outcome of an answer: a person signs in, an account was linked, or it failed. */
export type Outcome = { signIn: string } | "linked" | { fault: OpenidFault; reason: string };

export type AnswerOptions = {
  provider: OpenidProvider;
  identities: IdentityStore;
  database: Database<AccountTables>;
  openRegistration: boolean;
  now: Clock;
};

/** Reads the answer that a browser brought back from the provider. Which account it is for was decided when the flow began. */
export function answerReader({ provider, identities, database, openRegistration, now }: AnswerOptions) {
  async function signIn({ identity, describePerson }: Redeemed): Promise<Outcome> {
    const userId = await identities.userOf(identity);
    if (userId !== undefined) return { signIn: userId };
    if (!openRegistration) return { fault: "openid-unknown", reason: "no account" };
    const described = await describePerson().then((claims) => ({ claims }), failed);
    if ("fault" in described) return described;
    const made = await makeAccount(database, identity, described.claims, now());
    const madeFor = made === "identity-taken" ? await identities.userOf(identity) : made.userId;
    return madeFor === undefined ? { fault: "openid-failed", reason: "identity gone" } : { signIn: madeFor };
  }

  return async (search: string, state: string, flow: Flow): Promise<Outcome> => {
    const redeemed = await provider.redeem(search, state, flow).catch(failed);
    if ("fault" in redeemed) return redeemed;
    if (flow.link === null) return signIn(redeemed);
    const outcome = await identities.link(redeemed.identity, flow.link, now());
    if (outcome === "linked") return "linked";
    return outcome === "taken"
      ? { fault: "openid-taken", reason: "another account has it" }
      : { fault: "openid-failed", reason: "session ended" };
  };
}

const failed = (error: unknown) => ({ fault: faultOf(error), reason: reasonOf(error) });

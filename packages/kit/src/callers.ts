import type { Scope } from "@backplane/contract/accounts";
import type { FastifyRequest } from "fastify";
import { Problem } from "./problems.ts";

/** Who makes a request, and by which credential: a browser's session, a program's session or an API key. */
export type Caller = {
  readonly userId: string;
  readonly userName: string;
  readonly kind: "Browser" | "Application" | "ApiKey";
  /** The id of the session or the key. */
  readonly credentialId: string;
  /** The name of the program, browser or key, for people. */
  readonly credentialName: string;
  readonly scopes: readonly Scope[];
};

/** The right by which something goes on after its request: a credential, and the owner whose things it uses. */
export type Access = Pick<Caller, "userId" | "kind" | "credentialId"> & {
  readonly ownerId: string;
  /** Somebody else's workspace, which is shared with this person. The area of panels follows that part. */
  readonly sharedWorkspaceId?: string;
};

export const accessOf = ({ userId, kind, credentialId }: Caller, ownerId: string): Access => ({
  ...{ userId, kind, credentialId, ownerId },
});

/**
 * Calls `onEnd` within a second after the access has ended, on whichever instance that happened: the person signed out,
 * the session or key was removed or expired, the person left or was removed from the organisation, or the account was
 * removed. Undefined: it has ended already. Call what is returned when the access is not used any more.
 */
export type FollowAccess = (access: Access, onEnd: () => void) => Promise<(() => void) | undefined>;

/** The caller of a request; undefined without a valid credential. */
export type WhoIsCalling = (request: FastifyRequest) => Promise<Caller | undefined>;

/** The caller; throws 401 without one, and 403 for a key that has none of the scopes. */
export async function requireCaller(
  whoIsCalling: WhoIsCalling,
  request: FastifyRequest,
  ...scopes: readonly [Scope, ...Scope[]]
): Promise<Caller> {
  const caller = await whoIsCalling(request);
  if (!caller) throw new Problem("not-signed-in", { headers: { "www-authenticate": "Bearer" } });
  if (!scopes.some((scope) => caller.scopes.includes(scope))) {
    throw new Problem("scope-missing", {
      detail: `This API key lacks the scope "${scopes[0]}". Create a key that has it.`,
    });
  }
  return caller;
}

/** People and organisations as owners of things, for every area. Areas store the id of an owner: names can change hands. */
export type Owners = {
  /** The id behind a name, if this person may act for it: their own name, or that of an organisation they are in. */
  resolve(userId: string, ownerName: string): Promise<string | undefined>;
  /** Whether this person may act for an owner. What a removed account left behind belongs to the instance owner. */
  mayAct(userId: string, ownerId: string): Promise<boolean>;
  /** Whether this person decides for an owner: for themselves, and for organisations they own. Members only work there. */
  mayManage(userId: string, ownerId: string): Promise<boolean>;
  /** Undefined: the account was removed. */
  nameOf(ownerId: string): Promise<string | undefined>;
  /** Whom this person may act for, themselves first. */
  listFor(userId: string): Promise<{ id: string; name: string }[]>;
  /** Who has this name now. */
  idOf(ownerName: string): Promise<string | undefined>;
  /** The same for people only. */
  personNamed(name: string): Promise<string | undefined>;
  /** Every person and organisation that was ever removed. */
  listRemoved(): Promise<string[]>;
  /** For areas that delete what a removed owner had. The answer to the removal waits for them. */
  onRemoved(listener: OwnersRemoved): void;
};

export type OwnersRemoved = (ownerIds: readonly string[]) => Promise<void>;

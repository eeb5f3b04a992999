import type { PushAccess } from "@backplane/contract/devices";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import type { StoredStream } from "../store.ts";

/** A new key for those who push. Only its hash is kept, and who made it: it is their room that pushing takes. */
export function newPushKey(
  baseUrl: string,
  { workspaceId, name, userId }: { workspaceId: string; name: string; userId: string },
): { push: PushAccess; kept: string } {
  const key = newSecret("bpc_");
  const push = { address: `${baseUrl}/api/whip/${workspaceId}/${name}`, key };
  return { push, kept: `${hashSecret(key)} ${userId}` };
}

/** Keys of earlier versions do not say who made them: they take the room of their workspace. */
export function readKeptKey({ secrets }: StoredStream, workspaceId: string): { hash: string; payer: string } {
  const [hash = "", payer = workspaceId] = (secrets.key ?? "").split(" ");
  return { hash, payer };
}

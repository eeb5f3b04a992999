import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { HeldElsewhere } from "./pastes/storage/folder.ts";
import { readServerFile } from "./pastes/storage/server-file.ts";

const PATH = "/screenshot-paste/yield";
const YIELDS = 202;
const TRY_AGAIN_MS = 100;
const ANSWERED_WITHIN_MS = 5_000;
/** A viewer that stops first answers its uploads; a command may be reading the text of a large picture. */
const GIVEN_UP_WITHIN_MS = 30_000;

/** A viewer inside a command gives way to one in its own process, which runs longer. */
export function serveHandOver(app: App, onAskedToYield: (() => Promise<void>) | undefined): void {
  app.post(PATH, { schema: { hide: true } }, async (_request, reply) => {
    if (!onAskedToYield) throw new Problem("not-found");
    // Stops after the answer is sent, because this server is what stops.
    reply.raw.once("close", () => void onAskedToYield());
    return reply.code(YIELDS).send({});
  });
}

/** Opens a project that another process may hold. Asks that process once to give way, and waits until the project is free. */
export async function takeOver<Held>(
  project: string,
  fetch: typeof globalThis.fetch,
  open: () => Promise<Held>,
): Promise<Held> {
  const deadlineMs = Date.now() + GIVEN_UP_WITHIN_MS;
  let askedUrl: string | undefined;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof HeldElsewhere) || Date.now() > deadlineMs) throw error;
      const server = await readServerFile(project);
      if (server && server.url !== askedUrl) {
        askedUrl = server.url;
        if (!(await askToYield(server, fetch))) throw error;
      }
      await sleep(TRY_AGAIN_MS);
    }
  }
}

async function askToYield(
  { url, secret }: { url: string; secret: string },
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` };
  const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  const answer = await fetch(`${url}${PATH}`, { method: "POST", headers, signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === YIELDS;
}

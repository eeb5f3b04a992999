import { ToggleBody, WatchdogSnapshot, WatchdogStatus } from "@backplane/contract/gateway";
import { type App, prefersHtml } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Supervised } from "@backplane/kit/supervise";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Journal, whyNotStarted } from "./journal.ts";
import type { Watch } from "./watch.ts";

export type Watchdog = {
  gateway: Pick<Supervised, "start" | "stop" | "restart">;
  watch: Pick<Watch, "status" | "autoRestart" | "setAutoRestart">;
  journal: Pick<Journal, "note" | "didNotStart">;
  snapshot: () => WatchdogSnapshot;
};

const ANSWERS = { response: { 200: WatchdogStatus } };

/** Status and commands. The supervisor runs commands one after the other; each answers when it is done. */
export function serveWatchdog(app: App, { gateway, watch, journal, snapshot }: Watchdog): void {
  readForms(app);

  app.get("/status", { schema: ANSWERS }, async (_request, reply) => {
    reply.header("cache-control", "no-store");
    return watch.status();
  });
  app.get("/snapshot", { schema: { response: { 200: WatchdogSnapshot } } }, async (_request, reply) => {
    reply.header("cache-control", "no-store");
    return snapshot();
  });

  /** Answers with the status, or, when the page without JavaScript sent a form, with the page again. */
  async function answer(request: FastifyRequest, reply: FastifyReply, done: Promise<void>) {
    reply.header("cache-control", "no-store");
    const isForm = prefersHtml(request.headers.accept);
    try {
      await done;
    } catch (error) {
      if (!isForm) throw new Problem("gateway-not-started", { detail: whyNotStarted((error as Error).message) });
    }
    return isForm ? reply.redirect("/", 303) : watch.status();
  }
  app.post("/start", { schema: ANSWERS }, (request, reply) => {
    const started = gateway.start().catch((error: Error) => {
      journal.didNotStart(error.message);
      throw error;
    });
    return answer(request, reply, started);
  });
  app.post("/stop", { schema: ANSWERS }, (request, reply) => answer(request, reply, gateway.stop()));
  app.post("/restart", { schema: ANSWERS }, (request, reply) => answer(request, reply, gateway.restart()));
  app.post("/watchdog", { schema: { ...ANSWERS, body: ToggleBody } }, (request, reply) => {
    const enabled = request.body?.enabled ?? !watch.autoRestart();
    if (enabled !== watch.autoRestart()) journal.note(`Automatic restart turned ${enabled ? "on" : "off"}`);
    watch.setAutoRestart(enabled);
    return answer(request, reply, Promise.resolve());
  });
}

/** For the page's forms, and for clients that send a content type but no body. */
function readForms(app: App): void {
  const readJson = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") done(null, undefined);
    else readJson(request, body as string, done);
  });
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    const words: Record<string, unknown> = { true: true, false: false };
    const fields = [...new URLSearchParams(body as string)].map(([name, value]) => [name, words[value] ?? value]);
    done(null, Object.fromEntries(fields));
  });
}

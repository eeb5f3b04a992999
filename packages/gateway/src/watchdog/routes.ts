import { ToggleBody, WatchdogSnapshot, WatchdogStatus } from "@backplane/contract/gateway";
import { type App, prefersHtml } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Supervised } from "@backplane/kit/process";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Journal } from "./journal.ts";
import { whyNotStarted } from "./reason.ts";
import type { Watch } from "./watch.ts";

export type Watchdog = {
  gateway: Pick<Supervised, "start" | "stop" | "restart">;
  watch: Pick<Watch, "status" | "autoRestart" | "setAutoRestart">;
  journal: Pick<Journal, "note" | "didNotStart">;
  snapshot: () => WatchdogSnapshot;
};

const ANSWERS = { response: { 200: WatchdogStatus } };

/** Status and commands. Commands wait for their turn in the supervisor and answer when they are done. */
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

  /** The status; or, for a form of the page without script, the page again, which tells the same. */
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

/** The page's forms, and clients that name a type and then send nothing. */
function readForms(app: App): void {
  const readJson = app.getDefaultJsonParser("error", "error");
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

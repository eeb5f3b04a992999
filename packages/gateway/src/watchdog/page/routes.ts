import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { App } from "@backplane/kit/http";
import { Type } from "typebox";
import { renderOutput } from "./output.ts";
import { renderWatchdogPage, WATCHDOG_POLICY } from "./page.ts";
import { renderParts } from "./parts.ts";

export type WatchdogPageOptions = {
  now: Clock;
  snapshot: () => WatchdogSnapshot;
  output: () => readonly string[];
  address: string;
  homeUrl: string;
};

const PartsQuery = Type.Object({ output: Type.Optional(Type.Boolean()) });

/**
 * The page, and its parts for its script, which asks once a second. Asking rather than an event stream: a browser has six
 * connections to a host, and a stream of every open tab would hold one that the buttons then wait for; and a watchdog
 * that hangs is found out by the question that it leaves open.
 */
export function serveWatchdogPage(app: App, { now, snapshot, output, address, homeUrl }: WatchdogPageOptions): void {
  app.get("/", { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        "content-security-policy": WATCHDOG_POLICY,
        "cache-control": "no-store",
        // With none, browsers send forms with the origin "null", as any foreign page may.
        "referrer-policy": "same-origin",
      })
      .type("text/html; charset=utf-8")
      .send(renderWatchdogPage({ snapshot: snapshot(), output: output(), nowMs: now(), address, homeUrl })),
  );
  app.get("/parts", { schema: { hide: true, querystring: PartsQuery } }, async (request, reply) => {
    reply.header("cache-control", "no-store");
    const shown = snapshot();
    const parts = Object.entries(renderParts(shown, now())).map(([name, part]) => [name, [part].flat().join("")]);
    return {
      title: shown.summary.title,
      parts: Object.fromEntries(parts),
      ...(request.query.output === true ? { output: renderOutput(output(), now()) } : {}),
    };
  });
}

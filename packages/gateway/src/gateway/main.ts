import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import { openBus } from "@backplane/kit/bus";
import { addressReader, isThisMachine } from "@backplane/kit/http";
import { runProcess, serve } from "@backplane/kit/process";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { createSocketServer } from "@backplane/kit/websocket";
import { createCallbackHandler } from "./callback/callback.ts";
import { createCallbackPages } from "./callback/pages.ts";
import { createSingleInstanceRegistrations } from "./local-registrations.ts";
import { addGatewayRoutes } from "./routes.ts";
import { createSharedRegistrations } from "./shared-registrations.ts";
import { createSocketHandlers } from "./socket.ts";

const EXPIRY_CHECK_MS = 1_000;
/** On shutdown: how long applications may still confirm a code, and how long connections have to close. */
const ACKS_WITHIN_MS = 500;
const ACK_CHECK_MS = 10;
const GOODBYE_WITHIN_MS = 1_000;
/** Applications then connect again and register their states again, at another instance or at this one's successor. */
const CLOSE_SERVICE_RESTART = 1012;

await runProcess("gateway", process, async (context) => {
  const { settings, log, metrics } = context;
  const now = Date.now;
  const instance = randomUUID();
  const startedAtMs = now();
  let isDraining = false;
  const onFault = (error: unknown) => log.error({ err: error }, "gateway fault");
  const bus = await openBus({
    url: settings.redisUrl,
    now,
    onFault: (error) => log.warn({ err: error }, "bus fault"),
  });
  const shared = bus.engine === "redis" ? await createSharedRegistrations({ instance, now, bus, onFault }) : undefined;
  const registrations = shared ?? createSingleInstanceRegistrations({ instance, now });
  // Per instance: a shared one would cost a Redis command per registration.
  const registers = createRateLimiter({
    name: "gateway-registers",
    limit: GATEWAY_LIMITS.registersPerAddress,
    windowMs: 10_000,
    redis: undefined,
    now,
    onFault,
  });
  const isCounted = (caller: string) => !isThisMachine(caller);
  const sockets = createSocketServer(
    createSocketHandlers({
      registrations,
      now,
      origins: settings.gatewayOrigins,
      isDraining: () => isDraining,
      mayRegister: (caller) => !isCounted(caller) || registers.take(caller).then(({ allowed }) => allowed),
      onFault,
    }),
    {
      limits: {
        maxPayloadBytes: GATEWAY_LIMITS.maxMessageBytes,
        maxPerAddress: GATEWAY_LIMITS.maxPerAddress,
        closeGraceMs: GOODBYE_WITHIN_MS,
      },
      addressOf: addressReader(settings.trustProxy),
      countsForAddress: isCounted,
    },
  );
  const expiry = setInterval(registrations.sweep, EXPIRY_CHECK_MS);
  const status = () => ({ ...registrations.counts(), connections: sockets.connections() });
  metrics.gauges("backplane_gateway", "Registrations pending, delivered, expired; connections", "what", () =>
    Object.entries(status()),
  );
  const answeredWith = new Map<string, number>();
  metrics.gauges("backplane_gateway_callbacks", "Callbacks answered, by status", "status", () => answeredWith);

  return serve(context, {
    port: settings.gatewayPort,
    url: settings.gatewayUrl,
    checks: { bus: () => bus.ping() },
    drainDelayMs: settings.drainDelayMs,
    vitals: () => ({ pending: status().pending }),
    answerFirst: createCallbackHandler({
      registrations,
      pages: createCallbackPages({
        homeUrl: settings.baseUrl,
        overHttps: settings.gatewayUrl.startsWith("https:"),
      }),
      now,
      onFault,
      onAnswered(status) {
        answeredWith.set(String(status), (answeredWith.get(String(status)) ?? 0) + 1);
        log.debug({ route: "/callback", status }, "answered");
      },
    }),
    addRoutes(app) {
      addGatewayRoutes(app, { instance, startedAtMs, now, status, settings });
      sockets.attach(app.server, ["/", "/ws"]);
    },
    async drain() {
      isDraining = true;
      // Applications that have a code may still confirm it, so that the page shows the right outcome.
      for (let waitedMs = 0; registrations.isDelivering() && waitedMs < ACKS_WITHIN_MS; waitedMs += ACK_CHECK_MS) {
        await wait(ACK_CHECK_MS);
      }
      await sockets.close(CLOSE_SERVICE_RESTART, "restarting: connect again");
    },
    async close() {
      clearInterval(expiry);
      shared?.close();
      await bus.close();
    },
  });
});

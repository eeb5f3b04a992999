import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type onSendHookHandler,
} from "fastify";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { labelsOfRoute, type Metrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { type ApiDocs, useApiDocs } from "./api-docs/api-docs.ts";
import type { App } from "./app-type.ts";
import { boundBodies, GatheringRequest } from "./bodies.ts";
import { compress } from "./compression.ts";
import { boundConnections, sharedAddresses } from "./connection-bounds.ts";
import { endWithProblem, problemOf, sendProblem, useProblems } from "./errors.ts";
import { type Readiness, useHealth } from "./health.ts";
import type { HostCheck } from "./hosts.ts";
import { useJsonBodies } from "./json-bodies.ts";
import { HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import { type NotFoundPage, useNotFound } from "./not-found.ts";
import { answerWithProblem, DATA_HEADERS } from "./plain-answer.ts";
import { nextRequestId } from "./request-id.ts";
import { beginMeasuring, countAnswer, createRequestMeter, nameMeasured, type RequestMeter } from "./request-meter.ts";
import { securityHeaders } from "./security-headers.ts";
import { useLateSerialization } from "./serialization.ts";
import { createTurns, isUnanswered, type Turns } from "./turns.ts";
import { createUnsentBytes } from "./unsent-bytes.ts";
import { addUsualHeaders, useUsualHeaders } from "./usual-headers.ts";
import { useStrictValidation } from "./validation.ts";

export type AppOptions = {
  log: Log;
  metrics: Metrics;
  now: Clock;
  readiness: Readiness;
  /** Addresses or ranges of proxies whose X-Forwarded-* headers are trusted. */
  trustProxy: string[];
  /** Whether people reach this server over https. */
  overHttps: boolean;
  vitals?: () => Record<string, unknown>;
  /** Absent: requests are served for any host name. */
  checkHost?: HostCheck;
  /** Absent: every caller may read /metrics. */
  mayReadMetrics?: (request: FastifyRequest) => boolean;
  notFoundPage?: NotFoundPage;
  /** Absent: no /openapi.json and no /docs. */
  apiDocs?: ApiDocs;
  /** For tests: a problem that its route does not declare is an error. */
  onlyDeclaredProblems?: boolean;
  limits?: Partial<HttpLimits>;
  answerFirst?: AnswerFirst;
  /** For a caller that waits for requests in flight. */
  turns?: Turns;
};

/** Called for each request before Fastify, on node:http itself. Returns true when it answers the request. For routes whose cost counts. */
export type AnswerFirst = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A Fastify server with what every process here needs: limits, problems, security headers, compression, health, metrics.
 * HEAD is answered only where a route asks for it: Fastify would run the GET handler, and some of those consume something.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const headers = securityHeaders(options);
  const { answerFirst, checkHost, turns = createTurns(limits.maxUnanswered) } = options;
  const unsent = createUnsentBytes(limits, {
    onCutOff: options.metrics.counter("backplane_http_cut_off_total", "Clients cut off because they did not read"),
  });
  const bodies = boundBodies(limits);
  const meter = createRequestMeter(options);
  const http = {
    IncomingMessage: GatheringRequest,
    ServerResponse: unsent.Response,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Bodies have a time limit of their own, which a route may raise: see boundBodies.
    requestTimeout: 0,
    // Node would answer requests without a host, and those with an unknown `Expect`, out of turn and without our limits.
    requireHostHeader: false,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
  };
  const app: App = fastify({
    // With a logger, Fastify creates a child logger and a listener for each request: a tenth of the cost of a short one.
    // Instead, all requests share our logger, and each log entry names its request.
    logger: false,
    // Plugins with an `onResponse` hook, such as multipart, would make Fastify log requests whole, with their tokens.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: limits.maxBodyBytes,
    requestTimeout: http.requestTimeout,
    keepAliveTimeout: http.keepAliveTimeout,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    routerOptions: { maxParamLength: limits.maxParameterCharacters },
    serverFactory: (answer) => {
      const server = createServer(
        // What may not be upgraded is answered as a request, so that its host is refused below.
        { ...http, shouldUpgradeCallback: (request) => mayUpgrade(request) && !checkHost?.(request) },
        (request, response) => {
          bodies.begin(request, response);
          take(request, response);
        },
      );
      const take = turns.take((request, response) => {
        const problem = missingHost(request) ?? checkHost?.(request);
        if (problem) answerWithProblem(request, response, DATA_HEADERS, problem);
        else if (!answerFirst?.(request, response)) answer(request, response);
      }, countIfSent);
      return server.on("checkExpectation", (request, response) => server.emit("request", request, response));
    },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => {
      sendProblem((reply as FastifyReply).headers(headers), request as FastifyRequest, problemOf(error));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Anybody may ask for the options of an address. Nobody reads a body there.
  app.addHttpMethod("OPTIONS", { hasBody: false, overrideExisting: true });
  // Node would ignore headers after the first thousand, such as what a proxy adds at the end. The limit in bytes is enough.
  app.server.maxHeadersCount = 0;
  const isShared = sharedAddresses(options.trustProxy);
  boundConnections(app.server, isShared, limits);
  unsent.watch(app.server, isShared);
  options.metrics.gauge("backplane_http_unsent_bytes", "Bytes that clients have not taken yet", unsent.total);
  app.server.once("close", bodies.close);
  useJsonBodies(app);
  useStrictValidation(app);
  useLateSerialization(app);
  useProblems(app, { onlyDeclared: options.onlyDeclaredProblems ?? false });
  useUsualHeaders(app, unsent.Response, headers);
  useNotFound(app, options.notFoundPage);
  beginRequests(app, options.log, meter);
  endAnswers(app);
  if (options.apiDocs) await useApiDocs(app, options.apiDocs);
  useHealth(app, { ...options, vitals: options.vitals ?? (() => ({})) });
  return app;
}

/**
 * Other upgrades, such as the h2c of some clients, are ignored, as a server may: the request is answered normally. So are
 * those that come before an earlier request is answered.
 */
const mayUpgrade = ({ headers, socket }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === "websocket" && !isUnanswered(socket);

/** RFC 9112, section 3.2. */
const missingHost = ({ httpVersion, headers }: IncomingMessage): Problem | undefined =>
  httpVersion === "1.1" && headers.host === undefined
    ? new Problem("malformed-request", { detail: "The request has no Host header." })
    : undefined;

const countIfSent = (response: ServerResponse): void => {
  if (response.writableFinished) countAnswer(response);
};

/** What every request of Fastify needs, in one hook, since each of them costs. */
function beginRequests(app: App, log: Log, meter: RequestMeter): void {
  app.addHook("onRequest", (request, reply, done) => {
    // A factory of loggers would be called, and its logger checked, for each request.
    request.log = reply.log = log as FastifyBaseLogger;
    beginMeasuring(request, reply.raw, meter);
    // No hook of a route ends these answers.
    if (request.is404) addUsualHeaders(reply);
    done(encodedBody(request));
  });
}

/** What every answer of a route needs, in one hook too. The last of all hooks, so that it gets what is sent. */
function endAnswers(app: App): void {
  app.addHook("onRoute", (route) => {
    const labels = new Map([route.method].flat().map((method) => [method, labelsOfRoute(method, route.url)]));
    const end: onSendHookHandler = (request, reply, payload, done) => {
      addUsualHeaders(reply);
      nameMeasured(reply.raw, labels.get(request.method));
      if (route.compress === false) done(null, payload);
      else compress(request, reply, payload, done);
    };
    route.onSend = [route.onSend ?? [], end].flat();
  });
}

/** A compressed body could expand to any size; no route accepts one. */
function encodedBody({ headers }: FastifyRequest): Problem | undefined {
  const encoding = headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return undefined;
  return new Problem("unsupported-media-type", { detail: "Send the body without Content-Encoding." });
}

/** What Node's parser refuses never becomes a request: answer on the socket and close it. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const code =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "headers-too-large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "request-timeout"
        : "malformed-request";
  endWithProblem(socket, new Problem(code));
}

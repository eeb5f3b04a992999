import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { labelsOfRoute, type Metrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { bodyChecker } from "../schemas.ts";
import type { AnswerFirst } from "./app.ts";
import type { App } from "./app-type.ts";
import { hasBody, readWhole } from "./bodies.ts";
import { problemOf } from "./errors.ts";
import { ANY_ORIGIN_HEADERS, openToAnyOrigin } from "./origins.ts";
import { answerPlainly, answerWithProblem, DATA_HEADERS, type PlainHeaders } from "./plain-answer.ts";
import { type PreparedHeaders, prepareHeaders } from "./usual-headers.ts";

/** What a direct route knows of a request. */
export type DirectCall = {
  /** Checked against the schema; `{}` when none was sent. */
  readonly body: unknown;
  /** The value of the path's parameter, "" without one. */
  readonly parameter: string;
  readonly headers: IncomingHttpHeaders;
  /** The caller's address, behind trusted proxies too. */
  readonly address: string;
};

export type DirectAnswer = {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly text: string;
  /** Instead of the usual headers of a JSON answer. */
  readonly prepared?: PreparedHeaders;
};

/**
 * A route that programs call so often that Fastify's share of its cost counts. It is declared once and answered at two
 * doors: straight on node:http for the usual request, and by Fastify for everything else (an unusual body, a query, the
 * API reference).
 */
export type DirectRoute = {
  readonly method: "GET" | "POST";
  /** With at most one parameter, such as `/auth/intents/:token/status`. */
  readonly path: string;
  readonly schema: FastifySchema;
  readonly maxBodyBytes?: number;
  /** Whether pages of any origin may call it. */
  readonly anyOrigin?: boolean;
  handle(call: DirectCall): DirectAnswer | Promise<DirectAnswer>;
  /** For requests that want something else at the same path, such as an event stream. */
  readonly otherwise?: {
    applies(headers: IncomingHttpHeaders): boolean;
    handle(request: FastifyRequest, reply: FastifyReply): unknown;
  };
};

export type DirectRouteOptions = {
  addressOf(request: IncomingMessage): string;
  observe: Metrics["observeRequest"];
  /** Hears of errors that are answered with a 5xx. */
  onError(error: unknown): void;
};

const JSON_TYPE = "application/json; charset=utf-8";
const JSON_HEADERS: PlainHeaders = ["content-type", JSON_TYPE, ...DATA_HEADERS];
const ANY_ORIGIN: PlainHeaders = Object.entries(ANY_ORIGIN_HEADERS).flat();
const PREPARED_JSON = prepareHeaders(JSON_HEADERS);
const PREPARED_OPEN_JSON = prepareHeaders([...JSON_HEADERS, ...ANY_ORIGIN]);

/** A JSON answer with the usual headers. */
export const jsonAnswer = (status: number, value: unknown, headers: PlainHeaders = []): DirectAnswer => ({
  status,
  headers,
  text: JSON.stringify(value),
});

/** An answer that is always the same, with these headers and no others: they are put together once. */
export const constantAnswer = (status: number, headers: PlainHeaders, text: string): DirectAnswer => ({
  status,
  headers: [],
  text,
  prepared: prepareHeaders(headers),
});

/** `answerFirst` is the door on node:http; `addRoutes` adds the same routes to Fastify. */
export function createDirectRoutes(
  routes: readonly DirectRoute[],
  options: DirectRouteOptions,
): { answerFirst: AnswerFirst; addRoutes(app: App): void } {
  const doors = routes.map((route) => createDoor(route, options));
  return {
    answerFirst(request, response) {
      for (const door of doors) if (door(request, response)) return true;
      return false;
    },
    addRoutes(app) {
      for (const route of routes) addFastifyRoute(app, route);
      const open = routes.filter(({ anyOrigin }) => anyOrigin);
      openToAnyOrigin(
        app,
        open.map(({ path, method }) => ({ url: path, methods: [method] })),
      );
    },
  };
}

function addFastifyRoute(app: App, { method, path, schema, maxBodyBytes, handle, otherwise }: DirectRoute): void {
  app.route({
    method,
    url: path,
    schema,
    compress: false,
    ...(maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes }),
    preValidation: treatMissingBodyAsEmpty,
    async handler(request, reply) {
      const { body = {}, params, headers, ip } = request;
      if (otherwise?.applies(headers)) return otherwise.handle(request, reply);
      const [parameter = ""] = Object.values(params as Record<string, string>);
      const answer = await handle({ body, parameter, headers, address: ip });
      reply.code(answer.status);
      const all = [...answer.headers, ...(answer.prepared ?? PREPARED_JSON).list];
      for (let at = 0; at < all.length; at += 2) reply.header(all[at] ?? "", all[at + 1]);
      return reply.send(answer.text);
    },
  });
}

/** For routes all of whose fields are optional: a request without a body is one without fields. */
export async function treatMissingBodyAsEmpty(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

function createDoor(route: DirectRoute, { addressOf, observe, onError }: DirectRouteOptions): AnswerFirst {
  const { method, path, handle, otherwise, maxBodyBytes = 0 } = route;
  const parameterIn = pathMatcher(path);
  const faultsOf = route.schema.body ? bodyChecker(route.schema.body) : undefined;
  const added: PlainHeaders = route.anyOrigin ? ANY_ORIGIN : [];
  const preparedJson = route.anyOrigin ? PREPARED_OPEN_JSON : PREPARED_JSON;
  const labelsOf = labelsOfRoute(method, path);
  const count = (status: number, seconds: number): void => observe(labelsOf(status), seconds);

  function fail(request: IncomingMessage, response: ServerResponse, error: unknown, seconds = 0): void {
    const problem = problemOf(error);
    if (problem.status >= 500) onError(problem);
    answerWithProblem(request, response, [...DATA_HEADERS, ...added], problem);
    count(problem.status, seconds);
  }

  function succeed(response: ServerResponse, answer: DirectAnswer, seconds = 0): void {
    const { status, headers, text, prepared = preparedJson } = answer;
    answerPlainly(response, status, prepared, text, headers);
    count(status, seconds);
  }

  function answer(request: IncomingMessage, response: ServerResponse, parameter: string, text: string): void {
    try {
      const body = text === "" ? {} : parseBody(text);
      if (faultsOf) refuseFaults(faultsOf(body));
      const result = handle({ body, parameter, headers: request.headers, address: addressOf(request) });
      // Answers that are ready are sent at once: a promise costs a turn of the event loop. Their time is not worth measuring.
      if (!(result instanceof Promise)) succeed(response, result);
      else {
        const startedAtMs = performance.now();
        const seconds = () => (performance.now() - startedAtMs) / 1_000;
        result.then(
          (later) => succeed(response, later, seconds()),
          (error) => fail(request, response, error, seconds()),
        );
      }
    } catch (error) {
      fail(request, response, error);
    }
  }

  return (request, response) => {
    if (request.method !== method) return false;
    const parameter = parameterIn(request.url ?? "");
    if (parameter === undefined || !hasUsualBody(request.headers, maxBodyBytes)) return false;
    if (otherwise?.applies(request.headers)) return false;
    if (!hasBody(request)) answer(request, response, parameter, "");
    else {
      readWhole(request, maxBodyBytes, (error, body) => {
        // Otherwise the client is gone.
        if (!error) answer(request, response, parameter, body.toString("utf8"));
      });
    }
    return true;
  };
}

/** The parameter in an address that has this path and no query; undefined for any other. What is escaped is left to Fastify. */
function pathMatcher(path: string): (url: string) => string | undefined {
  const [start = "", end] = path.split(/:[a-z]+/i);
  if (end === undefined) return (url) => (url === path ? "" : undefined);
  return (url) => {
    if (!url.startsWith(start) || !url.endsWith(end) || url.length <= start.length + end.length) return undefined;
    const parameter = url.slice(start.length, url.length - end.length);
    return /^[\w-]+$/.test(parameter) ? parameter : undefined;
  };
}

/** None, or JSON whose length is known and within the limit. */
function hasUsualBody(headers: IncomingHttpHeaders, maxBytes: number): boolean {
  if (headers["transfer-encoding"] !== undefined || headers["content-encoding"] !== undefined) return false;
  const length = Number(headers["content-length"] ?? 0);
  if (length === 0) return true;
  const type = headers["content-type"];
  return length <= maxBytes && (type === undefined || /^application\/json\s*(;|$)/i.test(type));
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("malformed-request", { detail: "The body is not valid JSON.", cause });
  }
}

function refuseFaults(errors: ReturnType<ReturnType<typeof bodyChecker>>): void {
  const [first] = errors;
  if (!first) return;
  throw new Problem("invalid-input", { detail: `${first.pointer || "The body"} ${first.message}.`, errors });
}

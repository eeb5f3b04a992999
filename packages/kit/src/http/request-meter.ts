import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Log } from "../log.ts";
import { labelsOfRoute, type Metrics } from "../metrics.ts";

type LabelsOf = ReturnType<typeof labelsOfRoute>;
type Started = { request: FastifyRequest; atMs: number; labelsOf: LabelsOf | undefined; meter: RequestMeter };
export type RequestMeter = (response: ServerResponse, started: Started) => void;

const STARTED = Symbol("started");
type Measured = ServerResponse & { [STARTED]?: Started | undefined };

/** Counts answers of Fastify. Not by a listener: Fastify's `onResponse` makes two for each request. */
export function createRequestMeter({ metrics, log }: { metrics: Metrics; log: Log }): RequestMeter {
  const logsRequests = log.isLevelEnabled("debug");
  return (response, { request, atMs, labelsOf = labelsOfOther(request) }) => {
    const ms = performance.now() - atMs;
    metrics.observeRequest(labelsOf(response.statusCode), ms / 1_000);
    if (logsRequests) log.debug({ req: request, status: response.statusCode, ms: Math.round(ms) }, "answered");
  };
}

/** For what Fastify did not send, and what has no route. Fastify puts the options of a route together whenever they are read. */
const labelsOfOther = ({ method, routeOptions }: FastifyRequest): LabelsOf =>
  labelsOfRoute(method, routeOptions.url ?? "(no such route)");

export function beginMeasuring(request: FastifyRequest, response: Measured, meter: RequestMeter): void {
  response[STARTED] = { request, atMs: performance.now(), labelsOf: undefined, meter };
}

export function nameMeasured(response: Measured, labelsOf: LabelsOf | undefined): void {
  if (response[STARTED]) response[STARTED].labelsOf = labelsOf;
}

/** Call it when the answer was sent. Counts it once, and keeps nothing of its request. */
export function countAnswer(response: Measured): void {
  const started = response[STARTED];
  if (!started) return;
  response[STARTED] = undefined;
  started.meter(response, started);
}

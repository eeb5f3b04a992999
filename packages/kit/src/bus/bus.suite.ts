import { describe } from "node:test";
import type { OpenForTest } from "./bus-under-test.suite.ts";
import { claimsLaws } from "./claims.suite.ts";
import { lifeLaws } from "./life.suite.ts";
import { messageLaws } from "./messages.suite.ts";
import { requestLaws } from "./requests.suite.ts";

/** The laws of `bus.ts`, on any engine. */
export function busLaws(engine: string, open: OpenForTest): void {
  describe(`claims, ${engine}`, () => claimsLaws(engine, open));
  describe(`messages, ${engine}`, () => messageLaws(engine, open));
  describe(`requests, ${engine}`, () => requestLaws(engine, open));
  describe(`life of a bus, ${engine}`, () => lifeLaws(open));
}

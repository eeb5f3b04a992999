import assert from "node:assert/strict";
import { suite } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { registrationLaws } from "./registrations.suite.ts";
import { openShared } from "./shared-registrations.suite.ts";

suite("registrations of two gateways on the in-process bus", () => {
  registrationLaws(async () => {
    const bus = await openBus({ now: Date.now, onFault: (error) => assert.fail(error) });
    return openShared([bus, bus], () => bus.close());
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { altitudeM, dewPointC, seaLevelHpa, tendencyOf } from "./weather.ts";

const near = (value: number, wanted: number, by: number) =>
  assert.ok(Math.abs(value - wanted) < by, `${value}, not ${wanted}`);

test("pressure and height follow the standard atmosphere", () => {
  near(seaLevelHpa(898.75, 1_000), 1_013.25, 0.1);
  near(altitudeM(898.75), 1_000, 1);
  assert.equal(seaLevelHpa(1_000, 0), 1_000);
});

test("the dew point is the temperature in saturated air, and lower in drier air", () => {
  near(dewPointC(20, 100), 20, 1e-9);
  near(dewPointC(20, 50), 9.3, 0.1);
  assert.ok(Number.isNaN(dewPointC(20, Number.NaN)));
});

test("a change in three hours has a name", () => {
  assert.deepEqual(
    [0.05, 1, -2, -4, 4].map((change) => tendencyOf(change).words),
    ["steady", "rises slowly", "falls", "falls fast: wind likely", "rises fast: gusts likely"],
  );
});

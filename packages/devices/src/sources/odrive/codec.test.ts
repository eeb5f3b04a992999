import assert from "node:assert/strict";
import { test } from "node:test";
import { codecLaws, decimal, pick, type Random } from "../codec-laws.suite.ts";
import { type ODriveAnswer, type ODriveRequest, odriveAnswers, odriveRequests, readNumbers } from "./codec.ts";

const checked = (random: Random) => (random() < 0.5 ? { isChecked: true as const } : {});

// docs.odriverobotics.com/v/0.5.6/ascii-protocol.html
codecLaws<ODriveRequest>("ODrive requests", odriveRequests, {
  examples: [
    { bytes: "t 0 -2\n", message: { command: "t", axis: 0, values: [-2] } },
    { bytes: "q 0 -2 1 0.1\n", message: { command: "q", axis: 0, values: [-2, 1, 0.1] } },
    { bytes: "p 0 -2 0 0\n", message: { command: "p", axis: 0, values: [-2, 0, 0] } },
    { bytes: "v 0 1 0\n", message: { command: "v", axis: 0, values: [1, 0] } },
    { bytes: "f 0\n", message: { command: "f", axis: 0, values: [] } },
    { bytes: "u 1\n", message: { command: "u", axis: 1, values: [] } },
    { bytes: "r vbus_voltage\n", message: { command: "r", property: "vbus_voltage" } },
    { bytes: "r vbus_voltage *93\n", message: { command: "r", property: "vbus_voltage", isChecked: true } },
    {
      bytes: "w axis0.controller.input_pos -123.456\n",
      message: { command: "w", property: "axis0.controller.input_pos", value: "-123.456" },
    },
    { bytes: "sc\n", message: { command: "sc" } },
    { bytes: "v 0 1 0 ; faster\r\n", message: { command: "v", axis: 0, values: [1, 0] }, isReadOnly: true },
  ],
  any(random) {
    const property = pick(random, ["vbus_voltage", "axis0.controller.input_vel", "axis1.error"]);
    const command = pick(random, ["v", "p", "c", "f", "r", "w", "sc"] as const);
    if (command === "sc") return { command, ...checked(random) };
    if (command === "r") return { command, property, ...checked(random) };
    if (command === "w") return { command, property, value: String(decimal(random)), ...checked(random) };
    const values = command === "f" ? [] : command === "c" ? [decimal(random)] : [decimal(random), decimal(random)];
    return { command, axis: pick(random, [0, 1]), values, ...checked(random) };
  },
});

codecLaws<ODriveAnswer>("ODrive answers", odriveAnswers, {
  examples: [
    { bytes: "24.087744\r\n", message: { text: "24.087744" } },
    { bytes: "24.087744\n", message: { text: "24.087744" }, isReadOnly: true },
    { bytes: "invalid property\r\n", message: { text: "invalid property" } },
  ],
  any: (random) => ({ text: `${decimal(random)} ${decimal(random)}`, ...checked(random) }),
});

test("a line with a wrong checksum is left out, and numbers that are none are not numbers", () => {
  const requests = odriveRequests.createReader();
  assert.deepEqual(requests.take(Buffer.from("r vbus_voltage *92\nv 0 fast\nv 7 1e999\nx\n")), []);
  assert.equal(requests.refused, 4);
  assert.deepEqual(readNumbers("1.5 -2", 2), [1.5, -2]);
  for (const text of ["1.5", "1.5 nan", "invalid property", "1 2 3", "0x10 1"])
    assert.equal(readNumbers(text, 2), undefined);
});

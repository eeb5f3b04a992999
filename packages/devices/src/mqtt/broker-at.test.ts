import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerAt } from "./broker-at.ts";

test("the address of a broker as options of mqtt.js", () => {
  assert.deepEqual(brokerAt("mqtts://gate%40way:p%2Fw%3A1@broker.example.org:8884"), {
    ...{ protocol: "mqtts", host: "broker.example.org", port: 8_884 },
    ...{ username: "gate@way", password: "p/w:1" },
  });
  assert.deepEqual(brokerAt("mqtt://[::1]"), { protocol: "mqtt", host: "::1" });
});

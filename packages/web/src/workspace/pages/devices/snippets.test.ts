import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceIdOf, SNIPPETS, type SnippetKind, snippetOf } from "./snippets.ts";

test("the id of a device is made from any name, and is one that topics may have", () => {
  for (const name of ["Bench scale", "  Über-Ofen #3 ", "..", "-", "日本", "a".repeat(200), "x/y+z#"])
    assert.match(deviceIdOf(name), /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/, name);
  assert.equal(deviceIdOf("Bench scale"), "bench-scale");
});

test("settings to paste have the address, the port and the key", () => {
  const place = { address: "mqtt://bench.example:2883", key: "bpd_x", device: "oven" };
  for (const kind of Object.keys(SNIPPETS) as SnippetKind[]) {
    const text = snippetOf(kind, place);
    assert.ok(text.includes("bench.example") && text.includes("2883") && text.includes("bpd_x"), kind);
  }
  assert.match(snippetOf("esp32", { ...place, address: "mqtts://bench.example" }), /MQTT_PORT 8883/);
  assert.match(snippetOf("esp32", { ...place, address: "nowhere" }), /this machine/);
});

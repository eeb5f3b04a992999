import assert from "node:assert/strict";
import { test } from "node:test";
import { passkeySupport } from "./passkeys.ts";

const Api = Object.assign(() => {}, { parseRequestOptionsFromJSON: () => {} });

const at = (hostname: string, part: object = {}) =>
  passkeySupport({ PublicKeyCredential: Api, isSecureContext: true, location: { hostname, port: "8790" }, ...part });

test("passkeys work at a host name, over https or on this machine", () => {
  assert.deepEqual(at("localhost"), { possible: true });
  assert.deepEqual(at("backplane.example"), { possible: true });
});

test("at an IP address the page says where passkeys work", () => {
  assert.deepEqual(at("127.0.0.1"), {
    possible: false,
    why: "Passkeys do not work at 127.0.0.1. Open localhost:8790 to use one.",
  });
  assert.match(JSON.stringify(at("[::1]")), /localhost:8790/);
  assert.match(JSON.stringify(at("192.168.20.41")), /a host name instead/);
});

test("plain http and an old browser have different texts", () => {
  assert.match(JSON.stringify(at("backplane.example", { isSecureContext: false })), /need https/);
  assert.match(
    JSON.stringify(at("backplane.example", { PublicKeyCredential: undefined })),
    /does not support passkeys/,
  );
});

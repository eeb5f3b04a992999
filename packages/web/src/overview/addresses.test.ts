import assert from "node:assert/strict";
import { test } from "node:test";
import { addresses, mixedAddresses } from "./addresses.ts";

const platform = { name: "platform", url: "http://localhost:8790", port: 8790, state: "running" } as const;
const gateway = { name: "gateway", url: "http://localhost:8795", port: 8795, state: "running" } as const;
const watchdog = { name: "watchdog", url: "http://localhost:8796", port: 8796, state: "running" } as const;
const viewer = { name: "viewer", url: "http://localhost:8770", port: 8770, state: "unreachable" } as const;

test("KiCad's address is the first; each other one belongs to its process, running or not", () => {
  const kicadUrl = "https://box.example/registry/kicad/repository.json";
  const processes = [platform, { ...gateway, url: "https://gateway.example/" }, viewer];
  assert.deepEqual(
    addresses({ processes, kicadUrl }).map(({ url }) => url),
    [
      kicadUrl,
      "https://gateway.example/callback",
      "http://localhost:8770/screenshot-paste",
      "http://localhost:8790/docs",
    ],
  );
});

test("a mixture of addresses of this machine and public ones is named with the settings to change", () => {
  const local = [platform, gateway, watchdog, viewer];
  assert.equal(mixedAddresses(local, "http://127.0.0.1:8790/"), undefined);
  const publicNames = local.map((process) => ({ ...process, url: `https://${process.name}.example` }));
  assert.equal(mixedAddresses([...publicNames, watchdog], "https://platform.example/"), undefined);
  assert.match(
    mixedAddresses([{ ...platform, url: "https://box.example" }, gateway, watchdog, viewer], "https://box.example/") ??
      "",
    /^GATEWAY_URL and VIEWER_URL are addresses of this machine only, but the others are public\..* set GATEWAY_URL and VIEWER_URL\.$/,
  );
  assert.match(
    mixedAddresses(local, "http://192.168.1.7:8790/") ?? "",
    /^BASE_URL, GATEWAY_URL, and VIEWER_URL are .* but this page was opened from elsewhere/,
  );
});

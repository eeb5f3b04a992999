import assert from "node:assert/strict";
import { test } from "node:test";
import { doneCount, firstSteps, timesOf } from "./steps.ts";

const start = new Date(2026, 10, 5, 14, 2);
const kicadUrl = "https://box.example/registry/kicad/repository.json";

test("a time makes a step done and moves the next one on", () => {
  const steps = firstSteps({ who: "owner", kicadUrl, doneAt: { start, "sign-in": new Date(2026, 10, 5, 14, 5) } });
  assert.deepEqual(
    steps.map(({ id, status }) => `${id} ${status}`),
    ["start done", "sign-in done", "connect next", "publish todo", "kicad todo", "panel todo"],
  );
  assert.equal(doneCount(steps), "2 of 6 done");
});

test("people who were invited have other steps than the owner", () => {
  const steps = firstSteps({ who: "invited", kicadUrl, doneAt: { account: start, passkey: start } });
  assert.deepEqual(
    steps.map(({ id, status }) => `${id} ${status}`),
    ["account done", "passkey done", "kicad next", "connect todo", "workspace todo"],
  );
  assert.equal(steps[2]?.paste, kicadUrl);
});

test("every step that is not done has something to copy or a page to go to", () => {
  for (const who of ["owner", "invited"] as const) {
    const open = firstSteps({ who, kicadUrl, doneAt: { start, account: start, "sign-in": start } });
    for (const { title, command, paste, page, status } of open) {
      if (status !== "done") assert.ok(command ?? paste ?? page, title);
    }
  }
});

test("steps say where the code to compare is, and how a package begins", () => {
  const steps = firstSteps({ who: "owner", doneAt: { start } });
  const more = (id: string) => steps.find((step) => step.id === id)?.more ?? "";
  assert.match(more("connect"), /opens a page that shows one too/);
  assert.match(more("publish"), /pkg init/);
});

test("when all steps are done there is no next step; without KiCad's repository there is no step for it", () => {
  const doneAt = timesOf({ connect: start.toISOString(), publish: start.toISOString(), panel: start.toISOString() });
  const steps = firstSteps({ who: "owner", doneAt: { start, "sign-in": start, ...doneAt } });
  assert.equal(doneCount(steps), "5 of 5 done");
  assert.ok(steps.every(({ status }) => status === "done"));
});

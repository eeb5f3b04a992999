import assert from "node:assert/strict";
import { test } from "node:test";
import type { OfferedPanel, PanelManifest } from "@backplane/contract/panels";
import { packageChoices } from "./package-choices.ts";
import { countsOf, groupsOf } from "./search-catalog.ts";

const panel: PanelManifest = {
  ...{ name: "gauge", title: "Gauge", description: "", category: "Utility", entry: "index.js", style: null, tools: [] },
  wants: { read: ["temperature"], control: [], files: ["read:data/**"], tools: [] },
};
const offered = (identifier: string): OfferedPanel => ({
  ...{ identifier, version: "1.0.0", sha256: "a", size: 1, owner: "ada", status: "stable", panel },
});
const INSTALLED = { ...offered("com.example.one"), allowedBy: "bob", allowedAt: "", devices: null, update: null };
const DRAFT = { ...offered("com.example.one"), sentBy: "ada", sentAt: "", until: "", allowedBy: null, devices: null };

test("panels of the workspace, drafts and what the registry has besides are listed with their owner and what they want", () => {
  const choices = packageChoices([INSTALLED], [DRAFT], [offered("com.example.one"), offered("com.example.two")]);
  assert.deepEqual(
    choices.map(({ category, description, opens }) => [category, description, opens.initialState, opens.displayName]),
    [
      [
        "From packages",
        "ada · 1.0.0 · reads temperature · files: read data/**",
        { package: "com.example.one" },
        "Gauge",
      ],
      [
        ...["From packages", "draft of ada · reads temperature · files: read data/**"],
        ...[{ package: "com.example.one", draft: true }, "Gauge (draft)"],
      ],
      ["Get more", "ada · 1.0.0 · reads temperature · files: read data/**", { package: "com.example.two" }, "Gauge"],
    ],
  );
  const kinds = choices.map(({ kind }) => kind);
  assert.equal(new Set(kinds).size, kinds.length);
  assert.deepEqual(
    groupsOf(choices, "All").map(({ title }) => title),
    ["From packages"],
    "what is not in the workspace is under Get more",
  );
  assert.deepEqual(groupsOf(choices, "Get more").length, 1);
  assert.deepEqual(countsOf(choices)[0], ["All", 2]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { activateTab, addTab, closeTab, moveTab, renameTab, resizeSplit, splitLeaf } from "./edits.ts";
import { faultsIn } from "./faults.suite.ts";
import { leaf, tab } from "./sample.suite.ts";
import { findTab, leavesOf, type Root, splitsOf, tabsOf } from "./tree.ts";
import { rememberChange, undoChange } from "./undo.ts";

const pick = fc.nat({ max: 1_000 });
const kind = fc.constantFrom("sandbox", "webview", "3d-viewer", "schematic-editor");
const direction = fc.constantFrom("horizontal" as const, "vertical" as const);
const position = fc.constantFrom("before" as const, "after" as const);
const step = fc.oneof(
  fc.record({ do: fc.constant("add" as const), pick, kind, index: fc.option(fc.nat({ max: 5 })) }),
  fc.record({ do: fc.constant("split" as const), pick, kind, direction, position }),
  fc.record({ do: fc.constant("close" as const), pick }),
  fc.record({ do: fc.constant("move" as const), pick, to: pick, index: fc.option(fc.nat({ max: 5 })) }),
  fc.record({ do: fc.constant("beside" as const), pick, to: pick, direction, position }),
  fc.record({ do: fc.constant("resize" as const), pick, ratio: fc.double({ min: 0.05, max: 0.95, noNaN: true }) }),
  fc.record({ do: fc.constant("activate" as const), pick }),
  fc.record({ do: fc.constant("rename" as const), pick }),
  fc.record({ do: fc.constant("undo" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const at = <Thing>(things: readonly Thing[], pick: number): Thing | undefined => things[pick % things.length];

/** The tree after a step; the same tree when the step does not apply. */
function take(root: Root, step: Exclude<Step, { do: "undo" }>, id: () => string): Root {
  const leaves = [...leavesOf(root)];
  const chosen = at(tabsOf(root), step.pick)?.id;
  const own = () => ({ newPanelId: id(), newSplitId: id() });
  if (step.do === "add") {
    const panelId = at(leaves, step.pick)?.id ?? "";
    return addTab(root, tab(id(), step.kind), { panelId, index: step.index ?? undefined });
  }
  if (step.do === "split") {
    return splitLeaf(root, at(leaves, step.pick)?.id ?? "", tab(id(), step.kind), { ...step, ...own() }).root;
  }
  if (step.do === "resize") {
    const split = at([...splitsOf(root)], step.pick);
    return split ? resizeSplit(root, split.id, step.ratio) : root;
  }
  if (chosen === undefined) return root;
  if (step.do === "close") return closeTab(root, chosen);
  if (step.do === "activate") return activateTab(root, chosen);
  if (step.do === "rename") return renameTab(root, chosen, id());
  const targetPanelId = at(leaves, step.to)?.id ?? "";
  if (step.do === "move") return moveTab(root, { tabId: chosen, targetPanelId, index: step.index ?? undefined });
  return moveTab(root, { tabId: chosen, targetPanelId, beside: { ...step, ...own() } });
}

const idsOf = (root: Root): string[] =>
  tabsOf(root)
    .map(({ id }) => id)
    .sort();

test("any sequence of operations keeps the tree valid, and only closing removes a tab", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let made = 0;
      const id = () => {
        made += 1;
        return `n${made}`;
      };
      let root: Root = leaf("only");
      const history: { before: Root; remembered: ReturnType<typeof rememberChange> }[] = [];
      for (const each of steps) {
        const before = root;
        const drawn = JSON.stringify(before);
        if (each.do === "undo") {
          const last = history.pop();
          if (!last) continue;
          root = undoChange(root, last.remembered);
          assert.deepEqual(idsOf(root), idsOf(last.before));
        } else {
          try {
            root = take(root, each, id);
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== "singleton-panel") throw error;
            continue;
          }
          if (root !== before && each.do !== "activate" && each.do !== "rename") {
            history.push({ before, remembered: rememberChange(before, root) });
          }
          const [lost, come] = [
            idsOf(before).filter((tabId) => !findTab(root, tabId)),
            idsOf(root).filter((tabId) => !findTab(before, tabId)),
          ];
          assert.equal(lost.length, each.do === "close" && before !== root ? 1 : 0);
          assert.equal(come.length, each.do === "add" || each.do === "split" ? 1 : 0);
        }
        assert.deepEqual(faultsIn(root), []);
        const [oldest] = history;
        if (oldest) assert.deepEqual(faultsIn(undoChange(root, oldest.remembered)), [], "in whatever order");
        assert.equal(JSON.stringify(before), drawn, "the old tree is unchanged");
      }
    }),
    { numRuns: trials(300) },
  );
});

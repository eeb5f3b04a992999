import assert from "node:assert/strict";
import { it } from "node:test";
import type { NamedBy } from "@backplane/contract/viewer";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { assertPairs, assertTidy, newProject, open, paste } from "./pastes-under-test.suite.ts";

type Modelled = {
  content: string;
  base: string | null;
  by: NamedBy | null;
  status: "naming" | "named";
  isRemoved: boolean;
};

const RANK = [null, "text", "client", "model", "you"];
const which = fc.nat(5);
const name = fc.constantFrom("login", "login-2", "build", "build-failed");
const by = fc.constantFrom<NamedBy>("text", "client", "model", "you");
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("add" as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rename" as const), which, name, by }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("finish" as const), which, name: fc.option(name), by }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore" as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
);

it("after any sequence of changes, the screenshots are those of a simple model", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
      const project = await newProject(t);
      let pastes = await open(project);
      const model = new Map<string, Modelled>();
      const take = (id: string, base: string, from: NamedBy): void => {
        const one = model.get(id);
        if (one && RANK.indexOf(from) >= RANK.indexOf(one.by)) Object.assign(one, { base, by: from });
      };
      for (const [step, each] of operations.entries()) {
        const ids = [...model.keys()];
        const id = "which" in each ? ids[each.which % ids.length] : undefined;
        const one = model.get(id ?? "");
        if (each.kind === "add") {
          const content = `picture ${step}`;
          const added = await paste(pastes, content);
          model.set(added.id, { content, base: null, by: null, status: "naming", isRemoved: false });
        } else if (each.kind === "reopen") {
          await pastes.close();
          pastes = await open(project);
          await assertTidy(project);
        } else if (!one || id === undefined) {
        } else if (each.kind === "restore") {
          await pastes.restore(id);
          one.isRemoved = false;
        } else if (one.isRemoved) {
          await assert.rejects(pastes.rename(id, "login", "you"), { code: "paste-unknown" });
        } else if (each.kind === "rename") {
          await pastes.rename(id, each.name, each.by);
          take(id, each.name, each.by);
        } else if (each.kind === "finish") {
          await pastes.finishNaming(id, { text: "text", suggestions: [], name: each.name, by: each.by });
          one.status = "named";
          if (each.name) take(id, each.name, each.by);
        } else if (each.kind === "remove") {
          await pastes.remove(id);
          one.isRemoved = true;
        }
      }
      const live = [...model].filter(([, one]) => !one.isRemoved);
      const originals = await assertPairs(project, pastes);
      assert.deepEqual([...originals].sort(), live.map(([, one]) => one.content).sort());
      for (const [id, one] of live) {
        const now = pastes.get(id);
        assert.equal(now?.namedBy, one.by);
        assert.equal(now?.status, one.status);
        assert.match(now?.name ?? "", new RegExp(`^${one.base ?? "sp-20261115-191354-123"}(-[0-9]+)?$`));
      }
      const names = live.map(([id]) => pastes.get(id)?.name);
      assert.equal(new Set(names).size, names.length);
      await pastes.close();
    }),
    { numRuns: trials(60) },
  );
});

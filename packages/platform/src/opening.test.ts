import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@backplane/kit/callers";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { createOpening } from "./opening.ts";

const REQUEST = {} as FastifyRequest;
const ADA = { userId: "ada", kind: "Browser" } as Caller;

/** The area of panels answers as if this caller had asked. */
const openingOf = (caller: Caller | Problem, displayName = "Motor") => {
  const layout = { revision: 1, root: { type: "leaf", tabs: [{ displayName }] } };
  return createOpening({
    accounts: { describeUser: async ({ userId }) => ({ id: userId }) as never },
    panels: {
      async opening() {
        if (caller instanceof Problem) throw caller;
        return { caller, layout, catalog: { panels: [] } } as never;
      },
    },
  })(REQUEST);
};

test("a person's browser gets its user, the catalog and the layout in the page", async () => {
  const opening = await openingOf(ADA);
  assert.deepEqual(Object.keys(opening ?? {}), ["user", "catalog", "layout"]);
  assert.equal(opening?.user.id, "ada");
});

test("whoever may not see the workspace gets the plain page, as do programs", async () => {
  for (const code of ["not-signed-in", "foreign-page", "workspace-not-yours", "workspace-unknown"] as const)
    assert.equal(await openingOf(new Problem(code)), undefined);
  for (const kind of ["Application", "ApiKey"] as const) assert.equal(await openingOf({ ...ADA, kind }), undefined);
});

test("a large layout is not sent twice", async () => {
  assert.equal(await openingOf(ADA, "a".repeat(70_000)), undefined);
});

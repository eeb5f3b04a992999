import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NamingOutcome, Pastes } from "../services.ts";
import type { PastesOptions } from "./pastes.ts";
import { paste } from "./pastes-under-test.suite.ts";

/** One change, and how the project looks before and after it. */
export type Scenario = {
  name: string;
  options?: Partial<PastesOptions>;
  /** Other files in the folder. */
  foreign: readonly string[];
  /** Originals that must exist in any case. */
  kept: readonly string[];
  /** Returns the id that the change is about. */
  prepare(pastes: Pastes, project: string): Promise<string>;
  act(pastes: Pastes, id: string): Promise<unknown>;
  describe(pastes: Pastes): string;
  before: string;
  after: string;
};

const FIRST = "sp-20261115-191354-123";
const FOREIGN = ["login-400x200-original.png"];
const OUTCOME: NamingOutcome = { text: "Sign in", suggestions: ["sign-in"], name: "sign-in", by: "text" };

const names = (pastes: Pastes): string =>
  pastes
    .list({ limit: 200 })
    .pastes.map(({ name, status }) => `${name} ${status}`)
    .sort()
    .join(", ");

async function putForeign(project: string): Promise<void> {
  for (const name of FOREIGN) await writeFile(join(project, "screenshots/sp", name), "somebody else's");
}

const onePaste = async (pastes: Pastes): Promise<string> => (await paste(pastes, "one")).id;

async function named(pastes: Pastes, content = "one", name = "login"): Promise<string> {
  const { id } = await paste(pastes, content);
  await pastes.rename(id, name, "you");
  return id;
}

async function removedAndTaken(pastes: Pastes): Promise<string> {
  const id = await named(pastes);
  await pastes.remove(id);
  await named(pastes, "two");
  return id;
}

/** Resolves when the file is smaller, or no more work is waiting. */
async function squeeze(pastes: Pastes, id: string): Promise<void> {
  await pastes.finishNaming(id, { text: null, suggestions: [], name: null, by: null });
  // Closing waits for the one that is running.
  await pastes.close();
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "save",
    foreign: [],
    kept: [],
    prepare: async () => "",
    act: (pastes) => paste(pastes, "one"),
    describe: names,
    before: "",
    after: `${FIRST} naming`,
  },
  {
    name: "save in the same millisecond as another",
    foreign: [],
    kept: ["one"],
    prepare: onePaste,
    act: (pastes) => paste(pastes, "two"),
    describe: names,
    before: `${FIRST} naming`,
    after: `${FIRST} naming, ${FIRST}-2 naming`,
  },
  {
    name: "rename",
    foreign: [],
    kept: ["one"],
    prepare: onePaste,
    act: (pastes, id) => pastes.rename(id, "login", "you"),
    describe: names,
    before: `${FIRST} naming`,
    after: "login naming",
  },
  {
    name: "rename to a name of which somebody else has the second file",
    foreign: FOREIGN,
    kept: ["one"],
    async prepare(pastes, project) {
      await putForeign(project);
      return onePaste(pastes);
    },
    act: (pastes, id) => pastes.rename(id, "login", "you"),
    describe: names,
    before: `${FIRST} naming`,
    after: "login-2 naming",
  },
  {
    name: "end of naming",
    foreign: [],
    kept: ["one"],
    prepare: onePaste,
    act: (pastes, id) => pastes.finishNaming(id, OUTCOME),
    // If killed between the two, it has its name, and naming runs again.
    describe: (pastes) => names(pastes).replace("sign-in naming", "sign-in named"),
    before: `${FIRST} naming`,
    after: "sign-in named",
  },
  {
    name: "remove",
    foreign: [],
    kept: ["two"],
    async prepare(pastes) {
      await named(pastes, "two", "other");
      return named(pastes);
    },
    act: (pastes, id) => pastes.remove(id),
    describe: names,
    before: "login naming, other naming",
    after: "other naming",
  },
  {
    name: "remove when as many as may be put back are there",
    options: { limits: { maxRemoved: 1 } },
    foreign: [],
    kept: [],
    async prepare(pastes) {
      await pastes.remove(await named(pastes, "two", "other"));
      return named(pastes);
    },
    act: (pastes, id) => pastes.remove(id),
    describe: names,
    before: "login naming",
    after: "",
  },
  {
    name: "restore",
    foreign: [],
    kept: [],
    async prepare(pastes) {
      const id = await named(pastes);
      await pastes.remove(id);
      return id;
    },
    act: (pastes, id) => pastes.restore(id),
    describe: names,
    before: "",
    after: "login naming",
  },
  {
    name: "restore when the name is taken",
    foreign: [],
    kept: ["two"],
    prepare: removedAndTaken,
    act: (pastes, id) => pastes.restore(id),
    describe: names,
    before: "login naming",
    after: "login naming, login-2 naming",
  },
  {
    name: "squeeze",
    foreign: [],
    kept: ["one"],
    async prepare(pastes) {
      return named(pastes);
    },
    act: squeeze,
    describe: (pastes) => `${pastes.newest()?.name}`,
    before: "login",
    after: "login",
  },
];

import { startSimulator } from "@backplane/simulators";
import type { Person } from "../support/person.ts";
import { until } from "../support/processes.ts";
import { PUBLIC } from "./public-names.ts";

const PLATFORM = `https://${PUBLIC.platform}`;
/** As the guide names it. */
const OVEN = { kind: "temperature", id: "oven" };

type Place = {
  /** Where it connects, over TLS. */
  url: string;
  key: string;
  /** The name of the workspace, which is the owner's. */
  repo: string;
  /** Before its topics, at a broker that all workspaces share. */
  prefix?: string;
};

/** An oven connects, and a person sees what it measures. */
export async function useOven(person: Person, { repo, ...where }: Place): Promise<void> {
  const said: string[] = [];
  const oven = startSimulator({ ...OVEN, ...where, onNews: (news) => said.push(news) });
  try {
    const devices = `/api/workspaces/editor/owner/${repo}/current/devices`;
    const isShown = async () => {
      const answer = await person.call(PLATFORM, devices);
      return /"id":"oven"[^{]*"state":"ready"/s.test(await answer.text());
    };
    await until(isShown, `the oven is shown; it says: ${said.join(", ")}`);
  } finally {
    await oven.close();
  }
}

/** A key of the platform's own broker. */
export async function makeOvenKey(person: Person, repo: string): Promise<string> {
  const body = { name: "Oven", device: OVEN.id };
  const path = `/api/workspaces/editor/owner/${repo}/current/devices/keys`;
  const made = await person.call(PLATFORM, path, { method: "POST", body });
  return ((await made.json()) as { key: string }).key;
}

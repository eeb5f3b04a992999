import type { Layout, Leaf, Tab } from "@backplane/contract/panels";
import { leavesOf } from "./tree.ts";

/** Said in full; further ones are counted. */
const MAX_SAID = 3;

type Placed = { tab: Tab; leaf: Leaf };

const placesOf = (root: Layout["root"]): Map<string, Placed> =>
  new Map(leavesOf(root).flatMap((leaf) => leaf.tabs.map((tab) => [tab.id, { tab, leaf }] as const)));

/** What happened between two layouts, in words for who cannot see it happen. */
export function tellChanges(before: Layout, after: Layout, nameOf: (tab: Tab) => string): string {
  const [were, are] = [placesOf(before.root), placesOf(after.root)];
  const said: string[] = [];
  for (const [id, { tab }] of were) {
    if (!are.has(id)) said.push(`${nameOf(tab)} closed.`);
  }
  for (const [id, { tab, leaf }] of are) {
    const was = were.get(id);
    if (!was) said.push(`${nameOf(tab)} opened.`);
    // A panel that went away hands its tabs on only by moves, one at a time.
    else if (was.leaf.id !== leaf.id) said.push(`${nameOf(tab)} moved ${besideWords(leaf, id, nameOf)}.`);
    else if (tab.displayName !== was.tab.displayName) said.push(`${nameOf(was.tab)} is now ${nameOf(tab)}.`);
  }
  const more = said.length - MAX_SAID;
  return [...said.slice(0, MAX_SAID), ...(more > 0 ? [`${more} more changes.`] : [])].join(" ");
}

function besideWords({ tabs }: Leaf, tabId: string, nameOf: (tab: Tab) => string): string {
  const mate = tabs.find(({ id }) => id !== tabId);
  return mate ? `beside ${nameOf(mate)}` : "to a panel of its own";
}

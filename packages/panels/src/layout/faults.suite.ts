import { identifierOf, PANELS_LIMITS } from "@backplane/contract/panels";
import { findPanel } from "../catalog/catalog.ts";
import { depthOf, leavesOf, type Root, splitsOf, tabsOf } from "./tree.ts";

const { minRatio, maxTabs, maxDepth } = PANELS_LIMITS;

/** What is wrong with a tree; empty when every operation is correct. */
export function faultsIn(root: Root): string[] {
  const faults: string[] = [];
  const [leaves, splits, tabs] = [[...leavesOf(root)], [...splitsOf(root)], tabsOf(root)];
  for (const id of repeated([...leaves, ...splits, ...tabs].map(({ id }) => id))) faults.push(`${id} occurs twice`);
  for (const { id, tabs, activeTabId } of leaves) {
    if (tabs.length === 0 && leaves.length > 1) faults.push(`${id} is empty and not the only leaf`);
    const isActive = tabs.length === 0 ? activeTabId === null : tabs.some((tab) => tab.id === activeTabId);
    if (!isActive) faults.push(`${id} has ${activeTabId} active`);
  }
  for (const { id, ratio } of splits) {
    if (!(ratio >= minRatio && ratio <= 1 - minRatio)) faults.push(`${id} has the ratio ${ratio}`);
  }
  const singletons = tabs.map(identifierOf).filter((type) => findPanel(type)?.singleton);
  for (const type of repeated(singletons)) faults.push(`the singleton ${type} occurs twice`);
  if (tabs.length > maxTabs) faults.push(`there are ${tabs.length} tabs`);
  if (depthOf(root) > maxDepth) faults.push(`it is ${depthOf(root)} deep`);
  return faults;
}

const repeated = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

import { after, before } from "node:test";
import { type PageBench, startPageBench } from "./viewer/page-bench.ts";
import { testPageFaults } from "./viewer/page-faults.suite.ts";
import { testPageInteraction } from "./viewer/page-interaction.suite.ts";
import { testPageLooks } from "./viewer/page-looks.suite.ts";
import { testPageNaming } from "./viewer/page-naming.suite.ts";
import { testPageSearch } from "./viewer/page-search.suite.ts";

let running: PageBench & AsyncDisposable;
before(async () => {
  running = await startPageBench();
});
after(() => running?.[Symbol.asyncDispose]());

const bench = (): PageBench => running;

testPageLooks(bench);
testPageInteraction(bench);
testPageNaming(bench);
testPageSearch(bench);
testPageFaults(bench);

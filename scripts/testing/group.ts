// Runs the test files that it is given in one process, one after another, each as a suite named after it: hooks of one
// file are not hooks of the next.
// biome-ignore assist/source/organizeImports: it comes before node:test.
import { endPromiseTracking } from "./promise-tracking.ts";
import { join } from "node:path";
import { after, before, suite } from "node:test";
import { pathToFileURL } from "node:url";
import { groupKey, logCpuSeconds, ownCpuSeconds } from "./cpu-time.ts";
import { root } from "./files.ts";

const log = process.env.TEST_CPU_LOG;
const files = process.argv.slice(2);
process.on("exit", () => logCpuSeconds(log, groupKey(files)));

// No test before all files are read: a module that is read while a test has changed the clock would keep that clock.
const { promise: allRead, resolve: beginTests } = Promise.withResolvers<void>();
before(() => allRead);

for (const file of files) {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  void suite(file, async () => {
    let startS: number | undefined;
    before(() => {
      startS = ownCpuSeconds();
    });
    await import(pathToFileURL(join(root, file)).href).finally(resolve);
    // The last hook of the file, so that its own are counted.
    after(() => logCpuSeconds(log, file, startS));
  });
  // Not two at a time: node:test finds the suite that a test belongs to by who began to read the module.
  await isRead;
}
// Until here it was how node:test found the suite of a test.
endPromiseTracking();
beginTests();

import { type TestContext, test } from "node:test";
import { isLongRun } from "./long.ts";

type Test = (name: string, work: (t: TestContext) => Promise<void>) => void;

/** In the names of stages that need a server. */
const SERVER = /postgres|redis|mosquitto/i;

/** Whether rules are tried on the engine of this name: `npm test` tries them where no server is needed, a long run everywhere. */
export const triesRules = (engine: string): boolean => isLongRun || !SERVER.test(engine);

/**
 * `test` for a rule of a suite: what is refused, who may call, what an answer contains. Rules do not depend on the engine.
 * Laws do, and use `test`: who wins a race, what is stored and found again, who hears of it. Each query runs in one of
 * them, because each engine has its own SQL.
 */
export const ruleTest = (engine: string): Test => (triesRules(engine) ? test : () => {});

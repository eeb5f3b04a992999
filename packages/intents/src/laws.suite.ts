import { trials } from "../../../scripts/testing/long.ts";
import { intentContract } from "./contract.suite.ts";
import { decisionContract } from "./decisions.suite.ts";
import type { Stage } from "./intents-under-test.suite.ts";
import { intentModel } from "./model.suite.ts";
import { raceContract } from "./races.suite.ts";
import { statusContract } from "./status.suite.ts";
import { streamContract } from "./streams.suite.ts";

/** Random sequences of calls that the model tries on each stage. */
const MODEL_RUNS = trials(40);

/** Laws depend on what is below (races, durability, fan-out): they hold on every stage. */
export function testIntentLaws(stages: readonly Stage[]): void {
  for (const stage of stages) {
    streamContract(stage);
    raceContract(stage);
    intentModel(stage, MODEL_RUNS);
  }
}

/** Rules of the routes, which are the same whatever is below: one stage is enough. */
export function testIntentRules(stage: Stage): void {
  intentContract(stage);
  statusContract(stage);
  decisionContract(stage);
}

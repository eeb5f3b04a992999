import { intentContract } from "./contract.suite.ts";
import { decisionContract } from "./decisions.suite.ts";
import type { Stage } from "./intents-under-test.suite.ts";
import { intentModel } from "./model.suite.ts";
import { raceContract } from "./races.suite.ts";
import { statusContract } from "./status.suite.ts";
import { streamContract } from "./streams.suite.ts";

/** Lives of an intent that the model tries on each stage. */
const MODEL_RUNS = 40;

/** Everything that holds of intents, whatever is below them. */
export function testIntents(stages: readonly Stage[]): void {
  for (const stage of stages) {
    intentContract(stage);
    statusContract(stage);
    streamContract(stage);
    decisionContract(stage);
    raceContract(stage);
    intentModel(stage, MODEL_RUNS);
  }
}

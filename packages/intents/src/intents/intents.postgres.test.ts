import { intentContract } from "./contract.suite.ts";
import { decisionContract } from "./decisions.suite.ts";
import { intentModel } from "./model.suite.ts";
import { raceContract } from "./races.suite.ts";
import { POSTGRES } from "./stages.suite.ts";
import { statusContract } from "./status.suite.ts";
import { streamContract } from "./streams.suite.ts";

for (const stage of POSTGRES) {
  intentContract(stage);
  statusContract(stage);
  streamContract(stage);
  decisionContract(stage);
  raceContract(stage);
  intentModel(stage, 40);
}

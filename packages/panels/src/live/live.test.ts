import { leaseLaws } from "./lease.suite.ts";
import { liveLaws } from "./live.suite.ts";

const stage = { name: "one instance", instances: 1 } as const;
liveLaws(stage);
leaseLaws(stage);

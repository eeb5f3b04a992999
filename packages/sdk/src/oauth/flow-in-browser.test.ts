import { describeFlow } from "./flow.suite.ts";
import { describeFlowFailures } from "./flow-failures.suite.ts";

// What tells a browser from Node; the WebSocket here is the same standard one.
Reflect.set(globalThis, "document", {});

describeFlow("a browser's WebSocket");
describeFlowFailures("a browser's WebSocket");

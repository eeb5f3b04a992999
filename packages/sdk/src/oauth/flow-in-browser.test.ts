import { describeFlow } from "./flow.suite.ts";
import { describeFlowFailures } from "./flow-failures.suite.ts";

// Makes the sdk believe that it runs in a browser. Node has the same standard WebSocket.
Reflect.set(globalThis, "document", {});

describeFlow("a browser's WebSocket");
describeFlowFailures("a browser's WebSocket");

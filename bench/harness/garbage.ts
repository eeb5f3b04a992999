import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Node hides V8's function unless started with the flag; a context made after setting it has it.
setFlagsFromString("--expose-gc");

export const collectGarbage: () => void = runInNewContext("gc");

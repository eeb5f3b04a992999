export {
  type CallerVerdict,
  isFromForeignPage,
  judgeCaller,
  type LocalCaller,
  localCallerOf,
} from "./judge-caller.ts";
export { hostNameOf } from "./loopback.ts";
export { createRefusal } from "./refusal.ts";
export { bearerToken, isSameSecret } from "./secrets.ts";
export { readOrMakeToken } from "./token-file.ts";

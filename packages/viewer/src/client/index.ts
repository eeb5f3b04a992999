export { createHttpAccess } from "./http-access.ts";

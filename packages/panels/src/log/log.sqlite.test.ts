import { logLaws } from "./log.suite.ts";

logLaws({ name: "sqlite", instances: 1 });

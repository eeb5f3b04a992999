import { stopLaws } from "./stops.suite.ts";

stopLaws({ name: "SQLite" });

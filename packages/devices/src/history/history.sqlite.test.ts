import { historyLaws } from "./history.suite.ts";

historyLaws({ name: "SQLite" });

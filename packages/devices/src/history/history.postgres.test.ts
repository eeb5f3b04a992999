import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { historyLaws } from "./history.suite.ts";

historyLaws({ name: "PostgreSQL", prepare: createTestDatabase });

import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { stopLaws } from "./stops.suite.ts";

stopLaws({ name: "PostgreSQL", prepare: createTestDatabase });

import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { recorderLaws } from "./recorder.suite.ts";

recorderLaws({ name: "PostgreSQL", prepare: createTestDatabase });

import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { acrossLaws } from "./across.suite.ts";

acrossLaws("PostgreSQL", { openDatabase: createTestDatabase });

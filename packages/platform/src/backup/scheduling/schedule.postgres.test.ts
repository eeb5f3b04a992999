import { openPostgres } from "../../open-databases.suite.ts";
import { testSchedule } from "./schedule.suite.ts";

testSchedule("postgres", openPostgres);

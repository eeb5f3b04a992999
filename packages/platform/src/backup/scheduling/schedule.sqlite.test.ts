import { openSqlite } from "../../open-databases.suite.ts";
import { testSchedule } from "./schedule.suite.ts";

testSchedule("sqlite", openSqlite);

import { acrossLaws } from "./across.suite.ts";

acrossLaws("SQLite");

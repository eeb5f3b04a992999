import { recorderLaws } from "./recorder.suite.ts";

recorderLaws({ name: "SQLite" });

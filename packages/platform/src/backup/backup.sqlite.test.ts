import { testBackups } from "./backup.suite.ts";

testBackups(
  "sqlite to sqlite",
  async () => ({}),
  async () => ({}),
);

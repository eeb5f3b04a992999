import type { Status } from "@backplane/contract/registry";

const effects: Record<Status, string> = {
  stable: "Design tools prefer it at their next refresh.",
  testing: "Design tools offer it only where no stable version works.",
  development: "Design tools offer it only where no stable version works.",
  deprecated: "Where it is installed it stays; design tools prefer every stable version to it.",
};

/** What a change would do, before it is made. */
export const statusQuestion = (version: string, wanted: Status): string =>
  `Make ${version} ${wanted}? ${effects[wanted]}`;

import type { Usage } from "../services.ts";

/** Without a quota. */
export const noUsage: Usage = {
  changing: (_ownerId, _bytes, work) => work(),
  read: async () => 0,
};

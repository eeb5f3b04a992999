import type { AdapterFactory, AdapterPayload } from "oidc-provider";

/** In-memory storage of a test's OpenID provider. The library's own would print a warning. */
export function keepIn(kept: Map<string, AdapterPayload>): AdapterFactory {
  return (model) => ({
    async upsert(id, payload) {
      kept.set(`${model} ${id}`, payload);
    },
    find: async (id) => kept.get(`${model} ${id}`),
    findByUid: async (uid) => [...kept.values()].find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    async consume(id) {
      Object.assign(kept.get(`${model} ${id}`) ?? {}, { consumed: Math.floor(Date.now() / 1_000) });
    },
    async destroy(id) {
      kept.delete(`${model} ${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
    },
  });
}

import { openBus } from "@backplane/kit/bus";
import { testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { instanceLaws } from "./instances.suite.ts";
import { leaseLaws } from "./lease.suite.ts";
import { liveLaws } from "./live.suite.ts";
import type { Stage } from "./live-under-test.suite.ts";

const stage: Stage = {
  name: "two instances over Redis",
  instances: 2,
  openBus: async () => {
    const url = await testRedisUrl();
    const prefix = uniquePrefix();
    return () => openBus({ url, prefix, now: Date.now, onFault: () => {} });
  },
};
for (const laws of [liveLaws, leaseLaws, instanceLaws]) laws(stage);

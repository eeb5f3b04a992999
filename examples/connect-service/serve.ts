// npm run example connect-service/serve -- --account-url URL: runs the service with your own provider, see README.md.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createService } from "./service.ts";

const { values } = parseArgs({
  options: {
    provider: { type: "string", default: "provider" },
    credentials: { type: "string", default: fileURLToPath(new URL("credentials.json", import.meta.url)) },
    "account-url": { type: "string", default: "" },
    gateway: { type: "string", default: "http://localhost:8795" },
    tokens: { type: "string" },
    port: { type: "string", default: "8799" },
  },
});

try {
  if (values["account-url"] === "")
    throw new Error("--account-url is missing: the address where the provider says whose account it is.");
  const service = await createService({
    provider: values.provider,
    credentialsFile: values.credentials,
    accountUrl: values["account-url"],
    gatewayUrl: values.gateway,
    tokenFolder: values.tokens,
  });
  service.listen(Number(values.port), "127.0.0.1", () => {
    const address = service.address();
    const port = typeof address === "object" && address !== null ? address.port : values.port;
    console.log(`Open http://127.0.0.1:${port}`);
  });
  service.once("error", (error) => {
    console.error(`${error.message}. Use another --port.`);
    process.exitCode = 1;
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => service.close().closeAllConnections());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

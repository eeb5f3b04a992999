// Asks for an access token on request, and sends back what it got: `node ask-token.ts FOLDER TOKEN_URL`.
import { createTokenSource } from "../tokens/token-source.ts";
import { openTokenStore } from "../tokens/token-store.ts";

const [folder = "", tokenUrl = ""] = process.argv.slice(2);
const source = createTokenSource({
  store: openTokenStore({ folder }),
  provider: "example",
  user: "ada",
  tokenUrl,
  clientId: "client-1",
  clientSecret: "secret-1",
});
process.once("message", async () => {
  process.send?.(await source.accessToken());
  process.disconnect();
});
process.send?.("ready");

// The peer: a certified OpenID Connect provider that keeps everything in memory, with the device flow of RFC 8628.
import { Provider } from "oidc-provider";

const port = Number(process.env.PORT);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "bench",
      token_endpoint_auth_method: "none",
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      response_types: [],
      redirect_uris: [],
      application_type: "native",
    },
  ],
  features: { deviceFlow: { enabled: true }, devInteractions: { enabled: false } },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
});
provider.listen(port, "127.0.0.1");

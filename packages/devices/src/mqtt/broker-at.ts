import type { IClientOptions } from "mqtt";

/**
 * The address of a broker, `mqtt:` or `mqtts:`, as options: mqtt.js reads addresses with a function of Node that is deprecated,
 * and Node would print that.
 */
export function brokerAt(address: string): IClientOptions {
  const { protocol, hostname, port, username, password } = new URL(address);
  return {
    ...{ protocol: protocol.slice(0, -1) as "mqtt" | "mqtts", host: hostname.replace(/^\[|\]$/g, "") },
    ...(port === "" ? {} : { port: Number(port) }),
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
  };
}

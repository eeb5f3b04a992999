import { BlockList, isIP } from "node:net";

/** This machine, and what only its own network segment reaches: there a cloud answers with the machine's secrets. */
const LOCAL = new BlockList();
LOCAL.addSubnet("0.0.0.0", 8);
LOCAL.addSubnet("127.0.0.0", 8);
LOCAL.addSubnet("169.254.0.0", 16);
LOCAL.addAddress("100.100.100.200");
LOCAL.addAddress("::", "ipv6");
LOCAL.addAddress("::1", "ipv6");
LOCAL.addSubnet("fe80::", 10, "ipv6");
LOCAL.addAddress("fd00:ec2::254", "ipv6");
const LOCAL_NAME = /(?:^|\.)(?:localhost|metadata\.google\.internal)\.?$/;

/**
 * Whether somebody elsewhere points at this machine or its surroundings, where a client must not be sent to ask on
 * their behalf. Private networks are not meant: a company's repository may well have its archives there.
 */
export const leadsHome = (to: URL, from: URL): boolean => isLocal(to) && !isLocal(from);

function isLocal({ hostname, protocol }: URL): boolean {
  if (protocol === "file:") return true;
  const host = hostname.replace(/^\[|\]$/g, "");
  const kind = isIP(host);
  return kind === 0 ? LOCAL_NAME.test(host) : LOCAL.check(host, kind === 4 ? "ipv4" : "ipv6");
}

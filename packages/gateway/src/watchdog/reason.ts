/** The supervisor's reasons are verbs without a subject ("exited with code 3"); the gateway's own are sentences. */
const isVerb = (reason: string): boolean => /^[a-z]/.test(reason) && !reason.startsWith("gateway ");

/** A reason as what happened to the gateway. */
export const aboutGateway = (reason: string): string =>
  isVerb(reason) ? `Gateway ${reason}` : `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;

/** The same with the next step; sentences of the gateway's own already name one. */
export const whyNotStarted = (reason: string): string =>
  isVerb(reason)
    ? `${aboutGateway(reason)}. Its output tells more: logs/gateway.log in BACKPLANE_HOME.`
    : aboutGateway(reason);

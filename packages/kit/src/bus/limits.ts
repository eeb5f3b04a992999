/** Every limit of the bus. Reaching one throws a `BusFault` ("too-large", "too-many" or "invalid"). */

/** A message or a reply, as JSON text in UTF-8. */
export const MAX_MESSAGE_BYTES = 1_048_576;
export const MAX_CHANNEL_LENGTH = 256;
export const MAX_KEY_LENGTH = 512;
/** The value of a claim, in UTF-8. */
export const MAX_CLAIM_VALUE_BYTES = 65_536;
export const MAX_CLAIM_TTL_MS = 31 * 24 * 60 * 60 * 1000;
/** Handlers of one bus, `subscribe` and `respond` counted separately. */
export const MAX_SUBSCRIPTIONS = 65_536;
export const MAX_PENDING_REQUESTS = 10_000;
export const MAX_REQUEST_TIMEOUT_MS = 600_000;

/** In-process engine: live and not yet swept claims. */
export const MAX_IN_PROCESS_CLAIMS = 1_000_000;
/** In-process engine: messages accepted but not yet handed to their subscribers. */
export const MAX_QUEUED_DELIVERIES = 100_000;

/** Redis engine: commands sent or waiting to be sent. */
export const MAX_QUEUED_COMMANDS = 100_000;
/**
 * Redis engine: how long the server may leave a command unanswered before the connection counts as dead. Longer than a
 * busy machine may starve either side: ending a healthy connection fails everything that waits on it.
 */
export const COMMAND_TIMEOUT_MS = 3_000;
/** Redis engine: how long a command may wait behind others that are being answered. */
export const MAX_COMMAND_WAIT_MS = 15_000;
export const CONNECT_TIMEOUT_MS = 2_000;
/** Redis engine: connecting plus the handshake, which a server that accepts but never answers would delay forever. */
export const HANDSHAKE_TIMEOUT_MS = 4_000;
/** Redis engine: how often each connection is checked, so that a silent peer is noticed without traffic. */
export const HEARTBEAT_MS = 1_000;
export const MIN_BACKOFF_MS = 50;
export const MAX_BACKOFF_MS = 2_000;
/** Redis engine: how long opening waits for a server that neither accepts nor refuses. */
export const OPEN_WAIT_MS = 2_000;
/** Redis engine: how long closing waits for commands that were already sent. */
export const CLOSE_WAIT_MS = 2_000;

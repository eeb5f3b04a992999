/** Every table of the area. Times are epoch milliseconds; secrets are hashes, or sealed with a key that no table holds. */
export type AccountTables = {
  users: {
    id: string;
    name: string;
    display_name: string;
    email: string;
    /** Empty: this account has no password. */
    password_hash: string;
    is_owner: number;
    created_at_ms: number;
  };
  /** One set of names for people and organisations, in lower case. */
  owner_names: { name: string; user_id: string | null; organisation_id: string | null };
  organisations: { id: string; name: string; display_name: string; created_at_ms: number };
  memberships: { organisation_id: string; user_id: string; role: "owner" | "member"; added_at_ms: number };
  invitations: {
    id: string;
    token_hash: string;
    note: string;
    created_by: string;
    created_at_ms: number;
    expires_at_ms: number;
    used_by: string | null;
  };
  identities: { issuer: string; subject: string; user_id: string; created_at_ms: number };
  passkeys: {
    id: string;
    user_id: string;
    rp_id: string;
    public_key: string;
    counter: number;
    transports: string;
    name: string;
    created_at_ms: number;
    last_used_at_ms: number | null;
  };
  sessions: {
    id: string;
    user_id: string;
    kind: "Browser" | "Application";
    token_hash: string;
    name: string;
    program: string | null;
    address: string;
    created_at_ms: number;
    last_used_at_ms: number;
    expires_at_ms: number;
    refused_address: string | null;
    refused_at_ms: number | null;
  };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    key_hash: string;
    hint: string;
    /** With commas between. */
    scopes: string;
    created_at_ms: number;
    last_used_at_ms: number | null;
  };
  intents: {
    token_hash: string;
    state: "pending" | "authenticated" | "denied";
    confirmation_code: string;
    app_name: string | null;
    code_challenge: string | null;
    max_age_s: number;
    created_at_ms: number;
    expires_at_ms: number;
    created_address: string;
    created_program: string | null;
    wrong_codes: number;
    user_id: string | null;
    decided_at_ms: number | null;
    session_id: string | null;
    /** The session token, sealed with a key that is derived from the intent's token. */
    sealed_token: string | null;
    /** Who retrieved it first: an address (IPv6: its /64), or "verifier". */
    consumer: string | null;
    consumed_at_ms: number | null;
  };
  intent_callers: { intent_hash: string; address: string; program: string | null; first_seen_ms: number };
};

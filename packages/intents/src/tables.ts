/**
 * Times are epoch milliseconds. Released migrations of accounts create these tables (they were one package); later
 * changes to them are migrations of this area.
 */
export type IntentTables = {
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

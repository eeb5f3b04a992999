/** Times are epoch milliseconds; secrets are stored as hashes. */
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
  /** People and organisations that were removed: other areas delete by this list what those owned. Ids never come back. */
  removed_owners: { id: string; removed_at_ms: number };
  organisations: { id: string; name: string; display_name: string; created_at_ms: number };
  /** Not a membership until the person accepts. */
  organisation_invitations: {
    organisation_id: string;
    user_id: string;
    role: "owner" | "member";
    invited_by: string | null;
    invited_at_ms: number;
  };
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
  /** Open links for a new password, at most one per account. */
  password_resets: {
    user_id: string;
    token_hash: string;
    /** Null: by a command on the machine. */
    created_by: string | null;
    created_at_ms: number;
    expires_at_ms: number;
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
};

/** Which tables each domain owns: it alone writes them, in its files and its SQL functions. */
const tables = {
  accounts: [
    'accounts',
    'captchas_used',
    'erased_account_phones',
    'exports',
    'former_phones',
    'known_devices',
    'otp_challenges',
    'password_grants',
    'recovery_codes',
    'second_factor_challenges',
    'second_factors',
    'sessions',
    'user_phones',
    'users',
  ],
  billing: [
    'billing_notices',
    'billing_profiles',
    'invoice_counters',
    'invoice_documents',
    'invoice_refs',
    'invoices',
    'plan_revisions',
    'plans',
    'sellers',
    'subscription_charges',
    'subscriptions',
  ],
  channels: ['sim_due', 'sim_lines', 'sim_phones'],
  events: ['event_positions', 'events', 'outbox'],
  infra: ['act_answers', 'audit_log', 'backups', 'installation_secrets', 'limit_counters'],
  ledger: [
    'gl_accounts',
    'gl_lines',
    'gl_txns',
    'ledger_checks',
    'ledger_seal_accounts',
    'ledger_seal_txns',
    'ledger_seals',
    'statement_marks',
    'wallet_entries',
    'wallets',
  ],
  media: ['files', 'uploads'],
  messages: [
    'conversations',
    'count_marks',
    'dispatch',
    'lanes',
    'message_events',
    'message_refs',
    'messages',
    'messages_other',
    'optouts',
    'parked_receipts',
    'request_keys',
    'rollup_sums',
    'rollups',
  ],
  operator: ['adjustments', 'bonus_approvals', 'reconciliations', 'wallet_freezes'],
  payments: [
    'bank_lines',
    'bank_statements',
    'gateway_orders',
    'payment_inbox',
    'provider_payments',
    'refunds',
    'reserved_transfers',
    'saldo_alert_messages',
    'saldo_alerts',
    'suspense_notes',
    'suspense_resolutions',
    'topup_decisions',
    'topup_proofs',
    'topup_proposals',
    'topups',
  ],
  pricing: ['prices', 'tax_rates'],
  push: ['push_queue', 'push_subscriptions'],
  support: ['support_canned', 'support_messages', 'support_ratings', 'support_threads'],
  tokens: ['link_codes', 'linked_phones', 'links', 'token_keys', 'tokens'],
} as const;

/** A table → its owner. */
export const owners: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(tables).flatMap(([owner, names]) => names.map((name) => [name, owner])),
);

/**
 * Who writes another owner's table in the transaction of its own work, each with its tables; what is not
 * listed calls a function of the owner. Accepting and settling write all in one go, for their speed;
 * closing an account stops everything of it at once; the trial of row-level security is taken back.
 */
export const crossings: Readonly<Record<string, readonly string[]>> = {
  'close_account()': ['lanes', 'wallets'],
  'place_items()': ['outbox', 'wallet_entries', 'wallets'],
  'receive_message()': ['outbox'],
  'src/server/infra/postgres/row-level-security.ts': ['accounts'],
  'write_settled()': ['outbox'],
};

/** Who reads another owner's tables. The list is exact, and only shrinks. */
export const foreignReaders: Readonly<Record<string, readonly string[]>> = {
  accounts: ['audit_log', 'wallets'],
  billing: ['accounts', 'tax_rates', 'topups', 'users', 'wallet_entries', 'wallets'],
  channels: ['tokens'],
  infra: ['accounts'],
  ledger: [
    'accounts',
    'invoice_counters',
    'invoices',
    'messages',
    'provider_payments',
    'refunds',
    'subscription_charges',
    'suspense_resolutions',
    'topups',
  ],
  messages: ['accounts', 'tokens', 'user_phones', 'wallet_entries', 'wallets'],
  payments: ['accounts', 'wallets'],
  push: ['accounts', 'conversations', 'messages', 'sessions', 'users'],
  tokens: ['accounts', 'lanes', 'user_phones'],
};

import type { Connection } from '#contract/channels.ts';
import type { Template } from '#contract/messages/templates.ts';

/** A connection that the phone ended. */
export const endedByPhone = (at: Date): Connection => ({
  channel: 'web',
  since: null,
  parted: { at, reason: 'phone' },
  restriction: null,
  paused: null,
  last_receipt_at: null,
  uptime: 9_100,
});

/** A template as Meta's list shows it. */
export const approvedTemplate = (name: string, more: Partial<Template> = {}): Template => ({
  name,
  language: 'id',
  category: 'utility',
  status: 'approved',
  reason: null,
  header: null,
  header_file: null,
  header_variable: null,
  body: 'Pesanan Anda siap diambil.',
  footer: null,
  buttons: [],
  button_values: [],
  variables: [],
  created_at: new Date(),
  ...more,
});

import * as z from 'zod/mini';
import { act } from './base/act.ts';
import { type Output, schema } from './base/schema.ts';

export const pushConfig = act({
  name: 'push_config',
  by: 'anyone_signed_in',
  output: () => z.object({ vapid_key: z.string() }),
});

const KEY_BASE64URL = /^[A-Za-z0-9_-]{16,200}=*$/;

/** A device push token, as `fcm` in every call: `psh_` and 43 characters. */
export const PushToken = schema(() => z.string().check(z.regex(/^psh_[A-Za-z0-9_-]{43}$/)));

/**
 * Stores a subscription of this browser for this session and returns its device push token. With `old` that token is
 * refreshed if it is the same subscription, else deleted. A subscription of the browser's previous user moves to this
 * user.
 */
export const registerPush = act({
  name: 'push_register',
  by: 'anyone_signed_in',
  changes: true,
  outlivesSession: false,
  input: () => ({
    endpoint: z.string().check(z.maxLength(2_000), z.regex(/^https?:\/\//)),
    p256dh: z.string().check(z.regex(KEY_BASE64URL)),
    auth: z.string().check(z.regex(KEY_BASE64URL)),
    vapid_key: z.string().check(z.regex(KEY_BASE64URL)),
    old: z.optional(z.string().check(z.maxLength(100))),
  }),
  output: () => z.object({ token: PushToken() }),
  refuses: ['push_service_unknown', 'push_key_old'],
});

/**
 * Renewal by the service worker when the browser changed its subscription in the background: the old token
 * authenticates it, because a service worker has no session.
 */
export const renewPush = act({
  name: 'push_renew',
  by: 'public',
  changes: true,
  limit: 'auth',
  input: () => ({
    old: PushToken(),
    endpoint: z.string().check(z.maxLength(2_000), z.regex(/^https?:\/\//)),
    p256dh: z.string().check(z.regex(KEY_BASE64URL)),
    auth: z.string().check(z.regex(KEY_BASE64URL)),
    vapid_key: z.string().check(z.regex(KEY_BASE64URL)),
  }),
  output: () => z.object({ token: PushToken() }),
  refuses: ['push_service_unknown', 'push_key_old'],
});

/** Deletes a device push token of the caller; an unknown one is not an error. */
export const unregisterPush = act({
  name: 'push_unregister',
  by: 'anyone_signed_in',
  changes: true,
  outlivesSession: false,
  input: () => ({ push_token: z.string().check(z.maxLength(100)) }),
  output: () => z.object({}),
});

export const testPush = act({
  name: 'push_test',
  by: 'anyone_signed_in',
  changes: true,
  outlivesSession: false,
  limit: 'otp',
  input: () => ({ push_token: PushToken() }),
  output: () => z.object({}),
  refuses: ['push_gone', 'push_service_down'],
});

/** The payload of a push, at most 3.8 KB before encryption (docs/wire.md#push). */
export const PushPayload = schema(() =>
  z.object({
    web_push: z.literal(8030),
    notification: z.object({
      title: z.string(),
      body: z.string(),
      icon: z.string(),
      image: z.optional(z.string()),
      navigate: z.string(),
      app_badge: z.optional(z.string()),
    }),
    /** `id` is the message's; `tag` groups notices without a message: only the newest is shown. */
    data: z.object({ url: z.string(), id: z.string(), tag: z.optional(z.string()) }),
    fcmOptions: z.object({ link: z.string(), analyticsLabel: z.optional(z.string()) }),
  }),
);
export type PushPayload = Output<typeof PushPayload>;

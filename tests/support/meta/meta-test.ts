import { test as base } from 'vitest';
import { to } from '#tests/support/dialects/cloud-clients.ts';
import { type Receiver, startReceiver } from '#tests/support/webhooks/receiver.ts';
import { type FakeMeta, type FakeMetaOptions, startFakeMeta } from './fake-meta.ts';

export const addressOf = ({ url, token, numbers }: FakeMeta) => ({
  origin: url,
  key: token,
  numberId: numbers[0]!.id,
});

export const test = base.extend<{ options: FakeMetaOptions; meta: FakeMeta; receiver: Receiver }>({
  options: { seed: 7, areWindowsOpen: true, slowMs: 20 },
  meta: async ({ options }, use) => {
    const meta = await startFakeMeta(options);
    await use(meta);
    await meta.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  receiver: async ({}, use) => {
    const receiver = await startReceiver();
    receiver.handle(async () => new Response('ok'));
    await use(receiver);
    await receiver.close();
  },
});

export const call = (
  meta: FakeMeta,
  path: string,
  options: RequestInit & { json?: unknown } = {},
) => {
  const { json, ...more } = options;
  return fetch(`${meta.url}/v23.0/${path}`, {
    headers: { authorization: `Bearer ${meta.token}`, 'content-type': 'application/json' },
    ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
    ...more,
  });
};
export const send = (meta: FakeMeta, message: object, path = `${meta.numbers[0]!.id}/messages`) =>
  call(meta, path, { json: { messaging_product: 'whatsapp', to, ...message } });
export const text = { type: 'text', text: { body: 'Halo' } };

type GraphFailure = { error: { code: number; error_subcode?: number; is_transient?: boolean } };
export const refusalOf = async (response: Response) => {
  const { error } = (await response.json()) as GraphFailure;
  return [response.status, error.code];
};

type Value = {
  statuses?: { id: string; status: string; errors?: { code: number }[] }[];
  messages?: { type: string; id: string; [type: string]: unknown }[];
  [field: string]: unknown;
};
export const valuesOf = (receiver: Receiver): Value[] =>
  receiver.posts.flatMap(({ body }) =>
    (JSON.parse(body) as { entry: { changes: { value: Value }[] }[] }).entry.flatMap(
      ({ changes }) => changes.map(({ value }) => value),
    ),
  );
export const statusesOf = (receiver: Receiver) =>
  valuesOf(receiver).flatMap((value) => value.statuses ?? []);

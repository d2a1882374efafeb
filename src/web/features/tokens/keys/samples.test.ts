import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { NewMessage } from '#contract/rest/messages.ts';
import { curlSample } from '#web/features/tokens/samples.ts';
import { samplesFor } from './samples.ts';

const sending = {
  address: 'https://kabari.example',
  key: 'kbr_test_abc',
  to: '62800000001',
};

test('every sample contains the address, the key and the number', () => {
  for (const { code } of samplesFor(sending)) {
    expect(code).toContain('https://kabari.example/v1/messages');
    expect(code).toContain('Bearer kbr_test_abc');
    expect(code).toContain('62800000001');
  }
});

test('the curl sample, run by a shell, sends a valid request', () => {
  const shown = execFileSync('sh', [
    '-c',
    `curl() { printf '%s\\n' "$@"; }\n${curlSample(sending)}`,
  ]).toString();
  const [address, , authorization, , type, , body] = shown.split('\n');
  expect([address, authorization, type]).toEqual([
    'https://kabari.example/v1/messages',
    'Authorization: Bearer kbr_test_abc',
    'Content-Type: application/json',
  ]);
  const message = {
    type: 'text',
    ...z.record(z.string(), z.unknown()).parse(JSON.parse(body ?? '')),
  };
  expect(NewMessage().safeParse(message).success).toBe(true);
});

test('the Node sample runs and sends the same request', async () => {
  const code = samplesFor(sending).find(({ language }) => language === 'node')?.code ?? '';
  const requests: { url: string; body: string }[] = [];
  const fetched = async (url: string, { body }: { body: string }) => {
    requests.push({ url, body });
    return { status: 202, json: async () => ({}) };
  };
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  await new AsyncFunction('fetch', 'console', code)(fetched, { log: () => undefined });
  expect(requests).toEqual([
    {
      url: 'https://kabari.example/v1/messages',
      body: '{"to":"62800000001","text":{"body":"Halo dari Kabari"}}',
    },
  ]);
});

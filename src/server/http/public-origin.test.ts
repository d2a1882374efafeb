import { expect } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { halo, test } from '#tests/support/app/api-caller.ts';
import { publicOrigin } from './origin.ts';

const hosts = ['[', 'a b', '%', '127.0.0.1:99999', 'localhost/x', 'ani@localhost', 'a?b'];

test('a missing host has no origin', () => {
  const request = { protocol: 'http', host: '', headers: {} } as FastifyRequest;
  expect(() => publicOrigin({ publicUrl: undefined }, request)).toThrow('request_malformed');
  expect(publicOrigin({ publicUrl: 'https://kabari.example' }, request)).toMatch(/^https:/);
});

test('without PUBLIC_URL an invalid host is refused before anything runs', async ({
  ani,
  running,
}) => {
  const authorization = `Bearer ${ani.key}`;
  const inject = (host: string, url: string, payload?: object) =>
    running.app.inject({
      method: payload ? 'POST' : 'GET',
      url,
      headers: { authorization, host, accept: 'application/json, text/event-stream' },
      ...(payload && { payload }),
    });
  const calls: [string, object?][] = [
    ['/v1/messages', halo],
    ['/v1/messages'],
    ['/v1/openapi.json'],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ];
  for (const host of hosts) {
    for (const [url, payload] of calls) {
      const answer = await inject(host, url, payload);
      expect([host, url, answer.statusCode]).toEqual([host, url, 400]);
      expect(answer.body, host).toContain('request_malformed');
    }
    const fonnte = await inject(host, '/status', { id: 'msg_06BSYR2Q7WZQH5D6K3M8N1T4VX' });
    expect(fonnte.statusCode, host).toBeLessThan(500);
  }
  expect((await ani.call('/v1/messages')).body.data).toEqual([]);
  for (const host of ['localhost', '127.0.0.1:4510', '[::1]:80', 'kabari.example']) {
    expect((await inject(host, '/v1/messages')).statusCode, host).toBe(200);
  }
});

/** `npm run fake:meta`: a fake of Meta to develop against, until Ctrl+C. */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startFakeMeta } from './fake-meta.ts';
import { inboundTypes } from './webhooks/inbound.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4700' },
    webhook: { type: 'string' },
    'verify-token': { type: 'string' },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

const meta = await startFakeMeta({
  port: Number(values.port),
  seed: 1,
  areWindowsOpen: true,
  statuses: { sentMs: 200, deliveredMs: 800, readMs: 2_500 },
  webhooks: { retryMs: 1_000, retries: 8 },
});
print(`Base address     ${meta.url}`);
print(`Phone number id  ${meta.numbers[0]?.id}`);
print(`WABA id          ${meta.wabaId}`);
print(`Access token     ${meta.token}`);
print(`App secret       ${meta.appSecret}`);
if (values.webhook !== undefined) {
  const { isConfirmed, status } = await meta.control.subscribe(
    values.webhook,
    values['verify-token'] ?? '',
  );
  print(`Webhook          ${isConfirmed ? 'confirmed' : `not confirmed: HTTP ${status}`}`);
}
print(
  'A line "6281234567890 Halo" is a customer who writes; "6281234567890 /image" sends that type.',
);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [, phone = '', words = ''] = /^\s*\+?(\d{5,})\s+(.+)$/.exec(line) ?? [];
  const type = inboundTypes.find((one) => words === `/${one}`);
  if (phone === '') print('A number, a space, and a text.');
  else if (type) meta.control.receiveFrom(phone, { type });
  else meta.control.receiveFrom(phone, { type: 'text', content: { body: words } });
});

const end = () => {
  lines.close();
  void meta.close();
};
process.on('SIGINT', end);
process.on('SIGTERM', end);

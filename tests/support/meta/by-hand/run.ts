/** `npm run fake:meta`: a fake of Meta to develop against, until Ctrl+C. */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { command, help } from './commands.ts';
import { startFakeMeta } from '#tests/support/meta/fake-meta.ts';

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
  numbers: [{}, { verifiedName: 'Kode Contoh' }],
  statuses: { sentMs: 200, deliveredMs: 800, readMs: 2_500 },
  webhooks: { retryMs: 1_000, retries: 8 },
});
print(`Base address     ${meta.url}`);
for (const { phone, id } of meta.numbers) {
  print(`Number           +${phone}`);
  print(`Phone number id  ${id}`);
}
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
print(`\n${help}`);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  if (line.trim() === '') return;
  command(meta, line).then(
    (answer) => answer !== '' && print(answer),
    (wrong: unknown) => print(String(wrong)),
  );
});

const end = () => {
  lines.close();
  void meta.close();
};
process.on('SIGINT', end);
process.on('SIGTERM', end);

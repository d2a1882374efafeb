import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { UPLOAD_FIELD, UPLOAD_PATH } from '#contract/uploads.ts';
import { brokenMultiparts } from '#tests/support/hostile/broken-multipart.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type UploadsApp, responseTo, test } from '#tests/support/app/uploads-app.ts';

async function left(db: TestDatabase, { dataFolder }: UploadsApp): Promise<unknown[]> {
  const rows =
    await db.allAccountsSql`select upload_id from uploads union all select file_id from files`;
  const found = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return [...rows, ...files.map(({ parentPath, name }) => join(parentPath, name))];
}

test('a broken form is refused with a sentence, and leaves nothing', async ({
  openUploadsApp,
  ani,
  db,
}) => {
  const app = await openUploadsApp();
  for (const [what, { type, body }] of brokenMultiparts(UPLOAD_FIELD)) {
    const answer = await app.ask(ani.token, 'POST', { body, headers: { 'content-type': type } });
    expect(await responseTo(answer), what).toMatchObject({
      status: 400,
      type: 'request_malformed',
      msg: expect.stringMatching(/^Permintaan tidak dapat dibaca: .+\.$/),
    });
  }
  expect(app.troubles).toEqual([]);
  expect(await left(db, app)).toEqual([]);
});

test('a sender who disconnects at any point of a form leaves nothing either', async ({
  openUploadsApp,
  ani,
  db,
}) => {
  // A window longer than the test: an early disconnect must be noticed, not time out.
  const pace = { bytesPerSecond: 1, windowMs: 600_000, deadlineMs: 600_000 };
  const app = await openUploadsApp({ pace });
  const forms = brokenMultiparts(UPLOAD_FIELD);
  for (const [, { type, body }] of forms) {
    const socket = connect(app.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST ${UPLOAD_PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ani.token}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: ${body.length + 5}\r\n\r\n`,
    );
    socket.end(body);
    await once(socket.resume(), 'close');
  }
  await waitFor(() => expect(app.requests()).toEqual({ begun: forms.length, running: 0 }));
  await waitFor(async () => expect(await left(db, app)).toEqual([]));
  expect(app.troubles).toEqual([]);
});

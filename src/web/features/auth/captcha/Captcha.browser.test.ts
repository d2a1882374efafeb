import { createChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect } from 'vitest';
import { fakeActs } from '#tests/journeys/support/fake-acts.ts';
import { inspectionHere } from '#tests/support/one-look.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/gallery.ts';

/** Some seconds of work of a fast core, as a usual challenge is for a slow phone. */
const STEPS = 8_000;

const taskFor = async () => ({
  provider: 'altcha',
  challenge: await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: 5_000,
    counter: STEPS,
    hmacSignatureSecret: 'any',
    deriveKey,
  }),
  site_key: '',
  script_url: '',
  steps_max: STEPS,
});

test('a slow device solves from the first focus on; a form sent meanwhile waits, without an error', async ({
  person,
}) => {
  const { open } = await person({ still: true, expects: [/status of 422/] });
  const { faults, look } = inspectionHere();
  const tab = await open('/auth/login');
  const task = await taskFor();
  const asked: Record<string, string>[] = [];
  const said = 'Nomor atau kata sandi tidak cocok.';
  await fakeActs(tab, {
    captcha_challenge: (fields) => {
      asked.push(fields);
      return task;
    },
    user_login: (fields) => {
      asked.push(fields);
      return { refused: 'credentials_wrong', message: said };
    },
  });
  await tab.getByLabel('Nomor ponsel').focus();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({
    act: 'captcha_challenge',
    pace: expect.stringMatching(/^\d+$/),
  });
  await tab.getByLabel('Nomor ponsel').fill('081234567890');
  await tab.getByLabel('Kata sandi', { exact: true }).fill('kata sandi saya');
  await tab.keyboard.press('Enter');
  await tab.getByRole('progressbar', { name: 'Kemajuan pemeriksaan' }).waitFor();
  await look(tab, 'a captcha that takes long');
  expect(await tab.getByRole('alert').count()).toBe(0);
  expect(asked).toHaveLength(1);
  // Solved: the form goes by itself, with the solution.
  await waitFor(() => expect(asked.length).toBeGreaterThan(1));
  const { act, captcha = '' } = asked[1] ?? {};
  expect(act).toBe('user_login');
  expect(JSON.parse(atob(captcha))).toMatchObject({ solution: { counter: STEPS } });
  expect(faults).toEqual([]);
});

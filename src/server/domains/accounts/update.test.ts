import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { checkToken } from '#contract/accounts.ts';
import { updateUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { claimUpload, claimedFile, releaseFile } from '#server/domains/media/uploads/uploads.ts';
import { accountsApp, rejectionOf } from '#tests/support/people/accounts-app.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type UploadsApp, picture, test } from '#tests/support/app/uploads-app.ts';

const ANI = '6281234567890';

async function ani(db: TestDatabase, uploads?: UploadsApp) {
  const app = await accountsApp(db, {
    claimUpload,
    claimedFile,
    releaseFile: async (tx, which) => {
      const digests = await releaseFile(tx, which);
      return async () => uploads?.files.erase(db.allAccountsSql, digests);
    },
    ...(uploads && { fileLink: uploads.files.link }),
  });
  const { token, user } = await app.customer(ANI);
  return { ...app, token, user, asker: { caller: await app.callerOf(token) } };
}

const storedIn = async ({ dataFolder }: UploadsApp): Promise<string[]> =>
  (await readdir(join(dataFolder, 'files'), { recursive: true })).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );

describe("updating one's own profile", () => {
  test('is stored, and omitted fields stay', async ({ db }) => {
    const { perform, user, asker } = await ani(db);
    expect(user).toMatchObject({ email: null, avatar: null, theme: 'system', sound_on: true });
    const changed = await perform(
      updateUser,
      { name: 'Ani Lestari', email: ' Ani@Toko.ID ', theme: 'dark', sound_on: '0' },
      asker,
    );
    const expected = {
      ...user,
      name: 'Ani Lestari',
      email: 'ani@toko.id',
      theme: 'dark',
      sound_on: false,
    };
    expect(changed).toEqual(expected);
    const zone = { timezone: 'Asia/Makassar' } as const;
    expect(await perform(updateUser, zone, asker)).toEqual({ ...expected, ...zone });
    expect(await perform(updateUser, { email: '', sound: 'ketuk' }, asker)).toMatchObject({
      name: 'Ani Lestari',
      email: null,
      sound: 'ketuk',
      theme: 'dark',
    });
    expect(await db.allAccountsSql`select name from accounts`).toEqual([{ name: 'Ani Lestari' }]);
    expect(await perform(checkToken, {}, asker)).toMatchObject({ name: 'Ani Lestari' });
  });

  test('does not affect other users', async ({ db }) => {
    const { perform, customer, asker } = await ani(db);
    const budi = (await customer('6281398765432')).user;
    await perform(updateUser, { name: 'Ani Lestari', theme: 'dark' }, asker);
    expect(
      await db.allAccountsSql`select name, settings from users where phone = ${budi.phone}`,
    ).toEqual([{ name: 'Toko Ani', settings: {} }]);
  });

  test('is refused for invalid addresses, zones and names', () => {
    for (const wrong of [
      { email: 'ani@toko' },
      { email: 'ani toko@x.id' },
      { email: `${'a'.repeat(65)}@toko.id` },
      { timezone: 'Europe/Paris' },
      { name: 'A' },
      { name: '<b>Ani</b>' },
      { theme: 'pink' },
      { sound_on: 'ya' },
      { role: 'operator' },
      { phone: '6281200000000' },
      { account_id: 'acc_1' },
    ]) {
      expect(updateUser.input.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    }
  });
});

describe('a picture', () => {
  test('is one’s own finished upload, used once, and the previous one is erased', async ({
    db,
    openUploadsApp,
  }) => {
    const uploads = await openUploadsApp();
    const { perform, token, asker } = await ani(db, uploads);
    const upload = async (background: string) => {
      const create = { width: 300, height: 300, channels: 3, background } as const;
      const bytes = await sharp({ create }).png().toBuffer();
      const sent = await uploads.post(token, { name: 'saya.png', bytes }, { purpose: 'avatar' });
      return sent.text();
    };
    const first = await upload('teal');
    const { avatar } = await perform(updateUser, { avatar: first }, asker);
    const shown = await fetch(uploads.origin + avatar);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const [stored] = await storedIn(uploads);

    // A repeat, whose first response may have been lost.
    expect(await perform(updateUser, { avatar: first }, asker)).toMatchObject({ avatar });
    expect(await perform(checkToken, {}, asker)).toMatchObject({ avatar });
    expect(await storedIn(uploads)).toEqual([stored]);

    const { avatar: second } = await perform(updateUser, { avatar: await upload('coral') }, asker);
    expect(second).not.toBe(avatar);
    const left = await storedIn(uploads);
    expect(left).toHaveLength(1);
    expect(left).not.toContain(stored);
    expect((await fetch(uploads.origin + avatar)).status).toBe(404);
    expect(await rejectionOf(perform(updateUser, { avatar: first }, asker))).toEqual(
      new Refusal('upload_gone', {}),
    );

    expect(await perform(updateUser, { avatar: '' }, asker)).toMatchObject({ avatar: null });
    expect(await storedIn(uploads)).toEqual([]);
    expect(await db.allAccountsSql`select * from files`).toEqual([]);
    expect(await perform(updateUser, { avatar: '' }, asker)).toMatchObject({ avatar: null });
  });

  test('is refused from another user, for another purpose, or without an upload', async ({
    db,
    openUploadsApp,
  }) => {
    const uploads = await openUploadsApp();
    const { perform, customer, token, asker } = await ani(db, uploads);
    const budi = await customer('6281398765432');
    const bytes = await picture('png');
    const file = { name: 'saya.png', bytes };
    const foreign = await uploads.post(budi.token, file, { purpose: 'avatar' });
    const transferProof = await uploads.post(token, file, { purpose: 'proof' });
    const ids = [
      await foreign.text(),
      await transferProof.text(),
      'upl_',
      'x',
      `upl_${'0'.repeat(26)}`,
    ];
    for (const avatar of ids) {
      const answer = perform(updateUser, { avatar, name: 'Orang lain' }, asker);
      expect(await rejectionOf(answer)).toEqual(new Refusal('upload_gone', {}));
    }
    expect(await perform(checkToken, {}, asker)).toMatchObject({ name: 'Toko Ani', avatar: null });
  });
});

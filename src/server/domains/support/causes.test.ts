import { describe, expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Failure } from '#contract/messages.ts';
import type { Token, TokenStatus } from '#contract/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import { type Facts, causesOf } from '#server/domains/support/help.ts';

const token = (status: TokenStatus, name = 'Kasir', sent = 0): Token => ({
  id: publicId('token', newId()),
  name,
  channel: 'simulator',
  status,
  phone: null,
  key_hint: 'abcd',
  sent_today: sent,
  daily_limit: 100,
  last_used_at: null,
  created_at: new Date(),
  review: null,
  access: { scopes: [], addresses: [], expires_on: null, key_in_address: true },
});
const failed = (failure: Failure) => ({ id: publicId('message', newId()), failure });

const well: Facts = {
  wallet: { available: rupiah(10_000), status: 'active', planPrice: null, isBonusOnly: false },
  tokens: [token('linked')],
  topups: [],
  failed: [],
  subscription: { status: 'active' },
  price: rupiah(150),
};
const causes = (facts: Partial<Facts>) => causesOf({ ...well, ...facts });
const names = (facts: Partial<Facts>) => causes(facts).map(({ cause }) => cause);

describe('quick help', () => {
  test('is empty if there is no problem', () => {
    expect(causesOf(well)).toEqual([]);
  });

  test('names the disconnected token, links to where to fix it, and attaches it', () => {
    const parted = token('disconnected', 'Apotek');
    expect(causes({ tokens: [parted] })).toEqual([
      {
        cause: 'token_disconnected',
        title: 'Nomor Apotek terputus',
        answer: expect.stringContaining('cara menyambungkannya lagi'),
        about: { type: 'token', id: parted.id },
        href: `/token?open=${parted.id}`,
        action: 'Sambungkan lagi',
      },
    ]);
    const several = causes({ tokens: [parted, token('disconnected')] });
    expect(several[0]).toMatchObject({
      href: '/token',
      title: expect.stringContaining('2 nomor'),
    });
  });

  test('reports a saldo below the price of the next message, by the plan or the list', () => {
    const wallet = { ...well.wallet, available: rupiah(100) };
    expect(names({ wallet })).toEqual(['saldo_short']);
    expect(names({ wallet: { ...wallet, planPrice: rupiah(75) } })).toEqual([]);
    expect(names({ wallet: { ...wallet, available: rupiah(0), planPrice: rupiah(0) } })).toEqual(
      [],
    );
    expect(names({ wallet: { ...well.wallet, isBonusOnly: true } })).toEqual(['bonus_only']);
  });

  test('counts failures with a cause of their own, and leaves others to the history', () => {
    const some = [failed('not_on_whatsapp'), failed('no_answer'), failed('not_on_whatsapp')];
    expect(causes({ failed: some })).toMatchObject([
      {
        cause: 'not_on_whatsapp',
        title: '2 pesan gagal: nomornya tidak terdaftar di WhatsApp',
        about: { type: 'message', id: some[0]?.id },
      },
    ]);
  });

  test('lists blocking causes first, ten at most', () => {
    const topup = {
      topup_id: newId(),
      status: 'pending',
      total: rupiah(50_123),
      credited: rupiah(50_000),
      at: new Date(),
    } as const;
    expect(
      names({
        wallet: { ...well.wallet, status: 'frozen', isBonusOnly: true },
        tokens: [token('disconnected'), token('unlinked'), token('linked', 'Penuh', 100)],
        topups: [topup],
        subscription: { status: 'past_due' },
        failed: [
          failed('opted_out'),
          failed('blocked'),
          failed('rate_limited'),
          failed('not_on_whatsapp'),
        ],
      }),
    ).toEqual([
      'wallet_frozen',
      'token_disconnected',
      'token_not_linked',
      'token_limit',
      'plan_past_due',
      'bonus_only',
      'topup_waiting',
      'rate_limited',
      'not_on_whatsapp',
      'blocked',
    ]);
  });
});

import fc from 'fast-check';
import type * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';
import { registerUser } from '#contract/accounts.ts';
import { updateUser } from '#contract/people.ts';
import { createToken, updateToken } from '#contract/tokens.ts';
import { saveBillingProfile } from '#contract/billing.ts';
import { createCampaign, updateCampaign } from '#contract/campaigns.ts';
import { nameContact } from '#contract/messages/conversations.ts';
import { saveView } from '#contract/messages/history.ts';
import { inviteOperator } from '#contract/operator/operators.ts';
import { sendSupport } from '#contract/support.ts';
import { addPasskey } from '#contract/second-factor.ts';
import { cleanedName, isolated } from './names.ts';

const HIDDEN = [
  'Toko \u202Eina', // turned around
  'Toko \u2066Ani\u2069',
  'Toko\u200BAni',
  'Toko\u00ADAni',
  'Ani\u{E0041}\u{E0042}', // tag letters
  'Ani\u{E0100}', // a variation selector of the same plane
  'A\u2028ni',
  'A\nni',
  'Toko <b>',
];
const ONLY_INVISIBLE = [
  '\u200B\u200B',
  '\u3164\u3164',
  '\u2800\u2800',
  '\u200D\u200D',
  '\u0301\u0301',
];
const OPERATORS = [
  'Admin Kabari',
  'ADMIN  KABARI',
  'KabariAdmin',
  'Kabari Official',
  'Tim Kabari',
  'CS_Kabari',
  'Kabari',
  'PT Kabari',
  'Аdmin Каbаri', // Cyrillic А, К and а
  'Админ Кабари',
  'Αdmin Κabari', // Greek Α and Κ
  'ＡＤＭＩＮ ＫＡＢＡＲＩ', // full width
  '𝐀𝐝𝐦𝐢𝐧 𝐊𝐚𝐛𝐚𝐫𝐢',
  'ᴀᴅᴍɪɴ ᴋᴀʙᴀʀɪ',
  '🅺🅰🅱🅰🆁🅸 Support',
  'Adm1n Kabar1',
  'A d m i n  K a b a r i',
  'Ádmin Kàbari',
  'Adrnin Kabarl',
];
const PEOPLE = [
  'Toko Ani',
  'Bu Sri, Katering',
  'Toko “Jaya” & Anak 🧁',
  '👨‍👩‍👧 Keluarga Budi',
  'محمد علي',
  '王小明',
  'क्षत्रिय',
  'Optima Kabari Jaya',
  'Kabar Baik',
  'Admin Toko Ani',
];

const typed = {
  user_register: registerUser.input.shape.name,
  user_update: updateUser.input.shape.name,
  operator_invite: inviteOperator.input.shape.name,
  token_create: createToken.input.shape.name,
  token_update: updateToken.input.shape.name,
  billing_profile_save: saveBillingProfile.input.shape.name,
  campaign_create: createCampaign.input.shape.name,
  campaign_update: updateCampaign.input.shape.name,
  contact_name: nameContact.input.shape.name,
  message_view_save: saveView.input.shape.name,
  second_factor_passkey_add: addPasskey.input.shape.name,
  support_send: sendSupport.input.shape.contact_name,
} satisfies Record<string, z.ZodMiniType>;
const known: (keyof typeof typed)[] = [
  'user_register',
  'user_update',
  'operator_invite',
  'token_create',
  'token_update',
  'billing_profile_save',
];
const refused = (field: z.ZodMiniType, names: readonly string[]) =>
  names.filter((name) => !field.safeParse(name).success);

describe('a typed name', () => {
  test.each(Object.entries(typed))('of %s rejects hidden characters', (_act, field) => {
    expect(refused(field, HIDDEN)).toEqual(HIDDEN);
    expect(refused(field, ONLY_INVISIBLE)).toEqual(ONLY_INVISIBLE);
    expect(refused(field, PEOPLE)).toEqual([]);
  });

  test.each(known)('of %s cannot impersonate the operator', (act) => {
    expect(refused(typed[act], OPERATORS)).toEqual(OPERATORS);
  });

  test('of a contact may be any, because only its own account reads it', () => {
    expect(refused(typed.contact_name, OPERATORS)).toEqual([]);
  });
});

describe('a name from a stranger', () => {
  test('is shown in one line without hidden characters, and omitted if no character is visible', () => {
    expect(cleanedName(' ~\u202Esri\u200B~ \n x\u{E0041}', 60)).toBe('~sri~ x');
    expect(cleanedName('Toko \u{F0000} Melati', 60)).toBe('Toko Melati');
    expect(ONLY_INVISIBLE.map((name) => cleanedName(name, 60))).toEqual(
      ONLY_INVISIBLE.map(() => undefined),
    );
  });

  test('is valid as a typed name once it is cleaned', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (given) => {
        const name = cleanedName(given, 60);
        if (name === undefined) return;
        expect(cleanedName(name, 60)).toBe(name);
        expect(nameContact.input.shape.name.safeParse(name.replace(/[<>]/g, '_')).success).toBe(
          true,
        );
      }),
    );
  });
});

test('isolates right-to-left names and leaves others unchanged', () => {
  expect(isolated('Toko Ani')).toBe('Toko Ani');
  expect(isolated('محمد 12')).toBe('\u2068محمد 12\u2069');
  expect(isolated('\u202Eא\u2069')).toBe('\u2068א\u2069');
  expect(isolated('Ani\u202E')).toBe('Ani');
});

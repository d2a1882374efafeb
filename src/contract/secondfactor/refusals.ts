import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused because of a second factor: part of the catalogue (`base/refusals.ts`). */
export const secondFactorRefusals = {
  second_factor_needed: { status: 403, facts: none },
  second_factor_again: { status: 403, facts: none },
  second_factor_wrong: { status: 422, facts: () => z.object({ left: z.int() }) },
  second_factor_expired: { status: 410, facts: none },
  second_factor_last: { status: 409, facts: none },
  second_factor_exists: { status: 409, facts: none },
} as const;

/** The sentences of these, for people. */
export const secondFactorSentences = {
  second_factor_needed:
    'Akun ini wajib memakai verifikasi dua langkah. Pasang dulu di halaman Keamanan.',
  second_factor_again: 'Berikan kode autentikator atau passkey Anda sekali lagi.',
  second_factor_wrong: ({ left }: { left: number }) =>
    `Kode atau passkey tidak cocok. ${left > 0 ? `Sisa ${left} percobaan.` : 'Ulangi dari awal.'}`,
  second_factor_expired: 'Waktunya sudah habis. Ulangi dari awal.',
  second_factor_last: 'Ini cara verifikasi Anda yang terakhir. Pasang cara lain lebih dulu.',
  second_factor_exists: 'Ini sudah terpasang di akun Anda.',
} as const;

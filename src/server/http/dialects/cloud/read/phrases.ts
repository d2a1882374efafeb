import type { InBoth } from '#contract/language/language.ts';

/** What is said of fields that only this dialect has. */
export const phrases = {
  numberId: {
    id: 'Harus "ID nomor telepon" yang ditampilkan di halaman Token, 16 angka; bukan nomor teleponnya.',
    en: 'Expected the "ID nomor telepon" that the Token page shows, 16 digits; not the phone number.',
  },
  wamid: {
    id: 'Harus id pesan yang masuk, misalnya "wamid.AZP…", seperti dikirim webhook.',
    en: 'Expected the id of a message that came in, such as "wamid.AZP…", as a webhook brings it.',
  },
  notReceived: {
    id: 'Pesan ini dikirim dari sini; hanya pesan masuk yang dapat ditandai terbaca.',
    en: 'This message was sent from here; only messages that came in can be marked as read.',
  },
  noGroups: {
    id: 'Grup tidak didukung. Kirim ke satu nomor ("individual").',
    en: 'Groups are not supported. Send to one number ("individual").',
  },
  type: {
    id: 'Jenis ini tidak didukung. Yang didukung: text, image, video, audio, document, sticker, location, contacts, reaction, interactive, template.',
    en: 'This type is not supported. Supported: text, image, video, audio, document, sticker, location, contacts, reaction, interactive, template.',
  },
  interactive: {
    id: 'Jenis ini tidak dapat ditulis sebagai teks. Yang didukung: button, list, cta_url, location_request_message.',
    en: 'This type cannot be written as text. Supported: button, list, cta_url, location_request_message.',
  },
  interactiveText: {
    id: 'Wajib diisi: teks pesan.',
    en: 'Required: the text of the message.',
  },
  options: {
    id: 'Wajib diisi: paling sedikit satu pilihan dengan judul.',
    en: 'Required: one option with a title at least.',
  },
  url: {
    id: 'Wajib diisi: `display_text` dan `url`.',
    en: 'Required: `display_text` and `url`.',
  },
  oneContact: {
    id: 'Satu kontak dalam satu pesan. Kirim yang lain dalam pesan tersendiri.',
    en: 'One contact in one message. Send the others in messages of their own.',
  },
  header: {
    id: 'Isi satu parameter untuk kepala template: text, image, video atau document.',
    en: 'Expected one parameter for the header of a template: text, image, video or document.',
  },
  limit: {
    id: 'Harus bilangan bulat mulai dari 1.',
    en: 'Expected a whole number from 1.',
  },
  callback: {
    id: 'Isi keduanya: `override_callback_uri` dan `verify_token` (1–255 karakter tanpa spasi), atau tidak satu pun.',
    en: 'Give both, `override_callback_uri` and `verify_token` (1 to 255 characters without blanks), or neither.',
  },
  inputToken: {
    id: 'Wajib diisi: kunci yang ingin diperiksa.',
    en: 'Required: the key to look at.',
  },
  parameter: {
    id: 'Harus text, currency atau date_time, dengan teksnya.',
    en: 'Expected text, currency or date_time, with its text.',
  },
  parameterName: (names: readonly string[]): InBoth => ({
    id: `Variabel template ini: ${names.join(', ')}. Periksa \`parameter_name\`.`,
    en: `The variables of this template are ${names.join(', ')}. Check \`parameter_name\`.`,
  }),
} as const satisfies Record<string, InBoth | ((names: readonly string[]) => InBoth)>;

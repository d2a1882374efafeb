import { toDataURL } from 'qrcode';

/** A QR as a PNG in a `data:` address, for `<img src>`; 300 dots wide or a little more. */
export const qrPicture = (text: string): Promise<string> =>
  toDataURL(text, { errorCorrectionLevel: 'M', margin: 4, width: 320 });
